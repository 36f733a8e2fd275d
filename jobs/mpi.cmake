# Finds MPI by its compiler, and keeps all libraries to that one MPI.
#   rc_mpi  openmpi, or mpich, which stands for its kin as well: Intel's, Cray's, MVAPICH
find_package(MPI COMPONENTS C)

# The launcher that belongs to a compiler is beside it: mpicc.mpich, mpiexec.mpich.
string(REGEX REPLACE "mpicc([^/]*)$" "mpiexec\\1" rc_mpiexec "${MPI_C_COMPILER}")
if(EXISTS "${rc_mpiexec}" AND NOT rc_mpiexec STREQUAL MPI_C_COMPILER)
  set(MPIEXEC_EXECUTABLE ${rc_mpiexec} CACHE FILEPATH "Launcher of MPI programs" FORCE)
endif()

list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE rc_includes)
execute_process(COMMAND ${CMAKE_C_COMPILER} ${rc_includes} -E -dM -include mpi.h -x c /dev/null
                OUTPUT_VARIABLE rc_macros ERROR_QUIET)
if(rc_macros MATCHES "#define OPEN_MPI " OR NOT MPI_C_FOUND)
  set(rc_mpi openmpi)
  set(rc_other_mpi mpich)
else()
  set(rc_mpi mpich)
  set(rc_other_mpi openmpi)
endif()
unset(rc_macros)

# Debian's ScaLAPACK, of either MPI, requires 'mpi', which is the default MPI's: here it is the
# compiler's, which is linked anyway.
file(WRITE ${CMAKE_BINARY_DIR}/pkgconfig/mpi.pc
     "Name: mpi\nDescription: the compiler's\nVersion: 3.0\n")
set(ENV{PKG_CONFIG_PATH} "${CMAKE_BINARY_DIR}/pkgconfig:$ENV{PKG_CONFIG_PATH}")

# rc_find_linked(NAME): a library that the compiler links itself, as Cray's do, without a
# module of pkg-config.
include(CheckFunctionExists)
function(rc_find_linked name)
  set(hdf5 H5Pset_fapl_mpio)
  set(scalapack pdgemr2d_)
  set(openblas dgemm_)
  if(NOT name MATCHES "^(hdf5|scalapack|openblas)$")
    return()
  endif()
  unset(RC_LINKED_${name} CACHE)
  set(CMAKE_REQUIRED_QUIET ON)
  check_function_exists(${${name}} RC_LINKED_${name})
  if(RC_LINKED_${name})
    add_library(PkgConfig::${name} INTERFACE IMPORTED GLOBAL)
    set(${name}_FOUND TRUE PARENT_SCOPE)
  endif()
endfunction()

# rc_needed_mpi(FILE OUT): the MPI libraries that a program or library says it needs.
function(rc_needed_mpi file out)
  execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCHALL "\\[libmpi(ch)?[_a-z0-9]*[.]so[.][0-9]+\\]" needed "${said}")
  list(FILTER needed EXCLUDE REGEX "libmpi(ch)?(_cxx|cxx|_mpifh|fort|_use)")
  set(${out} "${needed}" PARENT_SCOPE)
endfunction()

# rc_name_mpi(NEEDED OUT): the MPI of such a library, in words.
function(rc_name_mpi needed out)
  string(REGEX REPLACE "[][]" "" needed "${needed}")
  if(needed MATCHES "[.]so[.][2-9][0-9]")
    set(${out} "Open MPI (${needed})" PARENT_SCOPE)
  else()
    set(${out} "MPICH or its kin (${needed})" PARENT_SCOPE)
  endif()
endfunction()

set(rc_mpi_needed "")
if(MPI_C_FOUND)
  file(WRITE ${CMAKE_BINARY_DIR}/mpi.c "#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n")
  try_compile(RC_MPI_LINKS ${CMAKE_BINARY_DIR}/mpi ${CMAKE_BINARY_DIR}/mpi.c
              LINK_LIBRARIES MPI::MPI_C COPY_FILE ${CMAKE_BINARY_DIR}/mpi/linked)
  rc_needed_mpi(${CMAKE_BINARY_DIR}/mpi/linked rc_mpi_needed)
endif()

# rc_of_other_mpi(FILE OUT): the MPI that a library needs and programs of the compiler's MPI
# do not, in words; empty: none.
function(rc_of_other_mpi file out)
  rc_needed_mpi("${file}" needed)
  list(REMOVE_ITEM needed ${rc_mpi_needed})
  set(${out} "" PARENT_SCOPE)
  if(needed AND rc_mpi_needed)
    rc_name_mpi("${needed}" ${out})
    set(${out} "${${out}}" PARENT_SCOPE)
  endif()
endfunction()

# rc_one_mpi(NAME...): stops where one of these libraries was built with another MPI; the package
# of Debian that has the right one is rc_debian_NAME.
function(rc_one_mpi)
  set(wrong "")
  set(debian "")
  foreach(name IN LISTS ARGN)
    foreach(file IN LISTS ${name}_LINK_LIBRARIES)
      rc_of_other_mpi("${file}" other)
      if(other)
        string(APPEND wrong "    ${file}: ${other}\n")
        list(APPEND debian ${rc_debian_${name}})
      endif()
    endforeach()
  endforeach()
  if(wrong)
    rc_name_mpi("${rc_mpi_needed}" mine)
    list(REMOVE_DUPLICATES debian)
    list(JOIN debian " " debian)
    message(FATAL_ERROR "rollcall: libraries of two MPIs, which no program can use at once:\n"
                        "    ${MPI_C_COMPILER}: ${mine}\n${wrong}"
                        "  Debian, Ubuntu:  apt-get install ${debian}\n"
                        "  or name in PKG_CONFIG_PATH where libraries of the compiler's MPI are\n"
                        "  or set MPI_C_COMPILER to the compiler of the libraries' MPI")
  endif()
endfunction()
