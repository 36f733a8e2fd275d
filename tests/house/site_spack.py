"""Usage: site_spack.py TREE.  Whether docs/site/package.py says what jobs/packages.txt and
CMakeLists.txt say.  Spack itself is not needed: its directives are recorded."""
import pathlib
import py_compile
import re
import runpy
import sys
import tempfile
import types

tree = pathlib.Path(sys.argv[1])
recipe = tree / "docs/site/package.py"

# Packages with another name in Spack: it has virtual packages where Debian has one.
VIRTUAL = {"gcc": "c", "openmpi": "mpi", "mpich": "mpi"}


def name_of(spec):
    return re.match(r"[a-z0-9-]+", spec).group()


def rows(wanted):
    for line in (tree / "jobs/packages.txt").read_text().splitlines():
        fields = line.split()
        if fields and fields[0] == wanted:
            yield fields[1], VIRTUAL.get(fields[3], fields[3])


def load(with_repo):
    """Runs the recipe as Spack 1.0 does, or as those before it; what it said, and its class."""
    said = []
    package = types.ModuleType("spack.package")
    for directive in ("license", "version", "variant", "depends_on", "conflicts"):
        setattr(package, directive,
                lambda *a, directive=directive, **k: said.append((directive, a, k)))

    class CMakePackage:
        def define(self, key, value):
            return (key, value)

        def define_from_variant(self, key, variant):
            return (key, "variant " + variant)

    fake = {"spack": types.ModuleType("spack"), "spack.package": package}
    if with_repo:
        for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems",
                     "spack_repo.builtin.build_systems.cmake"):
            fake[name] = types.ModuleType(name)
        fake["spack_repo.builtin.build_systems.cmake"].CMakePackage = CMakePackage
    else:
        package.CMakePackage = CMakePackage
    sys.modules.update(fake)
    try:
        return said, runpy.run_path(str(recipe))["Rollcall"]
    finally:
        for name in fake:
            del sys.modules[name]


failed = 0


def check(what, found, expected):
    global failed
    if found != expected:
        failed += 1
        print(f"{recipe}: {what}: found {found!r}, expected {expected!r}", file=sys.stderr)


def depends(said):
    return [(a[0], k) for directive, a, k in said if directive == "depends_on"]


with tempfile.TemporaryDirectory() as scratch:
    py_compile.compile(str(recipe), cfile=scratch + "/package.pyc", doraise=True)

for with_repo in (True, False):
    said, recipe_class = load(with_repo)
    wanted = dict(build=list(rows("build")) + list(rows("openmpi")), option=list(rows("option")))
    check("there are rows to compare with", bool(wanted["build"] and wanted["option"]), True)

    check("what either MPI needs", {s for _, s in rows("mpich")}, {s for _, s in rows("openmpi")})
    always = [(s, k) for s, k in depends(said) if "when" not in k]
    check("what is always needed", sorted(name_of(s) for s, _ in always),
          sorted({name_of(s) for _, s in wanted["build"]}))
    for _, spec in wanted["build"]:
        variants = spec[len(name_of(spec)):]
        ours = next((s for s, _ in always if name_of(s) == name_of(spec)), "")
        check(f"the variants of {spec}", variants in ours, True)

    sometimes = {s: k["when"] for s, k in depends(said) if "when" in k}
    check("what is optional", sometimes, {s: "+" + s for _, s in wanted["option"]})
    check("the variants", sorted(a[0] for d, a, _ in said if d == "variant"),
          sorted(s for _, s in wanted["option"]))

    # Libraries are linked with, programs are not.
    types_of = {name_of(s): k.get("type") for s, k in depends(said)}
    for kind, spec in wanted["build"]:
        if not kind.startswith("cmd:"):
            check(f"{spec} is linked with", types_of.get(name_of(spec)), None)

    top = (tree / "CMakeLists.txt").read_text()
    check("the version", [a[0] for d, a, _ in said if d == "version"],
          [re.search(r"project\(rollcall VERSION ([0-9.]+)", top).group(1)])
    check("the oldest CMake", "cmake@%s:" % re.search(r"VERSION ([0-9.]+)\)", top).group(1) in
          [s for s, _ in always], True)
    check("the license", [a for d, a, _ in said if d == "license"], [("BSD-3-Clause",)])
    check("CMake's options are options of CMakeLists.txt",
          recipe_class().cmake_args(), [("BUILD_TESTING", False), ("RC_ZYDIS", "variant zydis"),
                                       ("RC_PCP", "variant pcp"),
                                       ("RC_PFM", "variant libpfm4"), ("RC_DW", "variant elfutils"),
                                       ("RC_OTF2", "variant otf2"),
                                       ("RC_FFTW", "variant fftw")])
    check("there are such options", ["option(" + o in top for o in ("RC_ZYDIS", "RC_PCP", "RC_PFM", "RC_DW", "RC_OTF2", "RC_FFTW")],
          [True] * 6)
    check("no address that is nobody's", recipe_class.git.startswith("file:///path/to/"), True)

sys.exit(1 if failed else 0)
