# berth_jobserver_program(): berth-jobserver, which `berth jobserver` becomes. It is linked with
# libfuse3, and left out where that is not installed; berth run --jobserver needs nothing of it.
function(berth_jobserver_program)
  pkg_check_modules(FUSE3 IMPORTED_TARGET fuse3>=3.10)
  if(NOT FUSE3_FOUND)
    message(STATUS "libfuse3 is not installed: berth jobserver is left out")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/jobserver/*.c")
  add_executable(berth-jobserver ${sources})
  target_compile_options(berth-jobserver PRIVATE ${BERTH_WARNINGS})
  target_link_libraries(berth-jobserver PRIVATE berth_top_view berth_jobserver berth_pool berth_store
    berth_protocol berth_step berth_check berth_os PkgConfig::FUSE3 Threads::Threads)
  add_dependencies(berth berth-jobserver)
  set_target_properties(berth-jobserver PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  install(TARGETS berth-jobserver RUNTIME DESTINATION "${BERTH_PROGRAMS_DIR}")
endfunction()
