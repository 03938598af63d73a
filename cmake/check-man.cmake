# cmake -DSOURCE=<source dir> -P check-man.cmake
# Every manual page formats without a warning.
cmake_minimum_required(VERSION 3.21)

file(GLOB pages "${SOURCE}/man/*.[1357]")
if(NOT pages)
  message("SKIPPED: no manual pages yet")
  return()
endif()

find_program(GROFF groff)
find_program(MANDOC mandoc)
if(GROFF)
  set(lint "${GROFF}" -ww -b -z -t -mandoc -Tutf8 -Kutf8)
elseif(MANDOC)
  set(lint "${MANDOC}" -T lint -W warning)
else()
  message("SKIPPED: neither groff nor mandoc is installed")
  return()
endif()

set(bad)
foreach(page IN LISTS pages)
  execute_process(COMMAND ${lint} "${page}"
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(failed OR NOT "${output}${errors}" STREQUAL "")
    message("${output}${errors}")
    list(APPEND bad "${page}")
  endif()
endforeach()
if(bad)
  message(FATAL_ERROR "manual pages with warnings: ${bad}")
endif()
