# rc_data(NAME FILES...): data files that rollcall finds at run time as
# rc_data_find("NAME", ...).  Installed, and linked into the build where programs
# that run from there look for them.
set(RC_DATA_BUILT ${CMAKE_BINARY_DIR}/share/rollcall)
set(RC_DATA_INSTALLED ${CMAKE_INSTALL_FULL_DATADIR}/rollcall)
function(rc_data name)
  file(MAKE_DIRECTORY ${RC_DATA_BUILT}/${name})
  foreach(path IN LISTS ARGN)
    get_filename_component(file ${path} NAME)
    get_filename_component(path ${path} ABSOLUTE)
    file(CREATE_LINK ${path} ${RC_DATA_BUILT}/${name}/${file} SYMBOLIC)
    install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DATADIR}/rollcall/${name})
  endforeach()
endfunction()
