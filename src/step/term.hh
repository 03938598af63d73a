/* The third reading of a protocol file (rules.hh): words (word.hh), in the notation's macros. */
#ifndef BERTH_STEP_TERM_HH
#define BERTH_STEP_TERM_HH

#include "step/word.hh"

typedef word step_size;
#define STEP_NUMBER(value) step_known(value)
#define STEP_WORDS(name, count) step_words_at name

#define PACKED(...) step_packed({__VA_ARGS__})
#define PART(w, which) step_part((w), (which))
#define PARTS(...) step_parts({__VA_ARGS__})
#define UNBOUNDED step_atom("limit") /* the checker's alone: see src/prove/read.c */
#define CONSTANT(name) step_atom(#name)

#ifdef SUBS
#define STEP_ONE_BY_ONE 1
#else
#define STEP_ONE_BY_ONE 0
#endif

#define private private_variables /* a name in headers; end_rules.hh takes this back */

#endif
