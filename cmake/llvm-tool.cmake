# berth_llvm_tool(result name): finds clang-format or clang-tidy of the version that the house style
# is defined by. Other versions lay out and warn differently; with one of those, or none, the test
# says so and is skipped.
set(BERTH_LLVM_VERSION 14)

macro(berth_llvm_tool result name)
  find_program(${result} NAMES ${name}-${BERTH_LLVM_VERSION} ${name})
  if(NOT ${result})
    message("SKIPPED: ${name} is not installed")
    return()
  endif()
  execute_process(COMMAND "${${result}}" --version OUTPUT_VARIABLE llvm_version)
  if(NOT llvm_version MATCHES "version ${BERTH_LLVM_VERSION}\\.")
    message("SKIPPED: ${name} ${BERTH_LLVM_VERSION} is needed, another version is installed")
    return()
  endif()
endmacro()
