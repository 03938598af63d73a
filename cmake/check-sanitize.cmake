# cmake -DSOURCE=<source dir> -P check-sanitize.cmake
# Builds the unit tests with the address and undefined-behaviour sanitizers, and runs them.
cmake_minimum_required(VERSION 3.21)

# A make that is above us has no say in the inner build.
unset(ENV{MAKEFLAGS})
unset(ENV{MAKELEVEL})
unset(ENV{MFLAGS})
set(ENV{UBSAN_OPTIONS} "print_stacktrace=1:$ENV{UBSAN_OPTIONS}")

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${SOURCE}"
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message("${output}")
  if(failed)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed: ${command}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --preset asan-ubsan)
run("${CMAKE_COMMAND}" --build build-asan --target unit_tests -j 2)
# Some kernels scatter mappings more widely than the sanitizers' shadow memory allows for.
set(fixed_addresses)
execute_process(COMMAND setarch -R true RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(NOT failed)
  set(fixed_addresses setarch -R)
endif()
run(${fixed_addresses} "${CMAKE_CTEST_COMMAND}" --test-dir build-asan -L unit -j 2
  --output-on-failure --no-tests=error)
