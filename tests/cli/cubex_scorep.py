"""Writes a .cubex file as Score-P would, and checks what was made of one.

usage: cubex_scorep.py write FILE SEED [big] [plain] | check FILE SEED

Shares no code with rollcall or with the reader of cubex_check.py's rows: from the published description of
the format. 'big': bytes in the other order; 'plain': rows are not compressed. The numbers follow from SEED.
What is checked is a file that rollcall wrote after it had read that one: each value that was in it, exclusive,
by metric, call path and place; metrics that are no numbers of one cell (TAU_ATOMIC) are not in it. 'unsummed':
the checksum in the head of the first member is wrong.
"""
import io
import random
import struct
import sys
import tarfile
import zlib

RANKS, THREADS = 3, 2
REGIONS = ['PARALLEL', 'main', 'solve <&> "a"', '!$omp parallel @x.c:9', 'MPI_Allreduce', 'MPI_Init']
# (name, dtype, code of struct, type, unit); time and counters are inclusive, as Score-P's are
METRICS = [('visits', 'UINT64', 'Q', 'EXCLUSIVE', 'occ'), ('time', 'DOUBLE', 'd', 'INCLUSIVE', 'sec'),
           ('min_time', 'MINDOUBLE', 'd', 'EXCLUSIVE', 'sec'),
           ('max_time', 'MAXDOUBLE', 'd', 'EXCLUSIVE', 'sec'), ('bytes_sent', 'UINT64', 'Q', 'EXCLUSIVE', 'bytes'),
           ('ALLOCATION_SIZE', 'TAU_ATOMIC', '5d', 'EXCLUSIVE', 'bytes'),
           ('PAPI_TOT_CYC', 'UINT64', 'Q', 'INCLUSIVE', '#'), ('balance', 'INT32', 'i', 'EXCLUSIVE', '#')]


class Tree:
    """A call tree with its paths in the document's order, and exclusive values of each metric."""

    def __init__(self, seed):
        dice = random.Random(seed)
        self.parent, self.region = [-1], [0]
        while len(self.parent) < 40:
            above = dice.randrange(len(self.parent))
            used = {self.region[i] for i, p in enumerate(self.parent) if p == above}
            region = dice.randrange(1, len(REGIONS))
            if region not in used:
                self.parent.append(above)
                self.region.append(region)
        self.children = [[i for i, p in enumerate(self.parent) if p == above] for above in range(40)]
        self.deep = self.below(0)
        self.value = {}
        for name, _, code, _, _ in METRICS:
            self.value[name] = [
                [0 if empty else dice.randrange(-9, 9) if code == 'i' else
                 dice.randrange(1 << 30) / 64 if 'd' in code else dice.randrange(1 << 30)
                 for _ in range(RANKS * THREADS)] for empty in (dice.random() < 0.3 for _ in self.parent)]

    def below(self, node):
        return [node] + [x for child in self.children[node] for x in self.below(child)]

    def wide(self, node=0):
        """Children of a path together, then what is below the first of them, and so on."""
        return ([0] if node == 0 else []) + self.children[node] + [x for c in self.children[node] for x in self.wide(c)]

    def path(self, node):
        above = self.path(self.parent[node]) if self.parent[node] >= 0 else ()
        return above + (REGIONS[self.region[node]],)

    def inclusive(self, name, node, place):
        return sum(self.value[name][x][place] for x in self.below(node))


def escaped(text):
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;').replace('"', '&quot;')


