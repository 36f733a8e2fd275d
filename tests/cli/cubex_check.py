"""Reads .cubex files by themselves, and checks that they say what a profile.h5 does.

usage: cubex_check.py FILE.cubex [PROFILE.h5]
       cubex_check.py --pycubexr FILE.cubex      (77 where that package is not there)

Shares no code with rollcall: tarfile, ElementTree and zlib. Of profile.h5, which has one launch, every
value of visits, time, bytes and waiting is compared by call path and place, and the sums exactly.
"""
import math
import struct
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
import zlib


def wants(condition, what):
    if not condition:
        sys.exit(f'cubex_check.py: {what}')


def ranges(text):
    for piece in text.split(','):
        first, _, last = piece.partition('-')
        yield from range(int(first), int(last or first) + 1)


class Cube:
    """All values: value[metric][path][place]; None is missing."""

    def __init__(self, path):
        with tarfile.open(path, 'r:') as tar:
            self.members = {m.name: tar.extractfile(m).read() for m in tar}
        root = ElementTree.fromstring(self.members['anchor.xml'])
        self.attributes = {a.get('key'): a.get('value') for a in root.findall('attr')}
        names = {r.get('id'): r.findtext('mangled_name') for r in root.find('program').findall('region')}
        self.paths, self.places, self.parent, self.value = [], [], {}, {}
        wants(len(root.find('program').findall('cnode')) == 1, 'not one root of the call tree')
        wants(len(root.find('system').findall('systemtreenode')) == 1, 'not one root of the system tree')
        self.walk(root.find('program').find('cnode'), (), names)
        self.places = [x.findtext('name') for x in root.iter('location')]
        wants([int(x.get('Id')) for x in root.iter('location')] == list(range(len(self.places))), 'locations')
        for metric in root.find('metrics').findall('metric'):
            self.take(metric, None)

    def walk(self, cnode, above, names):
        wants(int(cnode.get('id')) == len(self.paths), 'cnodes are not numbered depth-first')
        name = names[cnode.get('calleeId')]
        path = above + (name,) if name else above
        self.paths.append(';'.join(path))
        for child in cnode.findall('cnode'):
            self.walk(child, path, names)

    def take(self, metric, parent):
        name, id_ = metric.findtext('uniq_name'), metric.get('id')
        wants(metric.get('type') == 'EXCLUSIVE' and metric.findtext('dtype') in ('DOUBLE', 'MINDOUBLE', 'MAXDOUBLE'), f'{name}: its type')
        wants(name not in self.value, f'{name} is there twice')
        self.parent[name] = parent
        places, index, data = len(self.places), self.members[id_ + '.index'], self.members[id_ + '.data']
        wants(index[:11] == b'CUBEX.INDEX' and struct.unpack('<ihb', index[11:18]) == (1, 0, 1), f'{name}: index')
        count, = struct.unpack('<i', index[18:22])
        rows = struct.unpack(f'<{count}i', index[22:])
        wants(data[:11] == b'ZCUBEX.DATA', f'{name}: data')
        blocks, = struct.unpack('<q', data[11:19])
        at, raw = 19 + 24 * blocks, b''
        for begin, packed, size in struct.iter_unpack('<3q', data[19:at]):
            wants(begin == len(raw), f'{name}: where blocks begin')
            raw += zlib.decompress(data[at + packed:at + packed + size])
        numbers = struct.unpack(f'<{count * places}d', raw)
        value = [[0.0] * places for _ in self.paths]
        for i, row in enumerate(rows):
            value[row] = list(numbers[i * places:(i + 1) * places])
        for paths, columns in self.missing(self.attributes.get(f'rollcall missing {id_}', '')):
            for path in paths:
                for place in columns if columns is not None else range(places):
                    value[path][place] = None
        self.value[name] = value
        for child in metric.findall('metric'):
            self.take(child, name)

    @staticmethod
    def missing(text):
        """'3 5-9,11 12:0-3,7': rows, and of rows the places."""
        for word in text.split():
            for piece in [word] if ':' in word else word.split(','):
                paths, _, places = piece.partition(':')
                yield list(ranges(paths)), list(ranges(places)) if places else None

    def sum(self, name):
        return math.fsum(x for row in self.value[name] for x in row if x is not None)


