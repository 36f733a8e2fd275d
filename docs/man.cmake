# Run at build time: one man page for the program and one for each command.
function(rc_capture file)
  execute_process(COMMAND ${ROLLCALL} ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

get_filename_component(completion_dir ${COMPLETION} DIRECTORY)
file(MAKE_DIRECTORY ${MAN_DIR} ${completion_dir})
rc_capture(${MAN_DIR}/rollcall.1 help --format man)
rc_capture(${COMPLETION} help --format bash)
execute_process(COMMAND ${ROLLCALL} help --format names OUTPUT_VARIABLE names
                        COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\n" ";" names "${names}")
foreach(name IN LISTS names)
  if(name)
    rc_capture(${MAN_DIR}/rollcall-${name}.1 help --format man ${name})
  endif()
endforeach()
