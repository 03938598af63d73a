# The etcd store: libberth-etcd, which libberth loads when a pool asks for it; berth-guardian; and
# berth-etcd, the command's twin. The command itself is linked statically and can load nothing, so it
# calls its twin: the same sources, linked dynamically, and with the store in it.
option(BERTH_ETCD "Build the etcd store, where what it needs is installed" ON)

# berth_etcd_find(result): whether it can be built.
function(berth_etcd_find result)
  set(${result} OFF PARENT_SCOPE)
  if(NOT BERTH_ETCD)
    return()
  endif()
  pkg_check_modules(ETCD IMPORTED_TARGET libnghttp2 libprotobuf-c)
  pkg_check_modules(ETCD_TLS IMPORTED_TARGET openssl)
  find_program(PROTOC_C protoc-c)
  if(NOT ETCD_FOUND OR NOT ETCD_TLS_FOUND OR NOT PROTOC_C)
    message(STATUS "libnghttp2, libprotobuf-c, openssl or protoc-c is missing: no etcd store")
    return()
  endif()
  set(${result} ON PARENT_SCOPE)
endfunction()

# The messages, as C. They are not ours, and are not held to our warnings.
function(_berth_etcd_messages)
  set(made "${PROJECT_BINARY_DIR}/messages")
  set(source "${PROJECT_SOURCE_DIR}/src/store/etcd")
  file(MAKE_DIRECTORY "${made}")
  set(files)
  foreach(name etcd values)
    add_custom_command(OUTPUT "${made}/${name}.pb-c.c" "${made}/${name}.pb-c.h"
      COMMAND "${PROTOC_C}" "--proto_path=${source}" "--c_out=${made}" "${source}/${name}.proto"
      DEPENDS "${source}/${name}.proto" VERBATIM)
    list(APPEND files "${made}/${name}.pb-c.c" "${made}/${name}.pb-c.h")
  endforeach()
  add_library(berth_etcd_messages OBJECT ${files})
  target_include_directories(berth_etcd_messages SYSTEM PUBLIC "${made}")
  target_link_libraries(berth_etcd_messages PUBLIC PkgConfig::ETCD)
endfunction()

