# berth_programs(): the command and its twins, from the same sources. Those files of cli/ that are the same
# in all of them are compiled once, into an archive, and a program takes from it what it calls: the
# command and berth-etcd have elsewhere.c in the place of the laboratory, and so nothing of the checker.
function(berth_programs)
  set(own main.c twin.c own_file.c own_guard.c bench_etcd.c) # in each of them, by its definitions
  list(TRANSFORM own PREPEND "${PROJECT_SOURCE_DIR}/cli/")
  set(elsewhere "${PROJECT_SOURCE_DIR}/cli/elsewhere.c")
  file(GLOB shared CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c")
  list(REMOVE_ITEM shared ${own} "${elsewhere}")
  file(GLOB page_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/share/page/*")
  berth_embed(NAME page_files HEADER page.h OUTPUT page FILES ${page_files})
  berth_embed(NAME new_files HEADER new.h OUTPUT new FILES "${PROJECT_SOURCE_DIR}/share/new/lock.c")

  add_library(berth_cli STATIC ${shared} "${page}" "${new}")
  target_include_directories(berth_cli PUBLIC
    "${PROJECT_SOURCE_DIR}/cli" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_include_directories(berth_cli SYSTEM PUBLIC ${JANSSON_INCLUDE_DIRS})
  target_compile_options(berth_cli PRIVATE ${BERTH_WARNINGS})
  target_link_libraries(berth_cli PUBLIC ${BERTH_LAYERS} berth_places Threads::Threads)

  add_executable(berth ${own} "${elsewhere}")
  target_compile_options(berth PRIVATE ${BERTH_WARNINGS})
  target_link_libraries(berth PRIVATE berth_cli)
  berth_command(berth)
  set_target_properties(berth PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  install(TARGETS berth RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

  berth_lab(${own})
  add_dependencies(berth berth-lab) # the target berth stands for all of its commands
  if(BERTH_HAS_ETCD)
    berth_etcd_twin(${own} "${elsewhere}")
  endif()
  berth_top()
endfunction()
