# berth_top(): what `berth top` is made of. berth_top_view is all of it that knows of no terminal, and
# is tested; the program berth-top adds ncursesw, and is left out where that is not installed.
function(berth_top)
  add_library(berth_top_view STATIC
    cli/top/sample.c cli/top/lines.c cli/top/rows.c cli/top/once.c
    cli/top.c cli/builds.c cli/common.c cli/pool_command.c cli/pool_lines.c cli/lanes.c
    cli/suggest.c cli/where.c cli/declared.c cli/twin.c cli/own_argument.c)
  target_include_directories(berth_top_view PUBLIC
    "${PROJECT_SOURCE_DIR}/cli" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_include_directories(berth_top_view SYSTEM PUBLIC ${JANSSON_INCLUDE_DIRS})
  target_compile_options(berth_top_view PRIVATE ${BERTH_WARNINGS})
  target_link_libraries(berth_top_view PUBLIC berth_pool berth_store berth_protocol berth_step
    berth_check berth_os berth_places)

  pkg_check_modules(NCURSESW IMPORTED_TARGET ncursesw)
  if(NOT NCURSESW_FOUND)
    message(STATUS "ncursesw is not installed: berth top is left out")
    return()
  endif()
  add_executable(berth-top
    cli/top/main.c cli/top/terminal.c cli/top/screen.c cli/top/keys.c)
  berth_dynamic_program(berth-top)
  target_compile_options(berth-top PRIVATE ${BERTH_WARNINGS})
  target_link_libraries(berth-top PRIVATE berth_top_view PkgConfig::NCURSESW)
  add_dependencies(berth berth-top)
  # It loads the etcd store as the guardian does, when there is a pool of its to be looked at.
  if(BERTH_HAS_ETCD)
    target_sources(berth-top PRIVATE src/store/loader/loader.c)
    target_link_libraries(berth-top PRIVATE ${CMAKE_DL_LIBS})
    _berth_etcd_program(berth-top)
    return()
  endif()
  set_target_properties(berth-top PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  install(TARGETS berth-top RUNTIME DESTINATION "${BERTH_PROGRAMS_DIR}")
endfunction()
