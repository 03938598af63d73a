/*
 * The words of the notation that a protocol file uses, and the properties that mean something else
 * with them than what is proved here. A word that is not in this table is not known to the prover:
 * nothing is proved of a file that uses it (tests/cli/prove-traps.sh compares the table with the
 * notation).
 */
#include "prove/known_words.h"

#include "check/property.h"

#include <string.h>

#define ONE(property) (UINT64_C(1) << (property))

/* About enabling, where the methods here mean enabling by the next step. */
#define BY_NEXT_STEP                                                                               \
    (ONE(CHECK_KL_DEADLOCK_FREE) | ONE(CHECK_FINITE_WAITING_ENABLING) |                            \
     ONE(CHECK_BOUNDED_WAITING_ENABLING) | ONE(CHECK_L_FULL) | ONE(CHECK_QUEUELIKE))

#define NOTHING UINT64_C(0)
#define ALL (~UINT64_C(0))
/* Shown by one state, however processes are ordered and whatever they come to. */
#define BY_ONE_STATE                                                                               \
    (ONE(CHECK_EXCLUSION) | ONE(CHECK_DISTINCT_SLOTS) | ONE(CHECK_VALUES) | ONE(CHECK_NO_MEMORY))

static const struct {
    const char *word;
    uint64_t changes; /* a set of properties */
} words[] = {
    /* What the rules say of it, or what the methods ask for. */
    {"HAS_DOORWAY", NOTHING},
    {"HAS_INITIAL", NOTHING},
    {"HAS_DEATH", NOTHING},
    {"HAS_REVIVAL", NOTHING},
    {"HAS_CHOICE", NOTHING},
    {"HAS_TRUST", NOTHING},
    {"HAS_LOCK", NOTHING},
    {"HAS_SLOT", NOTHING},
    {"HAS_SLOTS", NOTHING},
    {"HAS_OWNED_CELLS", NOTHING},
    {"HAS_NAMES", NOTHING},
    {"HAS_PROOF", NOTHING},
    {"HAS_MORE_PROOF", NOTHING},
    /* Which states the checker takes for one, and how it shows them. */
    {"HAS_NORMAL", NOTHING},
    {"HAS_NORMAL_CHOICE", NOTHING},
    {"HAS_ORBIT", NOTHING},
    {"HAS_SETTLED", NOTHING},
    {"HAS_SHOW", NOTHING},
    /* Properties for which there is no method here; ACTIVE is for the bound of linear waiting from
     * the first store, which is not claimed. */
    {"HAS_ACTIVE", NOTHING},
    {"HAS_INVARIANTS", NOTHING},
    {"HAS_PROPERTIES", NOTHING},
    {"HAS_HISTORY", NOTHING},
    {"HAS_PROMISES", NOTHING},
    {"HAS_RANKS", NOTHING},
    {"HAS_AHEAD", NOTHING},
    /* Another exclusion than by number, and orders and bounds among those that exclude. */
    {"HAS_CLASH", ~(ONE(CHECK_VALUES) | ONE(CHECK_NO_MEMORY))},
    /* The rules do not say what these do. */
    {"HAS_MEMORY", ALL},
    {"HAS_SUPERVISOR", ALL},

    {".name", NOTHING},
    {".title", NOTHING},
    {".citation", NOTHING},
    {".min_n", NOTHING},
    {".max_n", NOTHING},
    {".default_n", NOTHING},
    {".needs_l_below_n", NOTHING},
    {".min_l", NOTHING},
    {".max_l", NOTHING},
    {".max_k", NOTHING},
    {".fault", NOTHING},
    {".default_limit", NOTHING},
    {".anonymous", NOTHING},
    {".broken_from", NOTHING},
    {".counts_for_ever", NOTHING},
    {".symmetric", NOTHING},
    {".cuts_off", NOTHING},
    {".abridges", NOTHING},
    {".is_terse", NOTHING},
    {".invariants", NOTHING},
    {".values", NOTHING},
    {".lower", NOTHING},
    {".values_source", NOTHING},
    {".variants", NOTHING},
    {".variant_count", NOTHING},
    /* Enabling is meant in own steps. */
    {".own_steps", BY_NEXT_STEP},
    /* The order of those that came first lasts until they have left. */
    {".first_come", ONE(CHECK_FIFO) | ONE(CHECK_FIFO_ENABLING) | ONE(CHECK_QUEUELIKE) |
                        ONE(CHECK_FIRST_IN_FIRST_ENABLED)},
    /* The order is one of things that are not processes. */
    {".ranks_things", ~(ONE(CHECK_EXCLUSION) | ONE(CHECK_VALUES) | ONE(CHECK_NO_MEMORY))},
    /* A process that was killed does not stay dead in a fair schedule. */
    {".comes_back", ALL & ~BY_ONE_STATE},
    /* There is no critical region in the sense of the properties. */
    {".is_object", ~(ONE(CHECK_VALUES) | ONE(CHECK_NO_MEMORY))},
    /* The rules are those of one value of these parameters. */
    {".takes_ranker", ALL},
    {".takes_graph", ALL},
    {".takes_reads", ALL},
    {".ranker", ALL},
    {".graph", ALL},
    {".options", ALL},
};

bool prove_word_is_known(const char *word)
{
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        if (strcmp(words[w].word, word) == 0)
            return true;
    }
    return false;
}

static bool changes(const char *word, enum check_property property)
{
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        if (strcmp(words[w].word, word) == 0)
            return (words[w].changes & ONE(property)) != 0;
    }
    return true;
}

const char *prove_word_changing(const struct prove_reading *reading, enum check_property property)
{
    for (const struct prove_list *each = prove_nth(reading->words, 1); each != NULL;
         each = each->next) {
        if (each->atom == NULL)
            return "a list";
        if (changes(each->atom, property))
            return each->atom;
    }
    return NULL;
}
