#!/usr/bin/env python3
"""page_cube.py ROLLCALL [PLACES PATHS METRICS]: the page of a large profile: its size, how long it takes to
make, and how long a selection takes to be drawn in Chromium.  64 places, 1,000 paths, 100 metrics, no value 0.
"""
import os
import random
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import io
import zlib

rollcall = os.path.abspath(sys.argv[1])
places, paths, metrics = (int(x) for x in sys.argv[2:5]) if len(sys.argv) > 4 else (64, 1000, 100)
dice = random.Random(1)


def anchor():
    regions = ''.join(f'<region id="{p}" mod="" begin="-1" end="-1"><name>function {p}</name><mangled_name/><paradigm>user</paradigm>'
                      '<role>unknown</role><url/><descr/></region>' for p in range(paths))
    inside = [[] for _ in range(paths)]
    for p in range(1, paths):
        inside[max(0, p - dice.choice((1, 1, 2, 5, 40)))].append(p)
    order = []

    def node(p):
        number = len(order)
        order.append(p)
        return f'<cnode id="{number}" calleeId="{p}">' + ''.join(node(q) for q in inside[p]) + '</cnode>'
    tree = node(0)
    names = ''.join(f'<metric id="{m}" type="EXCLUSIVE"><disp_name>metric {m}</disp_name><uniq_name>metric_{m}</uniq_name>'
                    '<dtype>DOUBLE</dtype><uom>ns</uom><url/><descr/></metric>' for m in range(metrics))
    where = ''.join(f'<locationgroup Id="{l}"><name>rank {l}</name><rank>{l}</rank><type>process</type><location Id="{l}">'
                    f'<name>thread 0</name><rank>0</rank><type>thread</type></location></locationgroup>' for l in range(places))
    return ('<?xml version="1.0" encoding="UTF-8"?><cube version="4.4"><metrics>' + names + '</metrics><program>' + regions + tree +
            '</program><system><systemtreenode Id="0"><name>machine</name><class>machine</class><systemtreenode Id="1"><name>node0</name>'
            '<class>node</class>' + where + '</systemtreenode></systemtreenode></system></cube>').encode()


def write(name):
    sys.setrecursionlimit(10 * paths)
    with tarfile.open(name, 'w', format=tarfile.USTAR_FORMAT) as tar:
        def add(file, data):
            info = tarfile.TarInfo(file)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        add('anchor.xml', anchor())
        for m in range(metrics):
            add(f'{m}.index', b'CUBEX.INDEX' + struct.pack('<ihbi', 1, 0, 1, paths) + struct.pack(f'<{paths}i', *range(paths)))
            add(f'{m}.data', b'CUBEX.DATA' + struct.pack(f'<{paths * places}d', *(dice.expovariate(1e-6) for _ in range(paths * places))))


def timed(*words):
    begun = time.monotonic()
    subprocess.run([rollcall, *words], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begun


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write('big.cubex')
    print(f'{places} places, {paths} paths, {metrics} metrics: big.cubex {os.path.getsize("big.cubex") / 1e6:.1f} MB')
    print(f'import {timed("import", "big.cubex", "-o", "big"):.1f} s')
    print(f'report {timed("report", "big"):.1f} s, page {os.path.getsize("big/report.html") / 1e6:.2f} MB')
    sys.path.insert(0, '/usr/lib/python3/dist-packages')
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    for word in ('--headless=new', '--no-sandbox', '--disable-gpu', '--window-size=1400,1000'):
        options.add_argument(word)
    options.binary_location = '/usr/bin/chromium'
    driver = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)
    begun = time.monotonic()
    driver.get(f'file://{folder}/big/report.html')
    while not driver.execute_script("return document.querySelectorAll('#trees-all .branch').length"):
        time.sleep(.05)
    print(f'drawn after {time.monotonic() - begun:.1f} s')
    for tree, what in ((0, 'metric'), (1, 'path'), (0, 'metric, all paths drawn,')):
        driver.execute_script("""if (!arguments[0]) return;
            const find = document.querySelectorAll('#trees-all section input')[1];
            find.value = 'function';
            find.dispatchEvent(new Event('input'));""", what.endswith(','))
        ms = driver.execute_script("""const out = [];
            for (let i = 1; i < 30; i++) {
              const list = document.querySelectorAll('#trees-all .branches')[arguments[0]].querySelectorAll('.branch'), line = list[i % list.length];
              const begun = performance.now();
              line.click();
              document.body.offsetHeight;
              out.push(performance.now() - begun);
            }
            return out.sort((a, b) => a - b);""", tree)
        print(f'{what} chosen: median {ms[len(ms) // 2]:.1f} ms, most {ms[-1]:.1f} ms of {len(ms)}')
    driver.quit()
