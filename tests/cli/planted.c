/*
 * The berth command with a bad witness planted: linked with --wrap, so that what is decided about
 * exclusion comes with the first half of its schedule. tests/cli/memory.sh runs it.
 */
#include "check/decide.h"

void __real_check_decide_exclusion(const struct check_graph *graph, struct check_result *result);
void __wrap_check_decide_exclusion(const struct check_graph *graph, struct check_result *result);

void __wrap_check_decide_exclusion(const struct check_graph *graph, struct check_result *result)
{
    __real_check_decide_exclusion(graph, result);
    result->witness.length /= 2;
    result->witness.stem = result->witness.length;
}
