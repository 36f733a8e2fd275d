"""trees_check.py FILE.cubex TREES.json: trees of times and efficiencies against the numbers of the cube."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
arguments = sys.argv[1:]
from cubex_check import Cube, wants  # noqa: E402

cube = Cube(arguments[0])
node = {row['node']: row for row in json.load(open(arguments[1]))['trees']}
places = range(len(cube.places))


def of(name, place):
    return sum(cube.value[name][p][place] or 0 for p in range(len(cube.paths))) / 1e9


def same(name, expected):
    wants(name in node, f'no node {name}')
    found = node[name]['value']
    wants(abs(found - expected) <= 1e-12 * max(abs(expected), 1), f'{name}: {found}, the cube has {expected}')


# Time without computing: calls, waiting of teams, what the profile took, threads that nobody has work for.
APART = ('mpi', 'openmp', 'overhead', 'idle_threads')
# Each part of MPI, and what lacks of its parts is the rest.
for name, metric in (('TIME', 'time'), ('EXECUTION', 'execution'), ('MPI', 'mpi'), ('WAIT_AT_BARRIER', 'wait_at_barrier'),
                     ('MPI_SYNCHRONIZATION', 'mpi_synchronization'), ('MPI_COMMUNICATION', 'mpi_communication'),
                     ('LATE_SENDER', 'late_sender'), ('OPENMP', 'openmp'), ('OVERHEAD', 'overhead'),
                     ('IDLE_THREADS', 'idle_threads')):
    same(name, sum(of(metric, l) for l in places))
same('rest of EXECUTION', sum(of('execution', l) - of('mpi', l) - of('openmp', l) for l in places))
parts = sum(node[n]['value'] for n in ('EXECUTION', 'OVERHEAD', 'IDLE_THREADS'))
wants(abs(parts - node['TIME']['value']) < 1e-9, 'the parts of TIME are not all of it')
wants(0 < node['OVERHEAD']['value'] < 0.2 * node['TIME']['value'], 'OVERHEAD is what no profile takes')
wants(node['WAIT_AT_BARRIER']['value'] > 0.1, 'the others did not wait for the late rank')
wants(node['WAIT_AT_BARRIER']['parent'] == 'MPI_SYNCHRONIZATION', 'the barrier is elsewhere')

WAITS = ('wait_at_barrier', 'late_sender', 'late_receiver', 'early_reduce', 'early_scan', 'late_broadcast', 'wait_at_nxn',
         'wait_at_fence', 'late_post', 'early_wait')
computing = [of('time', l) - sum(of(x, l) for x in APART) for l in places]
ideal = [computing[l] + of('openmp', l) + sum(of(w, l) for w in WAITS) for l in places]
time = max(of('time', l) for l in places)
same('LOAD_BALANCE', sum(computing) / len(computing) / max(computing))
same('SERIALISATION', max(computing) / max(ideal))
same('TRANSFER', max(ideal) / time)
same('COMMUNICATION_EFFICIENCY', max(computing) / time)
same('PARALLEL_EFFICIENCY', sum(computing) / len(computing) / time)
# Imbalance: path by path, of those who visit it.
above = below = single = 0
for p in range(len(cube.paths)):
    visitors = [l for l in places if (cube.value['visits'][p][l] or 0) > 0]
    t = [(cube.value['time'][p][l] or 0) - sum(cube.value[x][p][l] or 0 for x in APART) for l in visitors]
    above += sum(max(0, x - sum(t) / len(t)) for x in t) / 1e9
    below += sum(max(0, sum(t) / len(t) - x) for x in t) / 1e9
    single += sum(t) / 1e9 if len(t) == 1 else 0
same('IMBALANCE_ABOVE', above)
same('IMBALANCE_BELOW', below)
same('SINGLE_PARTICIPANT', single)
same('LOAD_IMBALANCE', above + below)
wants(above > 0.05, 'one rank computes more than the others, and nothing is above the mean')
calls = [(path.split(';')[-1], sum(cube.value['visits'][p][l] or 0 for l in places))
         for p, path in enumerate(cube.paths)]
same('CALLS_SYNCHRONIZATION', sum(n for name, n in calls if name == 'MPI_Barrier'))
same('MPI_CALLS', sum(n for name, n in calls if name.startswith('MPI_')))
wants(0.3 < node['LOAD_BALANCE']['value'] < 0.85, 'one of three ranks computes, it is not so in LOAD_BALANCE')
wants('IPC_SCALING' not in node, 'there is no reference run')
print(len(node), 'nodes')
