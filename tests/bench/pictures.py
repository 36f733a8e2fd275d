"""pictures.py PAGES OUT: photographs parts of the reports in PAGES, for docs/tour.md.

A picture goes from the top of one element to the bottom of another, as wide as the page
or as the elements between them; what is opened or typed for it is written beside it.
"""
import base64
import pathlib
import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

WIDTH, MARGIN = 1100, 12

# Finds elements by what they say, since the page gives its figures no names.
HELP = """
const all = (s, e) => [...(e || document).querySelectorAll(s)];
const heading = (t) => all('h2, h3, h4').find((h) => h.textContent === t);
const after = (h, s) => all(s).find((e) => h.compareDocumentPosition(e) & 4);
const table = (h, n) => all('table', document).filter((e) => h.compareDocumentPosition(e) & 4)[n || 0];
const row = (t, name) => all('tr', t).find((r) => r.cells[0].textContent === name);
const figure = (h, t) => all('figure').find((f) => h.compareDocumentPosition(f) & 4 && f.textContent.includes(t));
"""


class Camera:
    def __init__(self, pages, out):
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"):
            options.add_argument(word)
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.pages, self.out = pages, out

    def js(self, text):
        return self.driver.execute_script(HELP + text)

    def open(self, page, theme="light"):
        path = (self.pages / page).resolve()
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": theme}]})
        self.driver.get(path.as_uri())
        # What stays at the top of the window would stand in the middle of a picture.
        self.js("all('nav.top').forEach((e) => e.style.position = 'static')")

    def wait(self, condition):
        WebDriverWait(self.driver, 20).until(lambda d: self.js("return " + condition))

    def take(self, name, first, last=None, width=WIDTH, below=MARGIN, above=MARGIN):
        """'first' and 'last' are expressions of the script that give elements."""
        top, bottom = self.js(f"""
            const a = ({first}).getBoundingClientRect(), b = ({last or first}).getBoundingClientRect();
            return [a.top + scrollY, b.bottom + scrollY];""")
        top = max(0, top - above)
        clip = {"x": 0, "y": top, "width": width, "height": bottom + below - top, "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "format": "png", "captureBeyondViewport": True, "clip": clip})
        (self.out / (name + ".png")).write_bytes(base64.b64decode(shot["data"]))


def simulated(camera):
    camera.open("results/report.html")
    camera.take("overview", "document.body", "table(heading('What was measured where'), 2)")
    camera.take("timeline", "heading('Who measured what when')",
                "figure(heading('Who measured what when'), 'units of')", 800)
    camera.take("verdicts", "table(heading('Suite flops'))", "row(table(heading('Suite flops')), 'SP FMA instructions')", 960, 0)
    camera.take("intervals", "table(heading('Suite dcache'))", "row(table(heading('Suite dcache')), 'L3 hits')", below=0)
    camera.take("noise", "figure(heading('Suite dcache'), 'maxRNMSE')", width=800)
    camera.take("combination", "figure(heading('Suite flops'), 'SP FMA instructions')",
                "figure(heading('Suite flops'), 'DP instructions')")
    camera.js("""const text = document.getElementById('f-text'), suite = document.getElementById('f-suite');
        suite.value = [...suite.options].find((o) => o.text === 'dcache').value;
        suite.dispatchEvent(new Event('change'));
        text.value = 'rd hit';
        text.dispatchEvent(new Event('input'));""")
    camera.wait("all('#rows tbody tr').length > 0 && all('#rows tbody tr').length < 60")
    camera.take("events", "heading('All events')", "all('#rows tbody tr')[Math.min(11, all('#rows tbody tr').length - 1)]", below=0)


def one_event(camera):
    camera.open("results/report.html", "dark")
    camera.js("row(table(heading('Suite dcache')), 'L2 hits').querySelector('a').click()")
    camera.wait("document.querySelector('.panel svg') !== null")
    camera.js("window.opened = document.querySelector('#rows tr.open')")
    camera.take("event", "window.opened", "all('.panel table')[0]", above=0)
    camera.take("curves", "all('.panel section').find((s) => s.textContent.startsWith('dcache'))", width=800)


def real(camera):
    camera.open("real/report.html")
    camera.take("machine", "heading('The machine')", "figure(heading('The machine'), 'cores measured')", 800)
    camera.open("real/report.html", "dark")
    camera.take("dark", "heading('Suite branch')", "table(heading('Suite branch'), 1)")


def compared(camera):
    camera.open("compare.html")
    camera.take("compare", "document.body", "row(all('table').find((t) => t.textContent.includes('conditional taken')), 'conditional not taken')", below=0)


def main():
    camera = Camera(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    try:
        for scene in (simulated, one_event, real, compared):
            scene(camera)
    finally:
        camera.driver.quit()


main()
