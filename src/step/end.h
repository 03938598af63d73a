/* The end of a protocol file: what can be derived from the sections before it. See step.h. */
#if defined(STEP_NATIVE)
#include "step/end_native.h"
#else
#include "step/end_model.h"
#endif
