# berth_rules(): the protocols with a PROOF section, read as rules at build time and compiled into
# berth_prove. That takes a C++ compiler; without one, `berth prove` knows no rules, and says so.
function(berth_rules)
  find_program(BERTH_CXX NAMES g++ c++)
  mark_as_advanced(BERTH_CXX)
  file(GLOB algorithms CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/protocol/*/*.c")
  # Any of these can change what is read, and whether it is.
  file(GLOB parts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/protocol/*/*.inc"
    "${PROJECT_SOURCE_DIR}/src/protocol/*/*.h" "${PROJECT_SOURCE_DIR}/src/step/*.h"
    "${PROJECT_SOURCE_DIR}/src/step/*.hh" "${PROJECT_SOURCE_DIR}/src/step/*.cc"
    "${PROJECT_SOURCE_DIR}/src/check/model.h")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${algorithms})
  if(NOT BERTH_CXX)
    message(STATUS "g++ is missing: no rules for berth prove")
    set(algorithms)
  endif()
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/rules")
  set(made "${PROJECT_BINARY_DIR}/rules/none.rules") # so that there is one
  file(WRITE "${made}" "(none)\n")
  # What depends on no protocol, once for all of them.
  set(common standard.hh word.hh word.cc reading.hh reading.cc)
  list(TRANSFORM common PREPEND "${PROJECT_SOURCE_DIR}/src/step/")
  set(headers "${PROJECT_BINARY_DIR}/rules/step/reading.hh.gch" "${PROJECT_BINARY_DIR}/rules/step/word.o"
    "${PROJECT_BINARY_DIR}/rules/step/reading.o")
  if(BERTH_CXX AND NOT BERTH_PROTOCOLS_OF)
    add_custom_command(OUTPUT ${headers}
      COMMAND "${PROJECT_SOURCE_DIR}/tools/rules" --precompile "${BERTH_CXX}" "${PROJECT_SOURCE_DIR}"
        "${PROJECT_BINARY_DIR}/rules"
      DEPENDS ${common} "${PROJECT_SOURCE_DIR}/tools/rules" VERBATIM
      COMMENT "Compiling what all rules are read with")
  endif()
  foreach(algorithm IN LISTS algorithms)
    file(STRINGS "${algorithm}" proof REGEX "^#define HAS_(MORE_)?PROOF")
    if(NOT proof)
      continue()
    endif()
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/src/protocol" "${algorithm}")
    string(MAKE_C_IDENTIFIER "${name}" name)
    if(BERTH_PROTOCOLS_OF)
      list(APPEND made "${BERTH_PROTOCOLS_OF}/rules/${name}.rules")
      continue()
    endif()
    set(output "${PROJECT_BINARY_DIR}/rules/${name}.rules")
    add_custom_command(OUTPUT "${output}"
      COMMAND "${PROJECT_SOURCE_DIR}/tools/rules" "${BERTH_CXX}" "${PROJECT_SOURCE_DIR}"
        "${algorithm}" "${output}" "${PROJECT_BINARY_DIR}/rules"
      DEPENDS "${algorithm}" ${parts} ${headers} "${PROJECT_SOURCE_DIR}/tools/rules" VERBATIM
      COMMENT "Reading ${name} as rules")
    list(APPEND made "${output}")
  endforeach()
  berth_embed(NAME prove_rules HEADER prove/rules.h OUTPUT embedded FILES ${made})
  target_sources(berth_prove PRIVATE "${embedded}")
endfunction()
