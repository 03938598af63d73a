# berth_lab(source...): berth-lab, the command's twin that has the laboratory and loads protocol files of
# the user's, and the headers that such a file is compiled with. It is linked dynamically; what a loaded
# file calls, it finds in the program.
function(berth_lab)
  add_executable(berth-lab ${ARGN})
  berth_dynamic_program(berth-lab)
  target_compile_definitions(berth-lab PRIVATE BERTH_LAB)
  target_compile_options(berth-lab PRIVATE ${BERTH_WARNINGS})
  target_link_libraries(berth-lab PRIVATE berth_cli PkgConfig::JANSSON ${CMAKE_DL_LIBS})
  set_target_properties(berth-lab PROPERTIES ENABLE_EXPORTS ON
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  install(TARGETS berth-lab RUNTIME DESTINATION "${BERTH_PROGRAMS_DIR}")

  # A protocol file includes "step/step.h" and "step/end.h"; the rest is what these include. In the
  # build tree they lie where they do relative to the command when they are installed.
  file(GLOB step_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/step/*.h")
  set(headers ${step_headers} "${PROJECT_SOURCE_DIR}/src/check/model.h"
    "${PROJECT_SOURCE_DIR}/src/check/property.h" "${PROJECT_SOURCE_DIR}/src/check/breaks.h"
    "${PROJECT_SOURCE_DIR}/src/check/symmetry.h" "${PROJECT_SOURCE_DIR}/src/os/backoff.h")
  # And what `berth prove` reads such a file as rules with, by a C++ compiler.
  file(GLOB rules_parts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/step/*.hh" "${PROJECT_SOURCE_DIR}/src/step/*.cc")
  list(APPEND headers ${rules_parts})
  set(copies)
  foreach(header IN LISTS headers)
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/src" "${header}")
    get_filename_component(folder "${name}" DIRECTORY)
    set(copy "${PROJECT_BINARY_DIR}/share/berth/include/${name}")
    add_custom_command(OUTPUT "${copy}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${header}" "${copy}" DEPENDS "${header}" VERBATIM
      COMMENT "Copying ${name}")
    list(APPEND copies "${copy}")
    install(FILES "${header}" DESTINATION "${BERTH_DATA_DIR}/include/${folder}")
  endforeach()
  set(script "${PROJECT_BINARY_DIR}/share/berth/rules")
  add_custom_command(OUTPUT "${script}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${PROJECT_SOURCE_DIR}/tools/rules" "${script}"
    DEPENDS "${PROJECT_SOURCE_DIR}/tools/rules" VERBATIM COMMENT "Copying rules")
  list(APPEND copies "${script}")
  install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/rules" DESTINATION "${BERTH_DATA_DIR}")
  add_custom_target(berth_lab_headers ALL DEPENDS ${copies})
  add_dependencies(berth-lab berth_lab_headers)
endfunction()
