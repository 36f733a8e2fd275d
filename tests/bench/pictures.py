"""pictures.py PAGES OUT: photographs parts of the reports in PAGES, for docs/tour.md,
docs/noise.md and docs/stream.md.

A picture goes from the top of one element to the bottom of another, as wide as the page
or as the elements between them; what is opened or typed for it is written beside it.
"""
import base64
import pathlib
import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

WIDTH, MARGIN = 1250, 12

# Finds elements by what they say.
HELP = """
const all = (s, e) => [...(e || document).querySelectorAll(s)];
const heading = (t) => all('h2, h3, h4').find((h) => h.textContent === t);
const figure = (t) => all('figure').find((f) => f.textContent.includes(t));
const metric = (t) => all('.metrics tbody > tr').find((r) => r.cells[0].textContent === t);
const set = (id, value, kind) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event(kind, {bubbles: true})); };
const row = (t, name) => all('tr', t).find((r) => r.cells[0].textContent === name);
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

    def open(self, page, theme="light", width=WIDTH):
        path = (self.pages / page).resolve()
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": theme}]})
        self.driver.get(path.as_uri())
        # A heading that stays at the top of the window would stand in the middle of a picture.
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


def ready(camera):
    camera.wait("/ events/.test(document.getElementById('found').textContent)")


def simulated(camera):
    camera.open("results/report.html")
    ready(camera)
    camera.take("overview", "document.body", "metric('DP operations')", below=0)
    camera.wait("figure('A box is a unit') && figure('A box is a unit').querySelector('svg')")
    camera.take("timeline", "heading('Who measured what when')", "figure('A box is a unit')", 1150)
    camera.js("metric('L2 hits').querySelector('button').click()")
    camera.wait("document.querySelector('.metrics svg')")
    camera.take("metric", "metric('L2 hits')", "metric('L2 hits').nextSibling", above=0, below=0)
    camera.js("document.getElementById('suite-of-2').open = true")
    camera.wait("figure('by their noise') && figure('by their noise').querySelector('svg')")
    camera.take("noise", "figure('by their noise')", width=900)
    camera.js("""set('f-suite', [...document.getElementById('f-suite').options].find((o) => o.text === 'dcache').value, 'change');
        set('f-text', 'rd hit', 'input');""")
    camera.wait("all('#rows > tbody > tr').length > 0 && all('#rows > tbody > tr').length < 60 && all('#rows th').length === 7")
    camera.take("events", "document.querySelector('.tools')", "all('#rows > tbody > tr')[Math.min(9, all('#rows > tbody > tr').length - 1)]", below=0)


def one_event(camera):
    camera.open("results/report.html", "dark")
    ready(camera)
    camera.js("metric('L2 hits').querySelector('a').click()")
    camera.wait("document.querySelector('.panel svg') !== null")
    camera.take("event", "document.querySelector('#rows tr.open')", "all('.panel table')[0]", above=0)
    camera.take("curves", "all('.panel section').find((s) => s.textContent.startsWith('dcache'))", width=1080)


def narrow(camera):
    camera.open("results/report.html", width=390)
    ready(camera)
    camera.take("narrow", "document.body", "metric('SP operations')", width=390, below=0)


def real(camera):
    camera.open("real/report.html")
    ready(camera)
    camera.wait("figure('measured')")
    camera.take("machine", "heading('The machine')", "figure('measured')", 900)
    camera.open("real/report.html", "dark")
    ready(camera)
    camera.take("dark", "document.body", "metric('FMA instructions')", below=0)


def nodes(camera):
    camera.open("nodes/report.html")
    ready(camera)
    camera.wait("figure('surest first') && figure('surest first').querySelector('svg') && figure('a dot is a core')")
    camera.take("nodes", "heading('Noise')", "figure('a dot is a core')", width=900)


def rates(camera):
    camera.open("stream/report.html")
    ready(camera)
    camera.wait("all('#curves-all figure svg').length > 0")
    camera.take("rates", "heading('Rates over the size of data')", "all('#curves-all .figures')[0]", width=720)


def compared(camera):
    camera.open("compare.html")
    camera.take("compare", "document.body", "row(all('table').find((t) => t.textContent.includes('conditional taken')), 'conditional not taken')", below=0)


def main():
    camera = Camera(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    try:
        for scene in (simulated, one_event, narrow, real, nodes, rates, compared):
            scene(camera)
    finally:
        camera.driver.quit()


main()
