#include "check/property.h"

#include <string.h>

static const char *const names[CHECK_PROPERTIES] = {
    [CHECK_EXCLUSION] = "exclusion",
    [CHECK_DISTINCT_SLOTS] = "distinct-slots",
    [CHECK_NO_SLOT_LOST] = "no-slot-lost",
    [CHECK_DEADLOCK_FREE] = "deadlock-free",
    [CHECK_KL_DEADLOCK_FREE] = "kl-deadlock-free",
    [CHECK_LOCKOUT_FREE] = "lockout-free",
    [CHECK_FINITE_WAITING] = "finite-waiting",
    [CHECK_BOUNDED_WAITING] = "bounded-waiting",
    [CHECK_LINEAR_WAITING] = "linear-waiting",
    [CHECK_FIFO] = "fifo",
    [CHECK_NO_MEMORY] = "no-memory",
    [CHECK_FINITE_WAITING_ENABLING] = "finite-waiting-enabling",
    [CHECK_BOUNDED_WAITING_ENABLING] = "bounded-waiting-enabling",
    [CHECK_FIFO_ENABLING] = "fifo-enabling",
    [CHECK_L_FULL] = "l-full",
    [CHECK_QUEUELIKE] = "queuelike",
    [CHECK_WAIT_FREE_DOORWAY] = "wait-free-doorway",
    [CHECK_FIRST_IN_FIRST_ENABLED] = "first-in-first-enabled",
    [CHECK_STRONG_FIRST_IN_FIRST_ENABLED] = "strong-first-in-first-enabled",
    [CHECK_OVERTAKING] = "overtaking",
    [CHECK_L_LOCKOUT_FREE] = "l-lockout-free",
    [CHECK_VALUES] = "values",
    [CHECK_WINDOW] = "window",
    [CHECK_INVARIANTS] = "invariants",
    [CHECK_RESPONSIVE] = "responsive",
    [CHECK_PRECEDENCE] = "precedence",
    [CHECK_ACYCLIC] = "acyclic",
    [CHECK_COMPARABLE] = "comparable",
    [CHECK_STABLE] = "stable",
    [CHECK_REENTRY] = "critical-section-reentry",
    [CHECK_BOUNDED_RECOVERY] = "bounded-recovery",
    [CHECK_BOUNDED_EXIT] = "bounded-exit",
    [CHECK_BOUNDED_ABORT] = "bounded-abort",
    [CHECK_OWN] = "properties",
};

static const char *const meanings[CHECK_PROPERTIES] = {
    [CHECK_EXCLUSION] = "There are never more processes in their critical region than there are "
                        "slots.",
    [CHECK_DISTINCT_SLOTS] = "No two processes hold the same slot, and nobody holds one that does "
                             "not exist.",
    [CHECK_NO_SLOT_LOST] = "Whatever happened, the living can fill all slots again, or all get one "
                           "where they are fewer.",
    [CHECK_DEADLOCK_FREE] = "While somebody wants something, somebody gets on: it never happens "
                            "that all take steps for ever and nobody changes its region.",
    [CHECK_KL_DEADLOCK_FREE] = "A free slot does not stay free while somebody waits for it, even "
                               "if fewer than k processes stop silently.",
    [CHECK_LOCKOUT_FREE] = "Nobody who keeps taking steps waits for ever.",
    [CHECK_BOUNDED_WAITING] = "While one process waits, each other one goes from its remainder to "
                              "its critical region at most a fixed number of times.",
    [CHECK_LINEAR_WAITING] = "While one process waits past its doorway, each other one becomes "
                             "critical at most a fixed number of times.",
    [CHECK_FIFO] =
        "First come, first served: who was not even trying when a process had passed its "
        "doorway does not get in before it.",
    [CHECK_NO_MEMORY] = "A process remembers nothing from one visit to the next.",
    [CHECK_FINITE_WAITING_ENABLING] = "Nobody waits for ever to be enabled while another goes in "
                                      "and out, even if fewer than k processes stop silently.",
    [CHECK_BOUNDED_WAITING_ENABLING] =
        "While one process waits to be enabled, each other one goes from its remainder to its "
        "critical region at most a fixed number of times.",
    [CHECK_FIFO_ENABLING] =
        "A process that was not even trying when another had passed its doorway does not "
        "get in before that process is enabled.",
    [CHECK_L_FULL] = "As many of those who wait are enabled as there are free slots.",
    [CHECK_QUEUELIKE] =
        "It behaves like a queue: nobody has to do anything to leave, free slots are "
        "given at once, and in order.",
    [CHECK_WAIT_FREE_DOORWAY] = "A process gets through its doorway in a fixed number of its own "
                                "steps, whatever the others do.",
    [CHECK_FIRST_IN_FIRST_ENABLED] =
        "A process that was not even trying when another had passed its doorway does not become "
        "critical before that process is enabled.",
    [CHECK_STRONG_FIRST_IN_FIRST_ENABLED] =
        "A process that was not even trying when another had passed its doorway is not enabled "
        "before it.",
    [CHECK_OVERTAKING] = "While one process waits past its doorway and is not enabled, others go "
                         "from their remainder to their critical region at most a fixed number of "
                         "times, all taken together.",
    [CHECK_L_LOCKOUT_FREE] = "Nobody who keeps taking steps waits for ever, even if fewer "
                             "processes than there are slots stop wherever they are.",
    [CHECK_VALUES] = "No shared variable takes more than this many values.",
    [CHECK_WINDOW] = "The first invariant that the protocol states holds in every state.",
    [CHECK_INVARIANTS] = "All invariants that the protocol states hold in every state.",
    [CHECK_RESPONSIVE] =
        "A process that asks for a rank has it after a fixed number of its own steps, whatever "
        "the others do.",
    [CHECK_PRECEDENCE] =
        "A process that had its rank before another asked for one has the higher rank.",
    [CHECK_ACYCLIC] = "The ranks never form a circle in which each is lower than the next.",
    [CHECK_COMPARABLE] = "Of any two that are ranked, one is lower.",
    [CHECK_STABLE] =
        "A process that has the higher rank of two keeps it as long as it keeps its rank.",
    [CHECK_REENTRY] = "A process that is killed in its critical region keeps its slot: nobody else "
                      "gets it before that process is critical again.",
    [CHECK_BOUNDED_RECOVERY] =
        "A process that comes back after a kill is done with its recovery in "
        "a fixed number of its own steps, whatever the others do.",
    [CHECK_BOUNDED_EXIT] =
        "A process that leaves its critical region is in its remainder in a fixed "
        "number of its own steps, whatever the others do.",
    [CHECK_BOUNDED_ABORT] = "A process that gives up waiting is in its remainder in a fixed number "
                            "of its own steps, whatever the others do.",
    [CHECK_OWN] = "The properties that the protocol file states itself hold of every process.",
    [CHECK_FINITE_WAITING] =
        "Nobody waits for ever while another goes in and out, even if fewer than "
        "k processes stop silently.",
};

const char *check_property_meaning(enum check_property property)
{
    return meanings[property];
}

const char *check_property_name(enum check_property property)
{
    return names[property];
}

bool check_property_find(const char *name, enum check_property *property)
{
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (strcmp(names[p], name) == 0) {
            *property = (enum check_property)p;
            return true;
        }
    }
    return false;
}
