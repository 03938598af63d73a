/* One check: explore a model, then decide properties of it. */
#ifndef BERTH_CHECK_CHECK_H
#define BERTH_CHECK_CHECK_H

#include "check/coverage.h"
#include "check/exploration.h"
#include "check/result.h"
#include "check/slip.h"

struct check_report {
    enum check_end end;
    uint64_t states, transitions; /* without symmetry reduction; of an incomplete run: so far */
    uint64_t stored;              /* states kept */
    uint64_t depth;    /* levels of the search; of an incomplete one, the last is not finished */
    uint64_t frontier; /* states that were found and not expanded */
    uint64_t search_bytes; /* the most that the state set and the frontier took */
    uint64_t peak_bytes;   /* the most that the whole check took */
    bool reduced;
    bool barred; /* a limit kept some process in its remainder: what was explored is not all */
    bool
        abandoned; /* it was interrupted while properties were decided: threads are still at work */
    uint64_t values[CHECK_MAX_CELLS]; /* distinct values of each shared variable; 0: not counted */
    uint64_t whole; /* and of all of them together, where they are the parts of one */
    double seconds;
    struct check_coverage coverage;
    struct check_slip slip; /* where it ended out of range; the caller frees the witness */
    bool unlike; /* nothing was explored: processes that are said to be alike are not (slip) */
    /* A witness that does not show what it should (NULL: there is none): an error in the checker,
     * or a model that does not do the same twice. Its property stays undecided. */
    const char *fault;
    bool elsewhere; /* check_limits.elsewhere explored it */
    enum check_property fault_in;
};

/* Whether the model has what the property is about. What does not apply stays undecided. */
bool check_applies(const struct check_model *model, enum check_property property);

/* Whether a property can be decided where the model exchanges processes from state to state:
 * because it is the same for all that are exchanges of each other, or because the model tells
 * how. */
bool check_same_folded(const struct check_model *model, enum check_property property);
bool check_decided_folded(const struct check_model *model, enum check_property property);

/* Answers `count` queries; results[i] is for query i. The caller frees the witnesses.
 * False: no memory to begin with. */
bool check_run(const struct check_model *model, const struct check_limits *limits,
               const struct check_query *queries, size_t count, struct check_result *results,
               struct check_report *report);

#endif
