"""shape.py TREE... - the shape of product C in trees, a column for each; with '-' where that is told by a build
in build-test which is not there.

features.py beside it tells the lines by feature.
"""
import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layers

FOLDERS = ('campaign', 'io', 'solve', 'jobs', 'kernels')


def product(tree):
    for folder in FOLDERS:
        for place, folders, names in os.walk(os.path.join(tree, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    path = os.path.join(place, name)
                    yield os.path.relpath(path, tree), open(path, encoding='utf-8').read()


def without_comments(text):
    """Comments become spaces, so that lines stay lines."""
    blank = lambda m: re.sub(r'[^\n]', ' ', m[0]) if m['comment'] else m[0]
    return layers.PIECE.sub(blank, text)


def count_filled(text):
    return sum(1 for line in text.split('\n') if line.strip())


def functions(code):
    """(name, is static, lines from its head to its last brace), by the layout of .clang-format."""
    lines = code.split('\n')
    head = None
    for at, line in enumerate(lines):
        if re.match(r'[A-Za-z_]', line) and not re.match(r'(typedef|struct|enum|union)\b[^(]*[{;]?$', line):
            head = at
        elif line.startswith('}'):
            head = None
        if line == '{' and head is not None:
            text = ' '.join(lines[head:at])
            named = re.search(r'([A-Za-z_]\w*)\s*\(', text)
            end = next(i for i in range(at, len(lines)) if lines[i].startswith('}'))
            if named:
                # A type on a line of its own stands above its function.
                yield named[1], text.startswith('static'), end - head + 1
            head = None


def ctest_entries(build):
    if not os.path.exists(os.path.join(build, 'CTestTestfile.cmake')):
        return '-'
    listing = subprocess.run(['ctest', '-N'], cwd=build, check=True, text=True, stdout=subprocess.PIPE).stdout
    return re.search(r'Total Tests: (\d+)', listing)[1]


def shape(tree):
    build = os.path.join(tree, 'build-test')
    lines, guards, no_memory, unsaid = 0, 0, 0, 0
    comments = collections.Counter()
    filled = collections.Counter()
    lengths, statics, once = [], 0, 0
    flat = collections.Counter()
    files = dict(product(tree))
    for path, text in files.items():
        code = without_comments(text)
        kind = path[-2:]
        lines += count_filled(code)
        filled[kind] += count_filled(text)
        comments[kind] += sum(1 for a, b in zip(text.split('\n'), code.split('\n')) if a.rstrip() != b.rstrip())
        guards += len(re.findall(r'\bstatus == RC_OK\b', code))
        if kind == '.c':
            unsaid += not text.startswith('/*')
            parts = path.split('/')
            flat[parts[0]] += len(parts) == 2
        for name, is_static, length in functions(code):
            lengths.append(length)
            no_memory += name == 'no_memory'
            if is_static:
                statics += 1
                once += len(re.findall(rf'\b{name}\b', re.sub(rf'(?m)^static [^;{{]*\b{name}\([^{{;]*;', '', code))) == 2
    lengths.sort()
    share = lambda part, whole: f'{100 * part / max(1, whole):.1f} %'
    return {
        'lines of code (no blanks, no comments)': f'{lines:,}',
        'files': len(files),
        'functions': len(lengths),
        'lines of a function: median / 90 of 100': f'{lengths[len(lengths) // 2]} / {lengths[len(lengths) * 9 // 10]}',
        'functions over 80 lines': sum(1 for n in lengths if n > 80),
        'static functions that are called once': share(once, statics),
        'lines with comments in .c files': share(comments['.c'], filled['.c']),
        'lines with comments in headers': share(comments['.h'], filled['.h']),
        '.c files that do not say what they are': unsaid,
        ".c files flat in campaign/ and io/": f"{flat['campaign']} and {flat['io']}",
        'circles of files that need each other': len(layers.circles(tree, build, 'nm')) if os.path.isdir(build) else '-',
        "'status == RC_OK'": f'{guards:,}',
        "functions 'no_memory'": no_memory,
        'entries of ctest': ctest_entries(build),
    }


GOALS = {
    'lines of a function: median / 90 of 100': '13-16 / 30-45',
    'functions over 80 lines': '< 1 %',
    'static functions that are called once': '<= 60 %',
    'lines with comments in .c files': '>= 9 %',
    'lines with comments in headers': '>= 50 %',
    '.c files that do not say what they are': '0',
    ".c files flat in campaign/ and io/": '1 and 0',
    'circles of files that need each other': '0',
    "'status == RC_OK'": '< 400',
    "functions 'no_memory'": '0',
}

if __name__ == '__main__':
    for tree in sys.argv[1:]:
        if not os.path.exists(os.path.join(tree, 'build-test', 'CTestTestfile.cmake')):
            sys.exit(f"shape.py: '{tree}' has no build-test: expected a tree that is built there, with tests")
    columns = [shape(tree) for tree in sys.argv[1:]]
    for row in columns[0]:
        print(f'{row:42}', *(f'{str(c[row]):>12}' for c in columns), f'{GOALS.get(row, ""):>16}')
