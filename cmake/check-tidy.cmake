# cmake -DSOURCE=<source dir> -DBUILD=<build dir> -P check-tidy.cmake
# clang-tidy, as .clang-tidy says, on every source that the build compiles; two at a time.
cmake_minimum_required(VERSION 3.21)
include("${CMAKE_CURRENT_LIST_DIR}/llvm-tool.cmake")
berth_llvm_tool(CLANG_TIDY clang-tidy)

file(GLOB files "${SOURCE}/src/*/*.c" "${SOURCE}/src/*/*/*.c" "${SOURCE}/cli/*.c"
  "${SOURCE}/cli/*/*.c")
if(NOT files)
  message("SKIPPED: no C files yet")
  return()
endif()

# One name a line, quoted, for xargs.
list(TRANSFORM files REPLACE "(.+)" "\"\\1\"")
list(JOIN files "\n" files)
set(list "${BUILD}/tidy-files")
file(WRITE "${list}" "${files}\n")

# The build's own warnings are the compiler's business; gcc knows some that clang does not.
execute_process(
  COMMAND xargs -n 2 -P 2 "${CLANG_TIDY}" -p "${BUILD}" --quiet
    --extra-arg=-Wno-error --extra-arg=-Wno-unknown-warning-option
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
