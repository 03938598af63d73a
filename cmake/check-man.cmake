# cmake -DSOURCE=<source dir> -P check-man.cmake
# Every manual page formats without a warning, and in a list of tagged paragraphs none lacks its tag.
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
  # Where a sentence has ended, a word in bold and then a capital letter are the tag of a paragraph and its
  # text: without .TP they would run into the paragraph before.
  file(READ "${page}" text)
  string(REPLACE ";" "," text "${text}")
  string(REGEX MATCHALL "\n[^\n]*\\.\n\\.BR? [^\n]*\n[A-Z]" untagged "${text}")
  foreach(found IN LISTS untagged)
    message("${page}: .TP is missing in:${found}")
    list(APPEND bad "${page}")
  endforeach()
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
