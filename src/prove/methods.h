/*
 * How a property is proved, as data: for each property its methods, each with the groups of
 * obligations that have to be discharged, and with what has to be so before it is tried. The
 * arguments, why the groups imply the property, are in docs/PROOFS.md, under the method's name;
 * `berth prove --methods` prints this table, and the test cli/prove-traps compares the two.
 */
#ifndef BERTH_PROVE_METHODS_H
#define BERTH_PROVE_METHODS_H

#include "prove/prove.h"

/* What has to be so. A side condition that has to be shown is no condition, but a group. */
enum prove_condition {
    PROVE_IF_NAMES,
    PROVE_IF_COUNTERS,
    PROVE_IF_RANK_OF_EACH,
    PROVE_IF_BLOCKED_OR_NUMBERED,
    PROVE_IF_NUMBERED,
    PROVE_IF_RELEASED,
    PROVE_IF_ORDER,
    PROVE_IF_ENABLED,
    PROVE_IF_NOT_ENABLED,
    PROVE_IF_OWN_STEPS,
    PROVE_IF_NEXT_STEP,
    PROVE_IF_SEATS_TAKEN,
    PROVE_IF_SEAT_IS_SLOT,
    PROVE_IF_ALONE,
    PROVE_IF_CALM,
    PROVE_IF_RANK,
    PROVE_IF_LOCKOUT_RANK,
    PROVE_IF_VALUES,
    PROVE_IF_SEQUENCES,
    PROVE_IF_NO_MEMORY,
    PROVE_IF_NO_DOORWAY,
    PROVE_IF_NUMBER_IS_BOUNDED,
    PROVE_IF_NOBODY_GIVES_UP,
    PROVE_IF_K_IS_1,
    PROVE_IF_EVERY_K,
    PROVE_IF_NO_BOUND,
    PROVE_IF_AT_LEAST_1,
    PROVE_IF_BOUNDED,
    PROVE_IF_NOT_BOUNDED,
    PROVE_IF_ONE_MORE,
    PROVE_CONDITIONS,
};

enum { PROVE_MOST_GROUPS = 8, PROVE_MOST_CONDITIONS = 6 };

struct prove_method {
    enum check_property property;
    const char *name;     /* of its paragraph in docs/PROOFS.md */
    const char *rests_on; /* in words */
    unsigned groups;
    enum prove_groups group[PROVE_MOST_GROUPS];
    unsigned conditions;
    enum prove_condition condition[PROVE_MOST_CONDITIONS];
};

/* The methods, in the order in which they are tried; NULL: there is none of this number. */
const struct prove_method *prove_method(unsigned number);

/* "that PROOF has RANK", and so on. */
const char *prove_condition_text(enum prove_condition condition);

/* A name, and what is shown, for people. */
const char *prove_group_name(enum prove_groups group);
const char *prove_group_text(enum prove_groups group);

/* Where the group is the rule that a condition leads to another, by a rank that each step of a
 * helper lowers and no other raises: the four of them, in words. Otherwise NULL. */
struct prove_leads {
    const char *from, *to, *helper, *rank;
};
const struct prove_leads *prove_group_leads(enum prove_groups group, unsigned number);

/* Whether there may be nothing to show of it. */
bool prove_group_may_be_empty(enum prove_groups group);

/* Whether the group's obligations are made of this protocol: that the words are there which it is
 * about. */
bool prove_group_applies(const struct prove_run *run, enum prove_groups group);

/* The method for the line; NULL: there is none, and the line says what is missing. */
const struct prove_method *prove_method_for(struct prove_run *run, struct prove_line *line);

/* The claim of the variant that is proved; NULL: it does not claim that. */
const struct protocol_claim *prove_claim_of(const struct prove_run *run,
                                            enum check_property property);

#endif
