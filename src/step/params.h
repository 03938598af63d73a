/* What a protocol is run with. */
#ifndef BERTH_STEP_PARAMS_H
#define BERTH_STEP_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef STEP_RULES /* the third reading: values are terms (rules.hh) */
#include "step/term.hh"
#else
typedef uint64_t word;      /* what a shared or local variable holds */
typedef unsigned step_size; /* what says how large the system is */
#define STEP_NUMBER(value) (value) /* where C wants a number */
#define STEP_WORDS(name, count) word name[count]
#endif
typedef uint64_t step_place; /* where a process is in a section; always a number */

enum step_fault {
    STEP_FAULT_NONE,
    STEP_FAULT_DEATH, /* the process stops, its registers take the dead value, it may come back */
    STEP_FAULT_SLEEP, /* it stops and nobody can tell; a fair schedule need not move it */
    STEP_FAULT_KILL,  /* it stops in the middle, and the others can find out that it did */
};

enum step_ranker { STEP_RANKER_0, STEP_RANKER_A, STEP_RANKER_C, STEP_RANKER_S };

/* How the rank and the state of another are read: at once, or one after the other. */
enum step_reads { STEP_READS_PACKED, STEP_READS_STATE_RANK, STEP_READS_RANK_STATE };

enum step_graph { STEP_GRAPH_COMPLETE, STEP_GRAPH_RING, STEP_GRAPH_PATH, STEP_GRAPH_GIVEN };
enum { STEP_MAX_VERTICES = 16 };
enum { STEP_MAX_OPTIONS = 4 }; /* that a protocol declares */

enum { STEP_NO_LIMIT = 1000 }; /* as a limit: there is none, where the protocol permits that */

/* What stores do (memory.h): they take effect at once; or wait in a buffer, all but the atomic
 * ones, or those that the program lets wait (WRITE_LATE). */
enum step_memory_model { STEP_SC, STEP_TSO, STEP_TSO_NATIVE };
/* What a read of a register gives while its owner writes it. */
enum step_register_kind { STEP_ATOMIC, STEP_REGULAR, STEP_SAFE };
/* Which references are remote: with caches, or where every variable lives with one process. */
enum step_remote { STEP_REMOTE_NONE, STEP_REMOTE_CC, STEP_REMOTE_DSM };

enum { STEP_MAX_BUFFER = 8, STEP_MAX_ORDERED = 64 };
struct step_access { /* in the source of a protocol */
    const char *label;
    unsigned line;
};
/* Stores that reach memory at once, with all that wait before them, though the others do not. */
struct step_ordered {
    unsigned count;
    struct step_access access[STEP_MAX_ORDERED];
};

struct step_params {
    step_size n;      /* processes */
    step_size l;      /* slots */
    step_size k;      /* fewer than k processes may fail */
    unsigned variant; /* 0: the protocol itself; else the number of one of its variants */
    step_size limit;  /* where an unbounded counter is cut off */
    unsigned kills;   /* how many kills may happen in a run, where the fault is kill */
    enum step_fault fault;
    enum step_ranker ranker;
    enum step_reads reads;
    enum step_graph graph;            /* who is whose neighbour */
    const uint16_t *neighbours;       /* where the graph is given: n sets of processes */
    uint8_t option[STEP_MAX_OPTIONS]; /* the value of each, by its number in the declaration */
    enum step_memory_model memory;
    unsigned buffer;                    /* stores that may wait, of each process */
    const struct step_ordered *ordered; /* or NULL */
    enum step_register_kind registers;
    enum step_remote remote;
    unsigned passages; /* the most times a process leaves its remainder; 0: no bound */
    bool abridged;     /* steps whose outcome is settled may be left out */
    bool terse;        /* and more, since nothing but exclusion is asked */
    bool as_it_is;  /* no NORMAL and no SETTLED: states are exactly those that the steps lead to */
    bool gated;     /* natively: this protocol runs inside an l-exclusion protocol */
    bool symmetric; /* the checker may exchange processes, where the protocol knows how (NORMAL) */
};

/* The neighbours of process p. */
static inline word step_neighbours(const struct step_params *params, word p)
{
    const word n = params->n, all = ((word)1 << n) - 1, me = (word)1 << p;
    switch (params->graph) {
    case STEP_GRAPH_RING: return ((word)1 << (p + 1) % n | (word)1 << (p + n - 1) % n) & ~me;
    case STEP_GRAPH_PATH: return (me << 1 | me >> 1) & all;
    case STEP_GRAPH_GIVEN: return params->neighbours[STEP_NUMBER(p)];
    case STEP_GRAPH_COMPLETE:
    default: return all & ~me;
    }
}

#endif