def anchor(tree):
    """Numbers of metrics, regions, paths and locations are not those of their order, as in files of today."""
    out = ['<?xml version="1.0" encoding="UTF-8"?>\n<cube version="4.7" xmlns="http://www.score-p.org/cube">\n'
           '<attr key="Creator" value="Score-P 9.0"/>\n<doc><mirrors><murl>@mirror@</murl></mirrors></doc>\n'
           '<metrics title="Metric tree">\n']
    for id_, (name, dtype, _, kind, unit) in enumerate(METRICS):
        out.append(f'<metric id="{id_}" type="{kind}"><disp_name>{name.title()}</disp_name><uniq_name>{name}</uniq_name>'
                   f'<dtype>{dtype}</dtype><uom>{unit}</uom><val></val><url>@mirror@x#{name}</url><descr>of {name}</descr>'
                   f'<cacheable>1</cacheable></metric>\n')
    out.append('</metrics><program title="Call tree">\n')
    for id_, name in enumerate(REGIONS):
        out.append(f'<region id="{id_}" mod="x.c" begin="{id_}" end="-1"><name>{escaped(name)}</name>'
                   f'<mangled_name>{escaped(name)}</mangled_name><paradigm>{"mpi" if name[:3] == "MPI" else "user"}</paradigm>'
                   f'<role>function</role><url></url><descr></descr></region>\n')

    def cnode(node):
        out.append(f'<cnode id="{tree.deep.index(node)}" calleeId="{tree.region[node]}">\n')
        for child in tree.children[node]:
            cnode(child)
        out.append('</cnode>\n')
    cnode(0)
    out.append('</program><system title="System tree">\n<systemtreenode Id="0"><name>machine L</name><class>machine</class>\n'
               '<systemtreenode Id="1"><name>n1</name><class>node</class>\n')
    for rank in range(RANKS):
        out.append(f'<locationgroup Id="{rank}"><name>MPI Rank {rank}</name><rank>{rank}</rank><type>process</type>\n')
        for thread in range(THREADS):
            name = f'OMP thread {thread}' if thread else 'Master thread'
            out.append(f'<location Id="{rank * THREADS + thread}"><name>{name}</name><rank>{thread}</rank>'
                       '<type>thread</type></location>\n')
        out.append('</locationgroup>\n')
    out.append('</systemtreenode></systemtreenode></system></cube>\n')
    return ''.join(out).encode()


def members(tree, order, plain):
    yield 'anchor.xml', anchor(tree)
    for id_, (name, _, code, kind, _) in enumerate(METRICS):
        places, rows, numbers = range(RANKS * THREADS), [], b''
        for row, node in enumerate(tree.wide() if kind == 'INCLUSIVE' else tree.deep):
            cells = [tree.inclusive(name, node, p) if kind == 'INCLUSIVE' else tree.value[name][node][p] for p in places]
            if not any(cells):
                continue
            rows.append(row)
            for cell in cells:
                numbers += struct.pack(order + code, *[cell] * (5 if code == '5d' else 1))
        yield f'{id_}.index', b'CUBEX.INDEX' + struct.pack(f'{order}ihbi{len(rows)}i', 1, 0, 1, len(rows), *rows)
        blocks = [(at, numbers[at:at + 1024]) for at in range(0, len(numbers), 1024)]
        packed = [zlib.compress(block) for _, block in blocks]
        head, offset = struct.pack(order + 'q', len(blocks)), 0
        for (at, _), block in zip(blocks, packed):
            head += struct.pack(order + '3q', at, offset, len(block))
            offset += len(block)
        yield f'{id_}.data', b'CUBEX.DATA' + numbers if plain else b'ZCUBEX.DATA' + head + b''.join(packed)


def write(path, tree, options):
    with tarfile.open(path, 'w', format=tarfile.USTAR_FORMAT) as tar:
        for name, data in members(tree, '>' if 'big' in options else '<', 'plain' in options):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    if 'unsummed' in options:
        with open(path, 'r+b') as file:
            file.seek(148)
            file.write(b'000000\0 ')


def check(path, tree):
    from cubex_check import Cube
    cube, count = Cube(path), 0
    stored = [m for m in METRICS if m[1] not in ('TAU_ATOMIC',)]
    if sorted(cube.value) != sorted(m[0] for m in stored):
        sys.exit(f'metrics {sorted(cube.value)}')
    for name, _, _, _, _ in stored:
        for node in tree.deep:
            for place in range(RANKS * THREADS):
                row = cube.paths.index(';'.join(tree.path(node)))
                column = cube.places.index(f'rank {place // THREADS} thread {place % THREADS}')
                value, want = cube.value[name][row][column], tree.value[name][node][place]
                if name in ('min_time', 'max_time') and not any(tree.value[name][node]):
                    want = None  # the least of nothing
                if value != want:
                    sys.exit(f'{name} of {tree.path(node)} on {place}: {value}, expected {want}')
                count += 1
    print(f'{count} values')


if __name__ == '__main__':
    planted = Tree(int(sys.argv[3]))
    if sys.argv[1] == 'write':
        write(sys.argv[2], planted, sys.argv[4:])
    else:
        check(sys.argv[2], planted)
