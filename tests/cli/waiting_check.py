"""waiting_check.py FILE.cubex TRUTH [CALL:]METRIC ALLOWED_US: waiting in the tree of times against what mpi_wait noted.

TRUTH has 'RANK CALL CALLS US [US]' in each line, the second of late_complete. Of each such call METRIC, with CALL of calls of that function alone, is that
to 2 % or 20 us a call (and ALLOWED_US in which the system may have stopped a rank), and no other call waits longer than that. The parts of MPI add up to it exactly.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
arguments = sys.argv[1:]
from cubex_check import Cube, wants  # noqa: E402

cube = Cube(arguments[0])
only, metric = arguments[2].split(':') if ':' in arguments[2] else (None, arguments[2])
allowed = float(arguments[3])
WAITS = ('late_sender', 'late_receiver', 'wait_at_barrier', 'wait_at_nxn', 'late_broadcast', 'early_reduce',
         'early_scan', 'barrier_completion', 'nxn_completion')
children = {}
for name, parent in cube.parent.items():
    children.setdefault(parent, []).append(name)


# Conservation: all that is in MPI is the sum of what its parts have for themselves, in each path and place.
def own(name, path, place):
    return cube.value[name][path][place] - sum(cube.value[c][path][place] or 0 for c in children.get(name, ()))


def below(name):
    return [name] + [x for c in children.get(name, ()) for x in below(c)]


for p, path in enumerate(cube.paths):
    for l, place in enumerate(cube.places):
        parts = [own(x, p, l) for x in below('mpi') if cube.value[x][p][l] is not None]
        wants(min(parts) >= 0, f'{path} on {place}: a part of MPI is less than nothing: {parts}')
        wants(sum(parts) == cube.value['mpi'][p][l], f'{path} on {place}: parts of MPI are not all of it')

planted = {}
for line in open(arguments[1]):
    word = line.split()
    if len(word) in (4, 5) and word[1].startswith('MPI_') and only in (None, word[1]):
        planted[int(word[0]), word[1]] = int(word[2]), float(word[4 if metric == 'late_complete' else 3])
wants(planted, 'nothing was noted')
for (rank, call), (calls, us) in planted.items():
    path, place = cube.paths.index(call), cube.places.index(f'rank {rank} thread 0')
    found = cube.value[metric][path][place]
    if cube.value['known_waits'][path][place] == 0 and us == 0:
        continue
    wants(found is not None, f'{call} of rank {rank}: {metric} is missing')
    if us > 0 or call not in ('MPI_Send',):
        wants(abs(found / 1e3 - us) <= max(us * .02, 20 * calls) + allowed,
              f'{call} of rank {rank}: {metric} {found / 1e3} us, noted {us}')
print(f'{len(planted)} calls')
