# cmake -DSOURCE=<source dir> -DBUILD=<build dir> [-DLONG=1] [-DJOBS=1] -P check-tidy.cmake
# clang-tidy, as .clang-tidy says, on every source that the build compiles; two at a time, or JOBS. Its analyzer
# follows paths, which takes most of the time: it is for the product, and gives up a function after a few
# thousand steps. With LONG=1 it is for the laboratory too, and gives up when clang does by itself, which
# takes eight times as long. A protocol's steps are explored by the checker. What the tests compile once more, with
# other definitions (the library for the simulator, the protocols for a GPU), is looked at with LONG=1 alone. First,
# it has to find a leak that is there on purpose.
cmake_minimum_required(VERSION 3.21)
include("${CMAKE_CURRENT_LIST_DIR}/llvm-tool.cmake")
berth_llvm_tool(CLANG_TIDY clang-tidy)

if(NOT JOBS)
  set(JOBS 2)
endif()

file(GLOB files "${SOURCE}/src/*/*.c" "${SOURCE}/src/*/*/*.c" "${SOURCE}/cli/*.c"
  "${SOURCE}/cli/*/*.c")
if(NOT files)
  message("SKIPPED: no C files yet")
  return()
endif()
set(analysed "${files}")
set(paths)
if(NOT LONG)
  foreach(word -analyzer-config max-nodes=10000)
    list(APPEND paths --extra-arg=-Xclang "--extra-arg=${word}")
  endforeach()
  list(FILTER analysed INCLUDE REGEX "^${SOURCE}/(src/(os|pool|store|jobserver)|cli)/")
  list(REMOVE_ITEM analysed "${SOURCE}/src/pool/queue.c") # the protocol's steps
  list(REMOVE_ITEM files ${analysed})
else()
  set(files)
endif()

# clang-tidy looks at a file once for each command that compiles it.
set(commands "${BUILD}")
if(NOT LONG)
  set(commands "${BUILD}/tidy")
  execute_process(COMMAND "${SOURCE}/tools/product-commands" "${BUILD}" "${commands}" RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "tools/product-commands: ${failed}")
  endif()
endif()

# The build's own warnings are the compiler's business; gcc knows some that clang does not.
set(command "${CLANG_TIDY}" -p "${commands}" --quiet --extra-arg=-Wno-error
  --extra-arg=-Wno-unknown-warning-option)

# tidy(checks file...)
function(tidy checks)
  list(JOIN ARGN "\"\n\"" names) # one a line, quoted, for xargs
  set(list "${BUILD}/tidy-files")
  file(WRITE "${list}" "\"${names}\"\n")
  execute_process(
    COMMAND xargs -n 2 -P "${JOBS}" ${command} ${checks}
    INPUT_FILE "${list}"
    RESULT_VARIABLE failed
    OUTPUT_VARIABLE output
    ERROR_VARIABLE noise)
  if(failed)
    message("${output}")
    if(output STREQUAL "")
      message("${noise}")
    endif()
    message(FATAL_ERROR "clang-tidy has something to say")
  endif()
endfunction()

execute_process(COMMAND ${command} ${paths} "--config-file=${SOURCE}/.clang-tidy"
  "${SOURCE}/tests/tidy/leak.c" OUTPUT_VARIABLE output ERROR_QUIET)
if(NOT output MATCHES "clang-analyzer-unix.Malloc" OR NOT output MATCHES "bugprone-sizeof-expression")
  message(FATAL_ERROR "clang-tidy does not find what is wrong with tests/tidy/leak.c:\n${output}")
endif()
tidy("${paths}" ${analysed})
if(files)
  tidy("--checks=-clang-analyzer-*" ${files})
endif()
