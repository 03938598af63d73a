# berth_command(target): how the command is linked. It is started as often as flock is, and half of the
# time that such a program takes is the dynamic linker's; so it is linked statically where that works,
# and otherwise with nothing dynamic but libc. A sanitizer needs its runtime, and has its way.
option(BERTH_STATIC_COMMAND "Link the berth command statically, where that is possible" ON)

# _berth_links(variable option...): whether a program that uses JSON and threads links like this.
function(_berth_links variable)
  set(CMAKE_REQUIRED_LINK_OPTIONS ${ARGN})
  set(CMAKE_REQUIRED_INCLUDES ${JANSSON_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES "${BERTH_JANSSON_ARCHIVE}" Threads::Threads)
  check_c_source_compiles("
    #include <jansson.h>
    #include <pthread.h>
    static void *body(void *unused) { return unused; }
    int main(void)
    {
        pthread_t thread;
        return pthread_create(&thread, 0, body, 0) != 0 || json_object() == 0;
    }" ${variable})
endfunction()

function(berth_command target)
  include(CheckCSourceCompiles)
  find_library(BERTH_JANSSON_ARCHIVE NAMES libjansson.a HINTS ${JANSSON_LIBRARY_DIRS})
  mark_as_advanced(BERTH_JANSSON_ARCHIVE)
  if(BERTH_SANITIZE OR NOT BERTH_JANSSON_ARCHIVE)
    target_link_libraries(${target} PRIVATE PkgConfig::JANSSON)
    berth_dynamic_program(${target})
    return()
  endif()
  target_include_directories(${target} SYSTEM PRIVATE ${JANSSON_INCLUDE_DIRS})
  target_link_libraries(${target} PRIVATE "${BERTH_JANSSON_ARCHIVE}")
  if(BERTH_STATIC_COMMAND)
    _berth_links(BERTH_LINKS_STATIC_PIE -static-pie)
  endif()
  if(BERTH_STATIC_COMMAND AND BERTH_LINKS_STATIC_PIE)
    target_link_options(${target} PRIVATE -static-pie)
  else()
    berth_dynamic_program(${target})
  endif()
endfunction()
