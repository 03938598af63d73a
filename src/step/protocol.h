/*
 * A protocol as data: where it comes from, what it claims, what it is known not to have, and what
 * the checker is expected to find. Each protocol file ends with one of these.
 */
#ifndef BERTH_STEP_PROTOCOL_H
#define BERTH_STEP_PROTOCOL_H

#include "check/property.h"
#include "step/params.h"

#include <stdbool.h>
#include <stddef.h>

struct check_model;
struct step_model;

enum protocol_stance {
    CLAIMED = 1, /* the source says that it has the property */
    NOT_CLAIMED, /* the source says, or we found, that it has not */
};

struct protocol_claim {
    enum check_property property;
    enum protocol_stance stance;
    const char *source; /* where it stands: theorem, lemma, figure; or "found by the checker" */
    const char *why;    /* a few words; at least one of the two is there */
    uint64_t bound;     /* a claimed bound; the claim holds if the exact bound is not larger */
    uint64_t bound_n;   /* what each process adds to the bound */

    /* The least n at which the checker finds that the property fails, by its name for a claim and
     * for a non-claim. 0: no claim is refuted; and a non-claim fails at every n. */
    union {
        unsigned refuted_from_n;
        unsigned fails_from_n; /* with fewer processes it may hold */
    };
    unsigned until;    /* the largest such n; 0: there is none */
    unsigned from_l;   /* the least l, where it fails only with more than one slot */
    unsigned beyond_l; /* the least n - l, where it fails with that many more processes alone */
    unsigned from_k;   /* the least k, where it fails only from that k on */

    unsigned up_to_k; /* claimed for k up to this and not beyond; 0: for all k */
    unsigned
        fails_from_k; /* the least k at which it fails, where it is not claimed; 0: not known */
    bool has_bound;   /* there is a bound */
    bool uncut;       /* not claimed where a limit that cuts off runs leaves it undecided */
};

/* One size at which the whole result is known, kept so that it cannot change unnoticed. Counts are
 * those without symmetry reduction. */
struct protocol_expected {
    struct step_params params;
    uint64_t states, transitions;
};

struct protocol_variant {
    const char *name;  /* "" is the protocol itself; "printed" is NAME/printed */
    const char *about; /* one line */
    bool tells_apart;  /* it treats some processes specially */
    bool unlimited;    /* nothing of it is cut off, though the protocol has a LIMIT */
    const struct protocol_claim *claims;
    size_t claim_count;
    const struct protocol_expected *expected;
    size_t expected_count;
};

/* An option that the protocol alone has, --NAME VALUE. The code reads the number of the value that
 * was chosen: params->option[0] is that of the first option, and 0, the first value, is the
 * default. */
enum { PROTOCOL_MAX_VALUES = 8 };
struct protocol_option {
    const char *name;     /* "timestamps" */
    const char *argument; /* what --help calls the value: "T" */
    const char *about;    /* what is chosen, in a line */
    const char *values[PROTOCOL_MAX_VALUES];
};

enum { PROTOCOL_MAX_INVARIANTS = 8 };

struct protocol {
    const char *file; /* its source, as the compiler was given it */
    const char *name;
    const char *title;
    const char *citation; /* authors, year, figure or theorem */
    unsigned min_n, max_n, default_n;
    bool needs_l_below_n;   /* where the algorithm hands out l slots */
    unsigned min_l;         /* 0: as 1 */
    unsigned max_l;         /* 1: mutual exclusion only */
    unsigned max_k;         /* 0: n */
    enum step_fault fault;  /* the fault it is made for */
    unsigned default_limit; /* of its unbounded counters; 0: it has none */
    bool anonymous;
    unsigned
        broken_from; /* variants from this one on are broken on purpose; 0: none. A step of such a
                             variant that leaves a declared range, or breaks a TRUST, is not made */
    bool counts_for_ever; /* its variables count upwards; the checker sees them through NORMAL */
    bool symmetric;       /* NORMAL can exchange processes */
    bool takes_ranker, takes_graph, takes_reads; /* of the parameters, what makes a difference */
    struct protocol_option options[STEP_MAX_OPTIONS];
    enum step_ranker ranker; /* where nothing else is said */
    enum step_graph graph;
    bool cuts_off;     /* has no limit unless one is given, and NORMAL only then */
    bool first_come;   /* see check/model.h */
    bool ranks_things; /* see check/model.h */
    bool own_steps;    /* enabling is meant in own steps, not in the next one (check/model.h) */
    bool comes_back;   /* a killed process always comes back, and runs REVIVAL */
    bool is_object;    /* not a lock: all processes may be critical at once */
    bool abridges;     /* NORMAL leaves out steps whose outcome is settled, if it may: not where an
                          option has another value than its first */
    bool is_terse;     /* and more of the protocol itself, where exclusion alone is asked */
    const char *invariants[PROTOCOL_MAX_INVARIANTS]; /* their names, in the order of the bits */
    /* Claimed number of values, 0 if it has more than 64 bits; or NULL. */
    uint64_t (*values)(const struct step_params *params);
    uint64_t (*lower)(const struct step_params *params); /* the paper's lower bound; or NULL */
    const char *values_source;
    const struct protocol_variant *variants; /* the first is the protocol itself */
    size_t variant_count;
};

