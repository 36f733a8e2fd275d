#!/usr/bin/env python3
"""layers.py SOURCE [BUILD [NM]]: whether the house stands as docs/developers.md says.

Rooms include lower ones only; each file says what it is; a library's header is included in its
home only; comments and pages name files that are there; with a build, no two files need each other.
"""
import collections
import os
import re
import subprocess
import sys

# Bottom to top: a room includes itself and what stands before it.
CAMPAIGN = ('base perf cli machine clock sources spec catalogue grouping directory records measure plan queue run pack '
            'solve results profile fft3d merge compare import submit detours noise count hierarchy model report commands').split()
PROFILE = 'wire preload stacks read passes sampler tables export launch show pack'.split()
IO = 'text journal payload hdf5 store metrics noise profile cubex model export import compare report show'.split()
# Includes that the folders beside campaign/ may have: the lowest room, themselves, and plain data of others.
BESIDE = {
    'kernels': ['campaign/base/', 'kernels/'],
    'jobs': ['campaign/base/', 'jobs/'],
    'solve': ['campaign/base/', 'solve/', 'kernels/ideal.h'],
    'io': ['campaign/base/', 'io/', 'solve/result.h', 'solve/definitions/definitions.h', 'solve/cube/cube.h',
           'solve/study/plateau.h', 'solve/model/law.h', 'solve/model/law_text.h', 'solve/model/laws.h'],
}
# Includes upwards that are known: (file, header).  It shall stay empty.
UPWARDS = set()
# Files that need each other through tables of descriptors, which the descriptors do not include.
# A library's header, and where alone it may be included.
HOMES = {
    r'papi\.h': ['campaign/sources/papi/'],
    r'Zydis/.*': ['campaign/sources/soft/'],
    r'hwloc.*': ['campaign/machine/'],
    r'hdf5.*\.h|H5.*\.h': ['io/'],
    r'expat\.h': ['io/cubex/anchor.c'],
    r'jansson\.h': ['io/'],
    r'zlib\.h': ['io/text/'],
    r'cyaml/.*|yaml\.h': ['campaign/base/yaml', 'campaign/base/text.c', 'campaign/sources/model/', 'campaign/spec/'],
    r'fftw.*': ['kernels/fft3d/'],
    r'pcp/.*': ['campaign/sources/pcp'],
    r'linux/perf_event\.h': ['campaign/perf/'],
    r'perfmon/.*': ['campaign/profile/passes/native_counters.c'],
    r'otf2/.*': ['campaign/profile/export/otf2.c'],
    r'(elfutils|dwarf).*': ['campaign/profile/'],
}
PIECE = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)

MOST_SOURCES = 20  # .c of a folder

wrong = []


def ranks(path):
    """How high a file stands in each folder around it whose rooms are stacked."""
    out = {}
    for folder, rooms in {'campaign': CAMPAIGN, 'campaign/profile': PROFILE, 'io': IO}.items():
        if not path.startswith(folder + '/'):
            continue
        room, *below = path[len(folder) + 1:].split('/')
        if below and room not in rooms:
            wrong.append(f'{path}: no such room: expected {", ".join(rooms)}')
        out[folder] = rooms.index(room) if below and room in rooms else len(rooms)
    return out


def check_include(path, header, rooted):
    if not rooted:
        for pattern, homes in HOMES.items():
            if re.fullmatch(pattern, header) and not path.startswith(tuple(homes)):
                wrong.append(f'{path}: includes <{header}>, whose home is {homes[0]}')
        return
    mine, theirs = ranks(path), ranks(header)
    if any(theirs.get(folder, 0) > mine[folder] for folder in mine) and (path, header) not in UPWARDS:
        wrong.append(f'{path}: includes {header}, which is in a room above')
    top = path.split('/')[0]
    if top in BESIDE and not header.startswith(tuple(BESIDE[top])):
        wrong.append(f'{path}: includes {header}: expected {", ".join(BESIDE[top])}')


def check_first_line(path, text):
    if not text.startswith('/*'):
        wrong.append(f'{path}: the first line does not say what the file is')
    if path.endswith('.h'):
        name = os.path.basename(path)
        if not text.startswith(f'/* {name} - '):
            wrong.append(f"{path}: expected '/* {name} - ' as its first line")
        guard = 'RC_' + re.sub(r'[^A-Za-z0-9]', '_', path).upper()
        if '#ifndef' in text[:2500] and f'#ifndef {guard}\n#define {guard}\n' not in text:
            wrong.append(f'{path}: expected the guard {guard}')


def check_names(path, text, names):
    for m in PIECE.finditer(text):
        if not m['comment']:
            continue
        for name in re.findall(r'(?<![\w/.*<+-])([a-z]\w*(?:/\w+)*\.[ch])(?!\w)', m['comment']):
            if name not in names and os.path.basename(name) not in names:
                wrong.append(f'{path}: names {name}, which is not there')
            elif '/' in name and name not in names and not any(n.endswith('/' + name) for n in names):
                wrong.append(f'{path}: names {name}, which is not there')


def check_links(source, page):
    """What a page of docs/ points to is there."""
    text = open(os.path.join(source, page), encoding='utf-8').read()
    for target in re.findall(r'\]\(([^)#\s]+)[^)]*\)', text):
        if not re.match(r'\w+:', target) and not os.path.exists(os.path.join(source, os.path.dirname(page), target)):
            wrong.append(f'{page}: points to {target}, which is not there')
    return text


