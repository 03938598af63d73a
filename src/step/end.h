/* The end of a protocol file: what can be derived from the sections before it. See step.h. Where
 * the file is the source of a transformation, that has to come first (transform.h). */
#if defined(STEP_TEXT) || (defined(TRANSFORMED) && !defined(TRANSFORMATION))
/* not yet, or not at all */
#elif defined(STEP_RULES)
#include "step/end_rules.hh"
#elif defined(STEP_NATIVE)
#include "step/end_native.h"
#else
#include "step/end_model.h"
#endif