def compare(cube, h5):
    import h5py
    expected = {}
    waits = {'late sender': 'late_sender', 'late receiver': 'late_receiver', 'wait at barrier': 'wait_at_barrier',
             'wait at NxN': 'wait_at_nxn', 'late broadcast': 'late_broadcast', 'early reduce': 'early_reduce',
             'early scan': 'early_scan'}

    def add(metric, path, place, number):
        key = metric, path, place
        expected[key] = expected.get(key, 0) + number

    with h5py.File(h5) as f:
        text = lambda x: x.decode()
        paths = [text(x) for x in f['/paths/path'][:]]
        places = [text(x) for x in f['/places/place'][:]]
        for p, path in enumerate(paths):
            for l, place in enumerate(places):
                own, mpi, visits = (f[f'/values/{x}/mean'][p, l] for x in ('own_time', 'mpi_time', 'visits'))
                if not math.isnan(own):
                    add('time', path, place, own - mpi)
                    add('visits', path, place, visits)
        calls = {x: f[f'/calls/{x}'][:].tolist() for x in f['/calls'] if x not in ('times', 'time_class')}
        for i, name in enumerate(calls['call']):
            above = paths[calls['path'][i]]
            path = (above + ';' if above else '') + text(name)
            place = places[calls['place'][i]]
            for metric, column in (('time', 'ns'), ('mpi', 'ns'), ('visits', 'calls'), ('bytes', 'bytes'),
                                   ('known_waits', 'known')):
                add(metric, path, place, calls[column][i])
            kind = waits.get(text(calls['waits_for'][i]))
            if kind and calls['known'][i]:
                add(kind, path, place, calls['waited_ns'][i])
    wants(sorted(cube.places) == sorted(places), f'places {cube.places}, expected {places}')
    for metric in ('time', 'mpi', 'visits', 'bytes', 'known_waits', *waits.values()):
        for p, path in enumerate(cube.paths):
            for l, place in enumerate(cube.places):
                value = cube.value[metric][p][l]
                want = expected.pop((metric, path, place), 0)
                wants(value == want or (value is None and want == 0),
                      f'{metric} of {path} on {place}: {value}, expected {want}')
    wants(not any(expected.values()), f'not in the file: {expected}')
    for name, parent in cube.parent.items():
        if parent:
            for p, row in enumerate(cube.value[name]):
                for l, x in enumerate(row):
                    wants(x is None or x <= cube.value[parent][p][l], f'{name} is more than {parent}')


def by_pycubexr(cube, path):
    try:
        from pycubexr import CubexParser
    except ImportError:
        print('no pycubexr here')
        sys.exit(77)
    with CubexParser(path) as parser:
        for metric in parser.get_metrics():
            for p, row in enumerate(cube.value[metric.name]):
                if any(row):
                    cnode = [c for c in parser.all_cnodes() if c.id == p][0]
                    values = parser.get_metric_values(metric).cnode_values(cnode)
                    wants([x or 0 for x in row] == list(values), f'{metric.name} of {cube.paths[p]}')


def main(arguments):
    if arguments[0] == '--pycubexr':
        by_pycubexr(Cube(arguments[1]), arguments[1])
        return
    read = Cube(arguments[0])
    if len(arguments) > 1:
        compare(read, arguments[1])
    shown = [m for m in read.value if not m.startswith('rollcall:')]
    print(f'{len(shown)} metrics, {len(read.paths)} paths, {len(read.places)} places, time {read.sum("time"):.0f}')


if __name__ == '__main__':
    main(sys.argv[1:])
