/*
 * The fourth reading of a protocol file: as text. The words of the notation stay what they are, and
 * the file's own macros are expanded, so that src/notation sees its statements. What the file
 * declares is listed first.
 */
#ifndef BERTH_STEP_BARE_WORDS_H
#define BERTH_STEP_BARE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef LOCALS
#define LOCALS(local)
#endif
#ifndef LOCAL_ARRAYS
#define LOCAL_ARRAYS(array)
#endif
#ifndef SUBS
#define SUBS(sub)
#endif
#ifndef PRIVATE
#define PRIVATE(local, array)
#endif
#define STEP_LIST_CELL(name, values) step_declares cell name;
#define STEP_LIST_CELLS(name, count, values) step_declares cells name;
#define STEP_LIST_REGISTERS(name, values) step_declares registers name;
#define STEP_LIST_LOCAL(name, values) step_declares local name;
#define STEP_LIST_ARRAY(name, count, values) step_declares array name;
#define STEP_LIST_SUB(name) step_declares sub name;
#ifdef CELLS
CELLS(STEP_LIST_CELL, STEP_LIST_CELLS, STEP_LIST_REGISTERS)
#endif
LOCALS(STEP_LIST_LOCAL)
LOCAL_ARRAYS(STEP_LIST_ARRAY)
SUBS(STEP_LIST_SUB)
#ifdef HAS_MEMORY
step_declares flag HAS_MEMORY;
#endif

#endif
