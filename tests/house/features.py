"""features.py TREE... - lines of product C by feature, a column for each tree (code: no blanks, no comments).

The rule: a file belongs to the first row of LATER whose patterns its path begins with, and else to the features of
df45d32, which are what the goal of lines speaks of. Only whole files are told apart: what later features added to a
file of an earlier one counts as features of df45d32, so that their number is rather too large than too small. Names of
files are those of any commit since: what was moved is listed under both.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shape

LATER = {
    'noise of nodes and cores, clocks': (
        'campaign/noise/ campaign/detours/ campaign/clock/ campaign/records/detours io/noise/ io/report/data_noise solve/study/ '
        'kernels/detour'),
    'sources sysfs, pcp and nvml': (
        'campaign/sources/sysfs/ campaign/sources/pcp campaign/sources/nvml campaign/sources/counter'),
    'profile': (
        'campaign/profile/ io/profile/ io/cubex/ solve/cube/ solve/series/ solve/waiting/ campaign/base/program '
        'io/text/json_tree campaign/sources/soft/phases'),
    '3D-FFT, and the suite of its re-sorting': 'campaign/fft3d/ kernels/fft3d/ kernels/resort',
    'kernels of users': 'kernels/own/ kernels/rollcall_kernel',
    'solve over all suites at once, cycles by reference': (
        'campaign/solve/joint/ solve/algebra/coordinates solve/algebra/combine solve/algebra/snap '
        'solve/algebra/fraction solve/definitions/identities campaign/solve/reference kernels/cycles'),
    'count, show, what counts beside an event': (
        'campaign/count/ campaign/commands/show. campaign/commands/beside campaign/sources/soft/trace io/show/ '
        'io/export/lines io/metrics/event_words'),
    'trees of metrics': (
        'campaign/hierarchy/ campaign/import/spec campaign/results/ campaign/solve/readings/means solve/hierarchy/'),
    'checksums, exports into a directory, making what a report lacks': (
        'io/hdf5/checksum io/export/directory campaign/report/missing'),
    'soft executes instructions itself': 'campaign/sources/soft/direct campaign/sources/soft/way',
}
THEN = 'features of df45d32'
GOAL = '<= 56,000'


def feature(path):
    return next((name for name, begins in LATER.items() if path.startswith(tuple(begins.split()))), THEN)


def count(tree):
    lines = dict.fromkeys([*LATER, THEN], 0)
    for path, text in shape.product(tree):
        lines[feature(path)] += shape.count_filled(shape.without_comments(text))
    return {'all': sum(lines.values()), **lines}


if __name__ == '__main__':
    columns = [count(tree) for tree in sys.argv[1:]]
    for row in columns[0]:
        print(f'{row:64}', *(f'{c[row]:>12,}' for c in columns), f"{GOAL if row == THEN else '':>16}")
