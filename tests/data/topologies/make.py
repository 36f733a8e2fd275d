#!/usr/bin/env python3
"""Writes the constructed topologies of this folder as hwloc 2 XML.

They are built from what is published of these machines, not recorded on them.
"""
import os
import sys
from xml.sax.saxutils import quoteattr

HERE = os.path.dirname(os.path.abspath(__file__))
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def bits(numbers):
    """A set as hwloc writes it: words of 32 bits, the highest first."""
    value = sum(1 << n for n in set(numbers))
    words = []
    while True:
        words.append("0x%08x" % (value & 0xFFFFFFFF))
        value >>= 32
        if not value:
            return ",".join(reversed(words))


class Obj:
    def __init__(self, type_, index=None, children=(), memory=(), infos=(), **attrs):
        self.type, self.index, self.attrs = type_, index, attrs
        self.children, self.memory = list(children), list(memory)
        self.infos = list(infos)

    def cpus(self):
        if self.type == "PU":
            return {self.index}
        return set().union(*[c.cpus() for c in self.children])

    def nodes_below(self):
        own = {m.index for m in self.memory}
        return own.union(*[c.nodes_below() for c in self.children])


def put(out, obj, above, depth, cpus=None, extra=""):
    """'above' are the NUMA nodes that hang on what holds this object."""
    if cpus is None:
        cpus = obj.cpus()
    nodes = {obj.index} if obj.type == "NUMANode" else above | obj.nodes_below()
    put.gp += 1
    index = "" if obj.index is None else ' os_index="%d"' % obj.index
    attrs = "".join(' %s="%s"' % a for a in obj.attrs.items())
    pad = " " * depth
    out.append('%s<object type="%s"%s cpuset="%s" complete_cpuset="%s" nodeset="%s" '
               'complete_nodeset="%s"%s gp_index="%d"%s>' %
               (pad, obj.type, index, bits(cpus), bits(cpus), bits(nodes), bits(nodes),
                extra, put.gp, attrs))
    for name, value in obj.infos:
        out.append("%s <info name=%s value=%s/>" % (pad, quoteattr(name), quoteattr(value)))
    if obj.type == "NUMANode":
        for size in obj.pages:
            out.append('%s <page_type size="%d" count="0"/>' % (pad, size))
    below = above | {m.index for m in obj.memory}
    for m in obj.memory:
        put(out, m, below, depth + 1, cpus if m.local else set())
    for c in obj.children:
        put(out, c, below, depth + 1)
    out.append(pad + "</object>")


def write(name, machine, kinds=(), allowed=None):
    put.gp = 0
    cpus, nodes = machine.cpus(), machine.nodes_below()
    extra = ' allowed_cpuset="%s" allowed_nodeset="%s"' % (
        bits(cpus if allowed is None else allowed), bits(nodes))
    out = ['<?xml version="1.0" encoding="UTF-8"?>',
           '<!DOCTYPE topology SYSTEM "hwloc2.dtd">', '<topology version="2.0">']
    put(out, machine, set(), 1, extra=extra)
    for cpuset, infos in kinds:
        out.append(' <cpukind cpuset="%s">' % bits(cpuset))
        for info in infos:
            out.append('  <info name="%s" value="%s"/>' % info)
        out.append(" </cpukind>")
    out.append("</topology>")
    with open(os.path.join(HERE, name), "w") as file:
        file.write("\n".join(out) + "\n")


def numa(index, size, pages=(4 * KIB, 2 * MIB, GIB), local=True):
    node = Obj("NUMANode", index, local_memory=size)
    node.pages, node.local = pages, local
    return node


def cache(kind, size, ways, line, children, level, form=0):
    return Obj(kind, None, children, cache_size=size, depth=level, cache_linesize=line,
               cache_associativity=ways, cache_type=form)


def core(index, pus):
    return Obj("Core", index, [Obj("PU", p) for p in pus])


def l1(d, dways, i, iways, line, inner):
    return cache("L1Cache", d, dways, line,
                 [cache("L1iCache", i, iways, line, [inner], 1, 2)], 1, 1)


def x86(vendor, family, model, name, stepping):
    return [("CPUVendor", vendor), ("CPUFamilyNumber", str(family)),
            ("CPUModelNumber", str(model)), ("CPUModel", name),
            ("CPUStepping", str(stepping))]


def machine(children, memory=(), arch="x86_64", infos=()):
    return Obj("Machine", 0, children, memory,
               [("Backend", "Linux"), ("OSName", "Linux"), ("Architecture", arch)] +
               list(infos))


def spr():
    """2 x Xeon Platinum 8480+: 56 cores, SMT 2, four sub-NUMA clusters a socket.
    hwloc puts the L3 above the clusters.
    """
    cpu = x86("GenuineIntel", 6, 143, "Intel(R) Xeon(R) Platinum 8480+", 8)
    packages = []
    for p in range(2):
        clusters = []
        for n in range(4):
            cores = []
            for c in range(14):
                first = p * 56 + n * 14 + c
                cores.append(cache("L2Cache", 2 * MIB, 16, 64,
                                   [l1(48 * KIB, 12, 32 * KIB, 8, 64,
                                       core(n * 14 + c, (first, first + 112)))], 2))
            clusters.append(Obj("Group", None, cores, [numa(p * 4 + n, 64 * GIB)],
                                kind="1001", subkind="0"))
        packages.append(Obj("Package", p, [cache("L3Cache", 105 * MIB, 15, 64, clusters, 3)],
                            infos=cpu))
    return machine(packages)


