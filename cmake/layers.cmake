# One static library per layer: berth_<name> from src/<name>/*.c. Sources are found, not listed; a
# layer whose folder is missing or has no sources yet is a library without code, so that a target that uses
# it need not know.

# _berth_library(name SOURCES... USES... HEADERS...)
function(_berth_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;HEADERS" ${ARGN})
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    target_compile_options(${name} PRIVATE ${BERTH_WARNINGS})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope}
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  if(arg_HEADERS)
    target_include_directories(${name} SYSTEM ${scope} ${arg_HEADERS})
  endif()
  target_link_libraries(${name} ${scope} ${arg_USES})
endfunction()

# berth_layer(name USES libraries... HEADERS folders of foreign headers...)
function(berth_layer name)
  cmake_parse_arguments(arg "" "" "USES;HEADERS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.c")
  _berth_library(berth_${name} SOURCES ${sources} USES ${arg_USES} HEADERS ${arg_HEADERS})
endfunction()

# A folder of another build, whose protocols are linked instead of compiling them again: both expansions, and
# the rules. They take most of the time of a build; the test `sanitize` uses those of the release build.
set(BERTH_PROTOCOLS_OF "" CACHE PATH "A build folder, to link its protocols")
mark_as_advanced(BERTH_PROTOCOLS_OF)

# _berth_expansion(name objects USES... SOURCES...): the objects of one expansion, which are listed in
# <name>-objects.list of the build folder, or those that another build has listed there.
function(_berth_expansion name objects)
  cmake_parse_arguments(arg "" "" "USES;SOURCES" ${ARGN})
  if(BERTH_PROTOCOLS_OF)
    file(STRINGS "${BERTH_PROTOCOLS_OF}/${name}-objects.list" found)
    set_source_files_properties(${found} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    set(${objects} ${found} PARENT_SCOPE)
    return()
  endif()
  string(TOUPPER "STEP_${name}" definition)
  add_library(protocol_${name} OBJECT ${arg_SOURCES})
  target_compile_definitions(protocol_${name} PRIVATE ${definition})
  target_compile_options(protocol_${name} PRIVATE
    ${BERTH_WARNINGS} ${BERTH_PROTOCOL_WARNINGS}
    # Lines, for a backtrace, and no variables: a third of the time that these take to compile.
    $<$<AND:$<BOOL:${BERTH_DEV}>,$<NOT:$<CONFIG:Debug>>>:-g1>)
  target_include_directories(protocol_${name} PRIVATE
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(protocol_${name} PRIVATE ${arg_USES})
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/${name}-objects.list"
    CONTENT "$<JOIN:$<TARGET_OBJECTS:protocol_${name}>,\n>\n")
  set(${objects} "$<TARGET_OBJECTS:protocol_${name}>" PARENT_SCOPE)
endfunction()

# berth_protocol_layer(USES libraries...): each src/protocol/<paper>/<algorithm>.c is compiled twice,
# once per expansion of the step notation; what lies in src/protocol itself is compiled once.
function(berth_protocol_layer)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/protocol/*.c")
  file(GLOB algorithms CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/protocol/*/*.c")
  if(algorithms)
    foreach(expansion IN ITEMS model native)
      _berth_expansion(${expansion} objects USES ${arg_USES} SOURCES ${algorithms})
      list(APPEND sources ${objects})
    endforeach()
  endif()
  # What the pages of `berth trace` show beside a run.
  file(GLOB texts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/protocol/*/*.c"
    "${PROJECT_SOURCE_DIR}/src/protocol/*/*.h" "${PROJECT_SOURCE_DIR}/src/protocol/*/*.inc"
    "${PROJECT_SOURCE_DIR}/examples/protocol/*.c")
  berth_embed(NAME protocol_sources HEADER protocol/source.h OUTPUT embedded FILES ${texts})
  list(APPEND sources "${embedded}")
  _berth_library(berth_protocol SOURCES ${sources} USES ${arg_USES})
  if(algorithms)
    # The archive may consist of objects only, which name no language.
    set_target_properties(berth_protocol PROPERTIES LINKER_LANGUAGE C)
  endif()
endfunction()
