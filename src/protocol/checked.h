/* Checking a protocol of the catalogue against its claims. */
#ifndef BERTH_PROTOCOL_CHECKED_H
#define BERTH_PROTOCOL_CHECKED_H

#include "check/check.h"
#include "step/frame.h"
#include "step/protocol.h"

struct protocol_choice { /* a protocol and one of its variants */
    const struct protocol_model *model;
    const struct protocol_native *native;
    const struct protocol *protocol;
    unsigned variant;
};

/* By name, such as "rp-n" or "rp-n/printed". */
bool protocol_find(const char *name, struct protocol_choice *choice);
/* Another protocol of the catalogue with the same name: one of them was never asked for. NULL:
 * none. */
const struct protocol *protocol_namesake(const struct protocol_choice *choice);
/* "rp-n/printed", into `text`. */
void protocol_full_name(const struct protocol_choice *choice, char *text, size_t size);

/* The parameters that the protocol is run with when nothing else is said. */
struct step_params protocol_defaults(const struct protocol_choice *choice);

/* NULL, or a sentence that says what is wrong with these parameters. The text is in `buffer` or
 * static. */
const char *protocol_refuse(const struct protocol_choice *choice,
                            const struct step_params *params, char *buffer, size_t size);

enum protocol_verdict { PROTOCOL_AS_CLAIMED, PROTOCOL_REFUTED, PROTOCOL_INCOMPLETE };
const char *protocol_verdict_name(enum protocol_verdict verdict);

/* One line of a result: a claim, or a property nobody claims anything about. */
struct protocol_line {
    const struct protocol_claim *claim; /* NULL: no claim */
    enum protocol_stance stance;        /* of the claim, at the size that was checked */
    struct check_result result;
};

enum { PROTOCOL_MAX_LINES = CHECK_PROPERTIES };

struct protocol_checked {
    struct protocol_choice choice;
    struct step_model model;
    struct step_model named; /* the same, which exchanges no processes, while the other one does */
    struct check_report report;
    size_t lines;
    struct protocol_line line[PROTOCOL_MAX_LINES];
    enum protocol_verdict verdict;
    bool exchanged;          /* states that differ by an exchange of processes were taken as one */
    uint64_t values;         /* the most values a shared variable takes; 0: not counted */
    uint64_t values_claimed; /* 0: no claim */
};

/* `only`: the set of properties to decide (bit p for property p), 0: those claimed; with `all`,
 * also all others. Returns NULL, or a sentence that says why nothing was checked. */
const char *protocol_check(struct protocol_checked *checked, const struct protocol_choice *choice,
                           const struct step_params *params, const struct check_limits *limits,
                           uint64_t only, bool all);
/* The same where checked->model has been made already, and all else in `checked` is zero. */
const char *protocol_check_made(struct protocol_checked *checked,
                                const struct protocol_choice *choice,
                                const struct step_params *params,
                                const struct check_limits *limits, uint64_t only, bool all);
void protocol_checked_free(struct protocol_checked *checked);

/* What a claim rests on, in one line: its source, why, or both. */
enum { PROTOCOL_BASIS = 160 };
const char *protocol_basis(const struct protocol_claim *claim, char text[PROTOCOL_BASIS]);
/* What the source says at this size: a claim may be made for small k alone. */
enum protocol_stance protocol_stance(const struct protocol_claim *claim,
                                     const struct step_params *params);

/* What the checker is expected to answer for a claim at this size; UNDECIDED: anything. */
enum check_answer protocol_expects(const struct protocol_claim *claim,
                                   const struct step_params *params);

#endif
