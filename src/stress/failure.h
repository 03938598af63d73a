/* Saying what went wrong. */
#ifndef BERTH_STRESS_FAILURE_H
#define BERTH_STRESS_FAILURE_H

#include "stress/stress.h"

/* Puts down what could not be done and the errno value that says why. Returns false, for the caller
 * to return. */
bool stress_fail(struct stress_failure *failure, const char *what, int error);

#endif
