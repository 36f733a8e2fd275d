# Finds what jobs/packages.txt names, each as a target PkgConfig::<name>.
# Collects all that is missing before it stops, with the packages to install; tests are
# left out where only they lack something.
find_package(PkgConfig REQUIRED)
include(jobs/mpi.cmake) # finds MPI, and says which: rc_mpi

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                       ${CMAKE_SOURCE_DIR}/jobs/packages.txt)
file(STRINGS ${CMAKE_SOURCE_DIR}/jobs/packages.txt rc_rows REGEX "^[a-z]")
set(rc_names "")
set(rc_missing "")
set(rc_untested "")
set(rc_missing_debian "")
set(rc_missing_spack "")
foreach(row IN LISTS rc_rows)
  string(REGEX REPLACE "[ \t]+" ";" row "${row}")
  list(GET row 0 set)
  list(GET row 1 check)
  list(GET row 2 debian)
  list(GET row 3 spack)
  if(set STREQUAL "check" OR NOT check MATCHES "^pkg:(.*)$" OR (set STREQUAL "test"
                                                                AND NOT BUILD_TESTING)
     OR set STREQUAL rc_other_mpi)
    continue()
  endif()
  string(REPLACE "|" ";" modules "${CMAKE_MATCH_1}")
  list(GET modules 0 name)
  string(REGEX REPLACE "-.*$" "" name "${name}") # hdf5-openmpi: hdf5
  pkg_search_module(${name} QUIET IMPORTED_TARGET GLOBAL ${modules})
  if(NOT ${name}_FOUND)
    rc_find_linked(${name})
  endif()
  list(APPEND rc_names ${name})
  set(rc_debian_${name} ${debian})
  if(NOT ${name}_FOUND AND set STREQUAL "test")
    list(APPEND rc_untested "${name} (Debian: ${debian}, Spack: ${spack})")
  elseif(NOT ${name}_FOUND AND NOT set STREQUAL "option")
    list(APPEND rc_missing ${name})
    list(APPEND rc_missing_debian ${debian})
    list(APPEND rc_missing_spack ${spack})
  endif()
endforeach()
if(NOT MPI_C_FOUND)
  list(APPEND rc_missing MPI)
  list(APPEND rc_missing_debian libopenmpi-dev)
  list(APPEND rc_missing_spack openmpi)
endif()
if(rc_missing)
  list(JOIN rc_missing ", " rc_missing)
  list(JOIN rc_missing_debian " " rc_missing_debian)
  list(JOIN rc_missing_spack " " rc_missing_spack)
  message(FATAL_ERROR "rollcall: missing: ${rc_missing}\n"
                      "  Debian, Ubuntu:  apt-get install ${rc_missing_debian}\n"
                      "  Spack:           spack install ${rc_missing_spack}\n"
                      "  or, on Debian:   sh jobs/local.sh, which installs them")
endif()
rc_one_mpi(${rc_names})

if(rc_untested)
  list(JOIN rc_untested ", " rc_untested)
  message(STATUS "rollcall: without tests: not found: ${rc_untested}")
  set(BUILD_TESTING OFF)
endif()

set(RC_HAVE_SOFT OFF)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  message(STATUS "rollcall: ${CMAKE_SYSTEM_PROCESSOR}: without the 'soft' source (x86-64 only)")
elseif(NOT RC_ZYDIS)
  message(STATUS "rollcall: RC_ZYDIS is off: without the 'soft' source")
else()
  find_package(zydis QUIET CONFIG)
  if(zydis_FOUND)
    set(RC_HAVE_SOFT ON)
  else()
    message(STATUS "rollcall: Zydis not found: without the 'soft' source"
                   " (Debian: libzydis-dev, Spack: zydis)")
  endif()
endif()

set(RC_HAVE_PCP OFF)
if(RC_PCP AND libpcp_FOUND)
  set(RC_HAVE_PCP ON)
else()
  message(STATUS "rollcall: without the 'pcp' source: libpcp not found, or RC_PCP is off"
                 " (Debian: libpcp3-dev)")
endif()

set(RC_HAVE_DW OFF)
if(RC_DW AND libdw_FOUND)
  set(RC_HAVE_DW ON)
else()
  message(STATUS "rollcall: functions of a profile have no names: libdw not found, or RC_DW is off"
                 " (Debian: libdw-dev)")
endif()

set(RC_HAVE_PFM OFF)
find_path(RC_PFM_INCLUDE perfmon/pfmlib_perf_event.h)
find_library(RC_PFM_LIBRARY pfm)
if(RC_PFM AND RC_PFM_INCLUDE AND RC_PFM_LIBRARY)
  set(RC_HAVE_PFM ON)
else()
  message(STATUS "rollcall: threads count the kernel's own events only: libpfm4 not found, or RC_PFM"
                 " is off (Debian: libpfm4-dev)")
endif()

set(RC_HAVE_OTF2 OFF)
if(RC_OTF2 AND otf2_FOUND AND otf2_VERSION VERSION_GREATER_EQUAL 3)
  set(RC_HAVE_OTF2 ON)
else()
  message(STATUS "rollcall: without exports to OTF2: its version 3 not found, or RC_OTF2 is off"
                 " (Debian: libopen-trace-format2-dev)")
endif()

set(RC_HAVE_FFTW OFF)
pkg_search_module(fftw3f QUIET IMPORTED_TARGET GLOBAL fftw3f) # its other half
if(RC_FFTW AND fftw3_FOUND AND fftw3f_FOUND)
  set(RC_HAVE_FFTW ON)
else()
  message(STATUS "rollcall: without the program rollcall-fft3d: FFTW not found in double and single"
                 " precision, or RC_FFTW is off (Debian: libfftw3-dev)")
endif()

# The version: what git says where this is a checkout, else the project's.
set(RC_VERSION ${PROJECT_VERSION})
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} describe --tags --match "v[0-9]*" --dirty
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    OUTPUT_VARIABLE rc_described
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE rc_describe_failed)
  if(rc_describe_failed EQUAL 0)
    string(REGEX REPLACE "^v" "" RC_VERSION "${rc_described}")
  else()
    execute_process(
      COMMAND ${GIT_EXECUTABLE} describe --always --dirty
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
      OUTPUT_VARIABLE rc_described
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
      RESULT_VARIABLE rc_describe_failed)
    if(rc_describe_failed EQUAL 0)
      set(RC_VERSION "${PROJECT_VERSION}+${rc_described}")
    endif()
  endif()
endif()
set(RC_VERSION_DATE "")
if(GIT_FOUND AND rc_describe_failed EQUAL 0)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} log -1 --format=%cs
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    OUTPUT_VARIABLE RC_VERSION_DATE
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
message(STATUS "rollcall: version ${RC_VERSION}")
