"""The calls of MPI in a profile of a program of tests/apps are those of the program's laws: whole numbers.

usage: model_apps_check.py CSV RANKS PROGRAM ARGUMENT...

CSV is 'rollcall profile DIR --format csv', or 'rollcall model DIR --predict ... --format csv'.  A law is of the sum over all ranks: calls and bytes of a function of MPI in
a call path; each has one place in the program.
"""
import collections
import csv
import math
import sys


def heat3d(p, nx, ny, nz, steps, px, py, pz):
    cuts = (px - 1) * py * pz + px * (py - 1) * pz + px * py * (pz - 1)
    faces = (px - 1) * ny * nz + nx * (py - 1) * nz + nx * ny * (pz - 1)
    halo = (steps * 2 * cuts, steps * 16 * faces)
    return {('heat;halo', 'MPI_Irecv'): halo,
            ('heat;halo', 'MPI_Isend'): halo,
            ('heat;halo', 'MPI_Waitall'): (steps * p, 0),
            ('heat;total', 'MPI_Allreduce'): (steps * p, 8 * steps * p)}


def cg(p, n, iterations):
    dots = (2 * iterations + 1) * p
    return {('cg;halo', 'MPI_Sendrecv'): (2 * iterations * p, iterations * 16 * n * n * (p - 1)),
            ('cg;dot', 'MPI_Allreduce'): (dots, 8 * dots)}


def summa(p, n):
    given = (p * math.isqrt(p), 8 * n * n)
    return {('summa;rows', 'MPI_Bcast'): given, ('summa;columns', 'MPI_Bcast'): given}


def sample_sort(p, n):
    return {('sort;samples', 'MPI_Allgather'): (p, 8 * p * (p - 1)),
            ('sort;counts', 'MPI_Alltoall'): (p, 4 * p * p),
            ('sort;numbers', 'MPI_Alltoallv'): (p, 8 * n)}


def root(p, n, rounds, _work):
    return {('root;gather', 'MPI_Gather'): (rounds * p, 8 * rounds * n),
            ('root;result', 'MPI_Bcast'): (rounds * p, 8 * rounds)}


def planted_law(p, *words):
    value, laws = {'p': p, 'log2': math.log2}, {}
    for word in words:
        if '=' in word:
            name, number = word.split('=')
            value[name] = float(number)
        elif ':allreduce:' in word:
            region, law = word.split(':allreduce:')
            calls = p * math.floor(eval(law.replace('^', '**'), {}, value))
            laws['planted;' + region, 'MPI_Allreduce'] = (calls, 8 * calls)
    return laws


def hold_predicted(rows, expected):
    """What is wrong with predictions, which are reals: they are held to 1e-12."""
    predicted = {(row['kernel'], row['metric']): row['predicted'] for row in rows}
    for (path, call), law in expected.items():
        for metric, value in zip(('calls', 'bytes'), law):
            is_ = predicted.get((f'{path};{call}', metric), 'nothing')
            if is_ in ('nothing', '') or abs(float(is_) - value) > 1e-12 * value:
                yield f'{metric} of {call} in {path}: {is_} predicted, expected {value}'


def hold_profile(rows, ranks, expected):
    """What is wrong with the rows of a profile."""
    found, sites, who = collections.Counter(), collections.defaultdict(set), set()
    for row in rows:
        if row['sort'] != 'call':
            continue
        who.add(row['rank'])
        if row['path'] or row['name'] in ('MPI_Init', 'MPI_Finalize'):
            key = row['path'], row['name']
            found[key, 0] += int(row['count'])
            found[key, 1] += int(row['bytes'])
            sites[key].add(row['site'])
    for name in ('MPI_Init', 'MPI_Finalize'):
        expected['', name] = (ranks, 0)
    for key in sorted(expected.keys() | sites.keys()):
        law, is_ = expected.get(key, (0, 0)), (found[key, 0], found[key, 1])
        if law != is_:
            yield f'{key[1]} in {key[0]}: {is_[0]} calls with {is_[1]} bytes, expected {law[0]} and {law[1]}'
        if len(sites[key]) > 1:
            yield f'{key[1]} in {key[0]}: called from {sorted(sites[key])}, expected one place'
    if len(who) != ranks:
        yield f'{len(who)} ranks, expected {ranks}'


def main(path, ranks, program, *words):
    program, ranks = globals()[program], int(ranks)
    if program is not planted_law:
        words = map(int, words)
    expected = {key: law for key, law in program(ranks, *words).items() if law[0]}
    with open(path, encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    predicted = bool(rows) and 'predicted' in rows[0]
    wrong = list(hold_predicted(rows, expected) if predicted else hold_profile(rows, ranks, expected))
    print('\n'.join(wrong), file=sys.stderr, end='\n' if wrong else '')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
