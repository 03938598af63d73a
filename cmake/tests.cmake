# berth_tests_target(name folder): a target that builds everything in the folder and below, which the
# target `all` leaves out.
function(berth_tests_target name folder)
  add_custom_target(${name})
  _berth_tests_below(${name} "${folder}")
endfunction()

function(_berth_tests_below name folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  if(targets)
    add_dependencies(${name} ${targets})
  endif()
  get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS below)
    _berth_tests_below(${name} "${subfolder}")
  endforeach()
endfunction()
