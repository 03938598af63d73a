#include "stress/failure.h"

#include <stdio.h>
#include <string.h>

bool stress_fail(struct stress_failure *failure, const char *what, int error)
{
    snprintf(failure->text, sizeof failure->text, "%s: %s", what, strerror(error));
    return false;
}
