# cmake -DSOURCE=<source dir> -DBUILD=<build dir> [-DLONG=1] -P check-sanitize.cmake
# Builds the unit tests with the address and undefined-behaviour sanitizers, and runs them. The protocols of the
# catalogue are linked from the build folder, where they are not instrumented: compiling them takes longer than
# all the rest. The step notation is instrumented where a unit test writes a protocol of its own, and in
# src/pool, which is the pool's native expansion. With LONG=1 the catalogue is instrumented too, the tests do as
# much as without a sanitizer, otherwise a tenth of it, and none is left out.
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

file(GLOB tests RELATIVE "${SOURCE}/tests/unit" "${SOURCE}/tests/unit/test_*.c")
list(TRANSFORM tests REPLACE "\\.c$" "")

# These run the same parts of the checker as `memory`, `replay`, `witness_random` and `choices`, at greater length, and
# the catalogue, of which nothing is instrumented in the short form: a third of the time that all of them take.
set(left_out catalogue dead_locals normal properties rankers symmetry threads witness)

if(LONG)
  set(left_out)
  set(folder "${SOURCE}/build-asan")
  set(protocols "-DBERTH_PROTOCOLS_OF=")
  set(ENV{BERTH_TEST_EFFORT} 50)
  set(optimize -O1)
else()
  set(folder "${BUILD}/sanitize")
  set(protocols "-DBERTH_PROTOCOLS_OF=${BUILD}")
  set(optimize -Og) # it takes two thirds of the time to compile
endif()
foreach(subject IN LISTS left_out)
  if(NOT "test_${subject}" IN_LIST tests)
    message(FATAL_ERROR "there is no test ${subject} to leave out")
  endif()
  list(REMOVE_ITEM tests "test_${subject}")
endforeach()
list(TRANSFORM tests REPLACE "^test_" "" OUTPUT_VARIABLE subjects)
list(JOIN subjects "|" subjects)
# Ninja spends less on looking at what there is to do. For a backtrace, lines are enough.
set(generator)
find_program(NINJA ninja)
if(NINJA AND NOT EXISTS "${folder}/CMakeCache.txt")
  set(generator -G Ninja)
endif()
run("${CMAKE_COMMAND}" --preset asan-ubsan ${generator} -B "${folder}" "${protocols}"
  "-DCMAKE_C_FLAGS_DEBUG=${optimize} -g1")
run("${CMAKE_COMMAND}" --build "${folder}" --target ${tests} -j 2)
# Some kernels scatter mappings more widely than the sanitizers' shadow memory allows for.
set(fixed_addresses)
execute_process(COMMAND setarch -R true RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(NOT failed)
  set(fixed_addresses setarch -R)
endif()
run(${fixed_addresses} "${CMAKE_CTEST_COMMAND}" --test-dir "${folder}" -R "^unit/(${subjects})$" -j 2
  --output-on-failure --no-tests=error)
