# A CMake toolchain file: rollcall for 64-bit ARM, compiled on another machine
# against a directory with that machine's libraries and headers.
#
#   cmake -S . -B build-arm64 -DRC_SYSROOT=DIR \
#         -DCMAKE_TOOLCHAIN_FILE=docs/site/aarch64-linux-gnu.cmake
#
# DIR is laid out as Debian's arm64 is: packages unpacked with 'dpkg -x', or the root
# directory of an installed machine. The compiler is Debian's gcc-aarch64-linux-gnu.
# Open MPI is named here, since its mpicc is a program of the other machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

set(RC_SYSROOT "" CACHE PATH "The root directory of the machine to compile for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RC_SYSROOT)
if(NOT IS_DIRECTORY "${RC_SYSROOT}/usr/include")
  message(FATAL_ERROR "RC_SYSROOT must be a directory that holds usr/include and usr/lib,"
                      " found '${RC_SYSROOT}'")
endif()
set(CMAKE_SYSROOT ${RC_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(rc_lib ${RC_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_LIBDIR}
    "${rc_lib}/pkgconfig:${rc_lib}/openblas-pthread/pkgconfig:${RC_SYSROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${RC_SYSROOT})
# Libraries of libraries, also where no link to them was set up.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-Wl,-rpath-link,${rc_lib}:${RC_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE}:${rc_lib}/openblas-pthread")

set(MPI_SKIP_COMPILER_WRAPPER ON)