def check_code_words(page, text, files, code):
    """Files, functions and tables of ours that a page has as `code` are there; NAME and ROOM, in capitals, stand for any."""
    for word in re.findall(r'`([^`\s]+)`', text):
        # a header without a folder may be a library's
        if re.fullmatch(r'[\w-]+\.c|[\w-][\w/-]*/[\w.-]+\.([ch]|py|js|css|cmake|awk)|(tests|jobs/templates)/.*\.sh', word):
            pattern = re.compile('(.*/)?' + re.sub('NAME|ROOM', '.*', re.escape(word)))
            if not any(pattern.fullmatch(f) for f in files):
                wrong.append(f'{page}: names {word}, which is not there')
        m = re.fullmatch(r'(rc_\w+)(\[\]|\(\))?|([a-z]\w*)(\[\]|\(\))', word)
        if m and page == 'docs/developers.md' and 'NAME' not in word and not (m[1] or m[3]) in code:
            wrong.append(f'{page}: names {word}, which is not in the code')


def check_templates(source, files):
    """The texts of jobs: each file says what it is, and is declared for those that embed it."""
    declared = open(os.path.join(source, 'jobs/templates/texts.h'), encoding='utf-8').read()
    for path in files:
        m = re.fullmatch(r'jobs/templates/(.*)\.sh', path)
        if m and not open(os.path.join(source, path), encoding='utf-8').read().startswith('# '):
            wrong.append(f'{path}: the first line does not say what the file is')
        if m and f'rc_template_{m[1]}[]' not in declared:
            wrong.append(f'{path}: jobs/templates/texts.h does not declare it')


def circles(source, build, nm):
    """Sets of files that need each other, by the symbols of their objects."""
    defines, wants, objects = {}, {}, {}
    for folder, _, files in os.walk(build):
        for f in files:
            at = os.path.relpath(os.path.join(folder, f), build)
            m = re.fullmatch(r'(.*?)/?CMakeFiles/[^/]*\.dir/(.*)\.o', at)
            path = m and os.path.normpath(os.path.join(m[1], m[2]))
            if path and not path.startswith('tests/') and os.path.isfile(os.path.join(source, path)):
                objects[at] = path
                wants[path] = set()
    # one nm for all: 500 of them take as long as everything else here ten times over
    listed = subprocess.run([nm, '-A', *objects], check=True, text=True, cwd=build,
                            stdout=subprocess.PIPE).stdout if objects else ''
    for line in listed.splitlines():
        at, symbol = line.split(':', 1)
        kind, name = symbol.split()[-2:]
        if kind == 'U':
            wants[objects[at]].add(name)
        elif kind in 'TDRBVW':
            first = defines.setdefault(name, objects[at])
            if kind in 'TDRB' and first != objects[at] and name.startswith('rc_'):
                wrong.append(f'{objects[at]}: defines {name}, as {first} does: the linker takes either')
    # a table names its descriptors, which use what stands beside the table: no descriptor is called
    needs = {p: {defines[n] for n in w if n in defines} - {p} for p, w in wants.items()}
    order, low, stack, found = {}, {}, [], []

    def visit(p):
        order[p] = low[p] = len(order)
        stack.append(p)
        for q in needs[p]:
            if q not in order:
                visit(q)
                low[p] = min(low[p], low[q])
            elif q in stack:
                low[p] = min(low[p], order[q])
        if low[p] == order[p]:
            circle = []
            while not circle or circle[-1] != p:
                circle.append(stack.pop())
            if len(circle) > 1:
                found.append(sorted(circle))

    sys.setrecursionlimit(10000)
    for p in sorted(needs):
        if p not in order:
            visit(p)
    return found


def main():
    source = sys.argv[1]
    files = []
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(d for d in folders if not d.startswith(('.', 'build')))
        files += [os.path.relpath(os.path.join(folder, n), source) for n in sorted(names)]
    every = set(files) | {os.path.basename(f) for f in files} | {'papi.h', 'sigcontext.h', 'version.h'}
    product = [f for f in files if re.match(r'(campaign|io|kernels|solve|jobs)/.*\.[ch]$', f)]
    flat = [f for f in product if re.fullmatch(r'(campaign|io)/[^/]*', f)]
    for f in flat:
        if f != 'campaign/main.c':
            wrong.append(f'{f}: lies in no room')
    sources = collections.Counter(os.path.dirname(f) for f in files if f.endswith('.c'))
    for folder in sorted(f for f, count in sources.items() if count > MOST_SOURCES):
        wrong.append(f'{folder}: has {sources[folder]} .c, expected at most {MOST_SOURCES}: it wants rooms')
    code = set()
    for path in product:
        text = open(os.path.join(source, path), encoding='utf-8').read()
        for m in re.finditer(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', text, re.M):
            check_include(path, m[1] or m[2], bool(m[1]))
        check_first_line(path, text)
        check_names(path, text, every)
        code.update(re.findall(r'\w+', text))
    for page in files:
        if page.endswith('.md') and page.startswith(('docs/', 'README')):
            text = check_links(source, page)
            check_code_words(page, text, files, code)
    check_templates(source, files)
    found = circles(source, sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else 'nm') if len(sys.argv) > 2 else []
    for c in found:
        wrong.append('need each other: ' + ', '.join(c))
    for w in sorted(set(wrong)):
        print(w)
    print(f'{len(product)} files: {len(set(wrong))} things are not as they should be')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
