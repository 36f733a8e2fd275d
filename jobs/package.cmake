# Packages: 'cpack' in the build folder makes a .deb and an .rpm, of what can be made here.
# Libraries are found by what the programs are linked with; the program that starts ranks
# is a row of jobs/packages.txt, for Debian and, as elsewhere by its project's name, for RPM.
file(STRINGS ${CMAKE_SOURCE_DIR}/jobs/packages.txt rc_mpirun REGEX "^${rc_mpi} +cmd:mpirun ")
string(REGEX REPLACE "[ \t]+" ";" rc_mpirun "${rc_mpirun}")
list(GET rc_mpirun 2 CPACK_DEBIAN_PACKAGE_DEPENDS)
list(GET rc_mpirun 3 CPACK_RPM_PACKAGE_REQUIRES)

find_program(RC_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(RC_RPMBUILD rpmbuild)
set(CPACK_GENERATOR "")
if(RC_DPKG_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
endif()
if(RC_RPMBUILD)
  list(APPEND CPACK_GENERATOR RPM)
endif()
if(NOT CPACK_GENERATOR)
  set(CPACK_GENERATOR TGZ)
endif()

set(CPACK_PACKAGE_NAME rollcall)
string(REPLACE "-" "." CPACK_PACKAGE_VERSION "${RC_VERSION}") # '-' begins a revision
set(CPACK_PACKAGE_CONTACT "the authors of rollcall <rollcall@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE BSD-3-Clause)
set(CPACK_RPM_PACKAGE_AUTOREQ ON)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /usr/share/man /usr/share/man/man1 /usr/share/man/man5 /usr/share/doc
    /usr/share/bash-completion /usr/share/bash-completion/completions)
include(CPack)
