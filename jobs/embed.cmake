# rc_embed(TARGET HEADER NAME FILE): the text of a file as 'const char NAME[]' in the
# target, as the header declares it.
# Compilers need not take longer strings than 4095 bytes: it is a list of bytes.
function(rc_embed target header name file)
  get_filename_component(path ${file} ABSOLUTE)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
  file(CONFIGURE OUTPUT ${made} CONTENT
       "#include \"${header}\"\nconst char ${name}[] = {\n@bytes@0};\n" @ONLY)
  target_sources(${target} PRIVATE ${made})
endfunction()