# berth_etcd_library(): the store's objects (berth_etcd; of TLS, berth_etcd_tls), the library, and the guardian.
function(berth_etcd_library)
  _berth_etcd_messages()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/store/etcd/*.c")
  add_library(berth_etcd OBJECT ${sources})
  target_compile_options(berth_etcd PRIVATE ${BERTH_WARNINGS})
  target_include_directories(berth_etcd PUBLIC
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(berth_etcd PUBLIC berth_etcd_messages PkgConfig::ETCD Threads::Threads)
  add_library(berth_etcd_tls OBJECT "${PROJECT_SOURCE_DIR}/src/store/etcd/tls/tls.c")
  target_compile_options(berth_etcd_tls PRIVATE ${BERTH_WARNINGS})
  target_include_directories(berth_etcd_tls PUBLIC
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(berth_etcd_tls PUBLIC PkgConfig::ETCD_TLS)
  set_target_properties(berth_etcd berth_etcd_tls berth_etcd_messages PROPERTIES
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)

  add_library(libberth-etcd SHARED $<TARGET_OBJECTS:berth_etcd> $<TARGET_OBJECTS:berth_etcd_tls>
    $<TARGET_OBJECTS:berth_etcd_messages> "${PROJECT_SOURCE_DIR}/src/os/foreign.c")
  target_include_directories(libberth-etcd PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_compile_options(libberth-etcd PRIVATE ${BERTH_WARNINGS})
  target_link_libraries(libberth-etcd PRIVATE berth_places PkgConfig::ETCD PkgConfig::ETCD_TLS
    Threads::Threads)
  target_link_options(libberth-etcd PRIVATE -Wl,-z,nodelete,-z,defs)
  set_target_properties(libberth-etcd PROPERTIES OUTPUT_NAME berth-etcd LINKER_LANGUAGE C C_VISIBILITY_PRESET hidden
    VERSION "${PROJECT_VERSION}" SOVERSION "${BERTH_SOVERSION}"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  # It is not for linking with: only the name that it is loaded by is installed.
  install(TARGETS libberth-etcd LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" NAMELINK_SKIP)

  add_executable(berth-guardian "${PROJECT_SOURCE_DIR}/src/store/guardian/guardian.c"
    "${PROJECT_SOURCE_DIR}/src/store/guardian/loans.c"
    "${PROJECT_SOURCE_DIR}/src/store/loader/loader.c")
  target_compile_options(berth-guardian PRIVATE ${BERTH_WARNINGS})
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/store/guardian/loans.c" PROPERTIES
    COMPILE_OPTIONS "${BERTH_PROTOCOL_WARNINGS}")
  target_link_libraries(berth-guardian PRIVATE berth_store berth_os berth_places ${CMAKE_DL_LIBS})
  _berth_etcd_program(berth-guardian)
endfunction()

function(_berth_etcd_program target)
  berth_dynamic_program(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  install(TARGETS ${target} RUNTIME DESTINATION "${BERTH_PROGRAMS_DIR}")
endfunction()

# _berth_etcd_archives(result): what the twin is linked with. To load and relocate OpenSSL takes a
# millisecond, so the twin loads it, with libberth-etcd, only for an address that asks for TLS. Linked
# statically it gets none of its security updates, and is 4.6 MB larger. libc is dynamic in any case:
# looking up hosts loads parts of it.
option(BERTH_STATIC_TLS "Link berth-etcd statically with OpenSSL and the rest, where that is possible" OFF)
function(_berth_etcd_archives result)
  set(${result} PkgConfig::JANSSON PkgConfig::ETCD PARENT_SCOPE)
  if(BERTH_SANITIZE OR NOT BERTH_STATIC_TLS)
    return()
  endif()
  set(archives)
  foreach(name jansson nghttp2 protobuf-c ssl crypto)
    find_library(BERTH_ARCHIVE_${name} NAMES lib${name}.a
      HINTS ${ETCD_LIBRARY_DIRS} ${JANSSON_LIBRARY_DIRS})
    mark_as_advanced(BERTH_ARCHIVE_${name})
    if(NOT BERTH_ARCHIVE_${name})
      return()
    endif()
    list(APPEND archives "${BERTH_ARCHIVE_${name}}")
  endforeach()
  set(${result} ${archives} ${CMAKE_DL_LIBS} PARENT_SCOPE)
endfunction()

# berth_etcd_twin(source...): the command's twin, from the command's sources.
function(berth_etcd_twin)
  add_executable(berth-etcd ${ARGN} "${PROJECT_SOURCE_DIR}/src/store/loader/loader.c"
    $<TARGET_OBJECTS:berth_etcd> $<TARGET_OBJECTS:berth_etcd_messages>)
  add_dependencies(berth-etcd libberth-etcd)
  target_compile_definitions(berth-etcd PRIVATE BERTH_TWIN)
  target_compile_options(berth-etcd PRIVATE ${BERTH_WARNINGS})
  target_include_directories(berth-etcd SYSTEM PRIVATE
    "${PROJECT_BINARY_DIR}/messages" ${ETCD_INCLUDE_DIRS})
  _berth_etcd_archives(libraries)
  target_link_libraries(berth-etcd PRIVATE berth_cli ${libraries} ${CMAKE_DL_LIBS})
  _berth_etcd_program(berth-etcd)
  if(NOT "PkgConfig::ETCD" IN_LIST libraries)
    target_sources(berth-etcd PRIVATE $<TARGET_OBJECTS:berth_etcd_tls>)
    # All that it needs is in it: the dynamic linker need not look for libc beside it.
    set_target_properties(berth-etcd PROPERTIES SKIP_BUILD_RPATH ON INSTALL_RPATH "")
  endif()
endfunction()
