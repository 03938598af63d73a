/*
 * What a protocol variant claims, for every n: proved, refuted by the checker for a small one, or
 * open. See docs/PROOFS.md.
 */
#ifndef BERTH_PROVE_PROVE_H
#define BERTH_PROVE_PROVE_H

#include "prove/obligation.h"
#include "prove/reach.h"
#include "prove/solver.h"
#include "protocol/checked.h"

#include <stdatomic.h>

enum prove_status { PROVE_OPEN, PROVE_PROVED, PROVE_REFUTED };
const char *prove_status_name(enum prove_status status);

struct prove_options {
    enum prove_solver solver;
    unsigned seconds;    /* for each obligation */
    uint64_t only;       /* set of properties; 0: what is claimed */
    const char *without; /* leave this invariant out; or NULL */
    const char *folder;  /* write the obligations there; or NULL */
    const char *own;     /* the rules of a protocol that is not in the catalogue; or NULL */
    const char *rules;   /* read these; NULL: those of the protocol. The checker, which knows only
                            the protocol, is asked nothing then */
    bool ask;            /* a solver; otherwise everything stays open */
    const _Atomic(unsigned) *interrupts; /* asked to end: claims stay open from there; or NULL */
    void (*progress)(const char *property, size_t done); /* before each claim; or NULL */
};

enum { PROVE_MAX_STATE = 1024 };

struct prove_line {
    enum check_property property;
    const struct protocol_claim *claim; /* or NULL */
    enum prove_status status;
    unsigned obligations; /* discharged, of what it rests on */
    double seconds;
    const struct prove_method *method; /* by which it is proved, or would be; or NULL */
    const char *rests_on;              /* in words */
    char why[256];                     /* where it is not proved */
    /* The obligation that is not discharged, and the state that breaks it. */
    const struct prove_obligation *failed;
    bool has_state;
    char state[PROVE_MAX_STATE];
    char breaks[512]; /* the conjuncts that do not hold after the step */
    enum prove_reached reached;
    struct step_model model; /* for `run`: the size that the checker looked at */
    struct check_witness run;
    struct step_model refuted;  /* the same for `result` */
    struct check_result result; /* of the checker, where it refutes the claim */
};

struct prove_group { /* of obligations that are asked about together */
    bool made, asked;
    struct prove_obligations list;
    unsigned discharged;
    const struct prove_obligation *failed; /* the first that was not */
    struct prove_verdict verdict;
    double seconds;
};

enum prove_groups {
    PROVE_GROUP_INVARIANT,
    PROVE_GROUP_ASSUMPTIONS, /* what is taken for granted does not contradict itself */
    PROVE_GROUP_DOORWAY,     /* it has a bounded number of steps */
    PROVE_GROUP_TRUST,       /* what the protocol trusts is so; none, where it trusts nothing */
    PROVE_GROUP_EXCLUSION,
    PROVE_GROUP_VALUES,
    PROVE_GROUP_DEADLOCK,
    PROVE_GROUP_WAITING,
    PROVE_GROUP_LOCKOUT,
    PROVE_GROUP_ORDER,
    PROVE_GROUP_ENABLED,
    PROVE_GROUP_ALONE,
    PROVE_GROUP_CALM,
    PROVE_GROUP_ALLOCATION,
    PROVE_GROUP_NEXT,
    PROVE_GROUP_FULL,
    PROVE_GROUPS,
};

struct prove_run {
    struct protocol_choice choice;
    struct prove_options options;
    struct prove_pool pool;
    struct prove_reading reading;
    struct prove_system system, marked, watched;
    struct prove_group group[PROVE_GROUPS];
    /* What is taken for granted and is not so, in a state that the checker comes to by this run; or
     * NULL. */
    const char *untrue;
    struct step_model untrue_in;
    struct check_witness untrue_run;
    size_t lines;
    struct prove_line line[PROTOCOL_MAX_LINES];
    enum prove_status status; /* refuted if any is, open if any is */
    unsigned files;           /* written */
    double seconds;
};

/* NULL, or a sentence that says why nothing was tried. To be freed in any case. */
const char *prove_all(struct prove_run *run, const struct protocol_choice *choice,
                      const struct prove_options *options);
void prove_free(struct prove_run *run);

/* What is taken for granted, and not shown: the sizes of CONSTANTS, and ASSUMED. Gives the name and
 * the condition of the one of this number; false: there is none of this number. */
bool prove_taken_for_granted(const struct prove_run *run, unsigned number, const char **name,
                             char *condition, size_t size);

#endif