def epyc(stepping=1):
    """2 x EPYC 7713: 64 cores, eight L3 of 32 MiB a socket, SMT off, NPS1."""
    cpu = x86("AuthenticAMD", 25, 1, "AMD EPYC 7713 64-Core Processor                ",
              stepping)
    packages = []
    for p in range(2):
        l3s = []
        for l in range(8):
            cores = []
            for c in range(8):
                i = l * 8 + c
                cores.append(cache("L2Cache", 512 * KIB, 8, 64,
                                   [l1(32 * KIB, 8, 32 * KIB, 8, 64,
                                       core(i, (p * 64 + i,)))], 2))
            l3s.append(cache("L3Cache", 32 * MIB, 16, 64, cores, 3))
        packages.append(Obj("Package", p, l3s, [numa(p, 256 * GIB)], infos=cpu))
    return machine(packages)


def summit(off=(11, 11)):
    """AC922: 2 x POWER9, 22 cores in use, SMT 4, L2 and L3 for pairs of cores,
    and the memories of six GPUs as NUMA nodes without CPUs.  'off' is the pair
    that is switched off on each socket.
    """
    pages = (64 * KIB, 2 * MIB, GIB)
    packages = []
    for p in range(2):
        pairs = []
        for pair in range(12):
            if pair == off[p]:
                continue
            cores = []
            for c in (2 * pair, 2 * pair + 1):
                thread = (p * 24 + c) * 4
                cores.append(l1(32 * KIB, 0, 32 * KIB, 0, 128,
                                core(p * 2048 + c * 4, range(thread, thread + 4))))
            pairs.append(cache("L3Cache", 10 * MIB, 20, 128,
                               [cache("L2Cache", 512 * KIB, 8, 128, cores, 2)], 3))
        packages.append(Obj("Package", p * 8, pairs, [numa(p * 8, 256 * GIB, pages)],
                            infos=[("CPUModel", "POWER9, altivec supported"),
                                   ("CPURevision", "2.1 (pvr 004e 1201)")]))
    gpus = [numa(255 - g, 16 * GIB, pages, False) for g in range(6)]
    return machine(packages, gpus, "ppc64le",
                   [("PlatformName", "PowerNV"), ("PlatformModel", "PowerNV 8335-GTX")])


def hybrid():
    """Core i7-1260P: 4 P-cores with SMT 2, 8 E-cores in clusters of 4."""
    cpu = x86("GenuineIntel", 6, 154, "12th Gen Intel(R) Core(TM) i7-1260P", 3)
    parts = [cache("L2Cache", 1280 * KIB, 10, 64,
                   [l1(48 * KIB, 12, 32 * KIB, 8, 64, core(4 * c, (2 * c, 2 * c + 1)))], 2)
             for c in range(4)]
    for cluster in range(2):
        first = 8 + 4 * cluster
        parts.append(cache("L2Cache", 2 * MIB, 16, 64,
                           [l1(32 * KIB, 8, 64 * KIB, 8, 64, core(8 + first + i, (first + i,)))
                            for i in range(4)], 2))
    package = Obj("Package", 0, [cache("L3Cache", 18 * MIB, 12, 64, parts, 3)],
                  [numa(0, 16 * GIB)], cpu)
    kinds = [(range(8, 16), [("CoreType", "IntelAtom"), ("FrequencyMaxMHz", "3400")]),
             (range(0, 6), [("CoreType", "IntelCore"), ("FrequencyMaxMHz", "4700")]),
             (range(6, 8), [("CoreType", "IntelCore"), ("FrequencyMaxMHz", "4600")])]
    return machine([package]), kinds


def gaps():
    """A small machine with CPUs 1, 4 and 5 offline, a high-bandwidth memory
    beside the ordinary one, and no caches.
    """
    cores = [core(c, pus) for c, pus in enumerate(((0,), (2, 3), (6, 7)))]
    return machine([Obj("Package", 0, cores, [numa(0, 8 * GIB), numa(1, 4 * GIB)],
                        x86("GenuineIntel", 6, 87, "Intel(R) Xeon Phi(TM) CPU 7210", 1))])


def main():
    write("spr-snc4.xml", spr())
    write("epyc-7713.xml", epyc())
    write("epyc-7713-stepping0.xml", epyc(0))
    write("epyc-7713-container.xml", epyc(), allowed={5})
    write("summit.xml", summit())
    write("summit-other-cores.xml", summit((3, 7)))
    machine_, kinds = hybrid()
    write("hybrid.xml", machine_, kinds)
    write("gaps-hbm.xml", gaps())
    return 0


sys.exit(main())
