# rollcall for Spack.  The project has no public address, so Spack builds a checkout of yours:
#
#     spack repo create ~/site site                 # once: a repository of your own; its
#     spack repo add ~/site                         # messages say where packages/ lies in it
#     cp docs/site/package.py .../packages/rollcall/package.py
#     cd CHECKOUT && spack dev-build rollcall@0.1.0
#
# 'spack install rollcall' works once 'git' below names a clone that Spack can reach.
# Dependencies are those of jobs/packages.txt, kept so by tests/house/site_spack.py.
from spack.package import *

try:  # Spack 1.0 and later
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before, it came with spack.package
    pass


class Rollcall(CMakePackage):
    """Calls the roll of the hardware events of whole machines: counts every event over
    kernels whose work is known, and derives what each event measures and which
    combinations of events make metrics."""

    git = "file:///path/to/a/clone/of/rollcall"  # a placeholder: see above

    license("BSD-3-Clause")

    version("0.1.0", branch="main")

    # The first two are off, because Spack's own repository has no recipes for them that
    # we know of.
    variant("zydis", default=False, description="The instruction-exact source 'soft' (x86-64)")
    variant("pcp", default=False, description="The source 'pcp' (Performance Co-Pilot)")
    variant("otf2", default=False, description="Exports of profiles to OTF2")
    variant("fftw", default=True, description="The program rollcall-fft3d, which FFTW puts under the GPL")
    variant("elfutils", default=True, description="Names of functions in profiles")
    variant("libpfm4", default=True, description="Events of the processor for 'profile -e'")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconf", type="build")
    depends_on("git", type="build")
    depends_on("mpi")
    depends_on("papi")
    depends_on("hdf5+mpi")
    depends_on("netlib-scalapack")
    depends_on("openblas")
    depends_on("hwloc")
    depends_on("libcyaml")
    depends_on("libyaml")
    depends_on("expat")
    depends_on("jansson")
    depends_on("zlib")
    depends_on("zydis", when="+zydis")
    depends_on("pcp", when="+pcp")
    depends_on("libpfm4", when="+libpfm4")
    depends_on("elfutils", when="+elfutils")
    depends_on("otf2", when="+otf2")
    depends_on("fftw", when="+fftw")

    conflicts("+zydis", when="target=aarch64:", msg="the source 'soft' is for x86-64")
    conflicts("+zydis", when="target=ppc64le:", msg="the source 'soft' is for x86-64")

    sanity_check_is_file = ["bin/rollcall", "share/man/man1/rollcall.1"]

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("RC_ZYDIS", "zydis"),
            self.define_from_variant("RC_PCP", "pcp"),
            self.define_from_variant("RC_PFM", "libpfm4"),
            self.define_from_variant("RC_DW", "elfutils"),
            self.define_from_variant("RC_OTF2", "otf2"),
            self.define_from_variant("RC_FFTW", "fftw"),
        ]
