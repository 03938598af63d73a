# cmake -DSOURCE=<source dir> -DBUILD=<build dir> [-DLONG=1] -P check-sanitize.cmake
# Builds the unit tests with the address and undefined-behaviour sanitizers, and runs them. The protocols of the
# catalogue are linked from the build folder, where they are not instrumented: compiling them takes longer than
# all the rest. The step notation is instrumented where a unit test writes a protocol of its own, and in
# src/pool, which is the pool's native expansion. With LONG=1 the catalogue is instrumented too, and the tests do as
# much as without a sanitizer; otherwise a fifth of it.
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

if(LONG)
  set(folder "${SOURCE}/build-asan")
  set(protocols "-DBERTH_PROTOCOLS_OF=")
  set(ENV{BERTH_TEST_EFFORT} 50)
else()
  set(folder "${BUILD}/sanitize")
  set(protocols "-DBERTH_PROTOCOLS_OF=${BUILD}")
endif()
# Ninja spends less on looking at what there is to do. For a backtrace, lines are enough.
set(generator)
find_program(NINJA ninja)
if(NINJA AND NOT EXISTS "${folder}/CMakeCache.txt")
  set(generator -G Ninja)
endif()
run("${CMAKE_COMMAND}" --preset asan-ubsan ${generator} -B "${folder}" "${protocols}"
  "-DCMAKE_C_FLAGS_DEBUG=-O1 -g1")
run("${CMAKE_COMMAND}" --build "${folder}" --target unit_tests -j 2)
# Some kernels scatter mappings more widely than the sanitizers' shadow memory allows for.
set(fixed_addresses)
execute_process(COMMAND setarch -R true RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(NOT failed)
  set(fixed_addresses setarch -R)
endif()
run(${fixed_addresses} "${CMAKE_CTEST_COMMAND}" --test-dir "${folder}" -L unit -j 2
  --output-on-failure --no-tests=error)