/* How many options a protocol declares, and how many values one of them has. */
static inline unsigned protocol_options(const struct protocol *protocol)
{
    unsigned count = 0;
    while (count < STEP_MAX_OPTIONS && protocol->options[count].name != NULL)
        count++;
    return count;
}

static inline unsigned protocol_values(const struct protocol_option *option)
{
    unsigned count = 0;
    while (count < PROTOCOL_MAX_VALUES && option->values[count] != NULL)
        count++;
    return count;
}

/* Something that the code of a file says, and where: its labels; and in a file that is loaded
 * (STEP_OWN), which words are used that PROTOCOL has to agree with. */
struct step_mark {
    const char *word; /* "label", "ME", "LIMIT", "VARIANT" */
    const char *text; /* the label, or the argument */
    const char *file;
    int value; /* of the argument */
    unsigned line;
};

/* Whether a mark is of a place that steps go through: an access, or an outcome of the access before
 * it. The others are about the file. */
static inline bool protocol_is_access(const struct step_mark *mark)
{
    return mark->word[0] == 'l';
}
static inline bool protocol_is_point(const struct step_mark *mark)
{
    static const char first[] = "lwgOsf"; /* label; waits, goes on, ON, succeeds, fails */
    bool is = false;
    for (unsigned i = 0; first[i] != '\0'; i++)
        is |= mark->word[0] == first[i];
    return is;
}

/* The model expansion of a protocol. */
struct protocol_model {
    const struct protocol *protocol;
    bool can_die, has_doorway;
    const struct step_mark *marks, *marks_end; /* in any order */
    /* Makes the model for these parameters; NULL or a sentence that says why not. */
    const char *(*make)(struct step_model *model, const struct step_params *params);
};

/* The native expansion. Memory for shared and local is zeroed by the caller. */
struct protocol_native {
    const char *name;
    size_t shared_size, local_size;
    size_t private_size; /* of the supervisor's variables; 0: there is no supervisor */
    bool can_die;
    void (*initial)(void *shared, const struct step_params *params);
    /* False: it gave up, and rests again. */
    bool (*entry)(void *shared, void *local, const struct step_params *params, unsigned me);
    void (*exit)(void *shared, void *local, const struct step_params *params, unsigned me);
    /* One step of the supervisor, which is process n. */
    void (*supervise)(void *shared, void *private, const struct step_params *params);
    /* Whether the processes of a set must not be critical at once; NULL: more than l must not. */
    bool (*clash)(void *shared, const struct step_params *params, uint64_t inside);
    /* What a killed process does when it comes back, whose local variables are lost; true: it is
     * critical again. NULL where there is no REVIVAL. */
    bool (*revive)(void *shared, void *local, const struct step_params *params, unsigned me);
    void (*die)(void *shared, void *local, const struct step_params *params, unsigned me);
    /* The slot that a participant inside holds; or NULL where slots have no numbers. */
    unsigned (*slot)(const void *local, const struct step_params *params, unsigned me);
    /* What the participant has seen broken of the invariants that the file states; or NULL. */
    uint64_t (*failed)(const void *local);
};

#define CLAIMS(array) .claims = array, .claim_count = sizeof(array) / sizeof((array)[0])
#define EXPECTED(array) .expected = array, .expected_count = sizeof(array) / sizeof((array)[0])
#define VARIANTS(array) .variants = array, .variant_count = sizeof(array) / sizeof((array)[0])

/* The catalogue: protocol/protocol_list.h, one line for each. */
extern const struct protocol_model *const protocol_models[];
extern const struct protocol_native *const protocol_natives[];
extern const size_t protocol_count;

#endif
