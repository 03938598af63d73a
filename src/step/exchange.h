/*
 * Processes in order, where words name processes: states that differ by an exchange of processes
 * get one form. Included by a protocol file right before its NORMAL section, whose words are then
 *
 *     SORT_PROCESSES          in NORMAL, last: puts the processes in order
 *     EXCHANGES               in ORBIT: the number of states that are exchanges of this one
 *
 * Every cell and every local variable is declared with one word for its kind, in the place where
 * the number of its values stands: cell(T, DRAWS). For each kind K the file defines
 *
 *     SEAT_IN_K(w)            the process that a word of this kind names, or STEP_NO_SEAT, or any
 *                             other number from n on: nobody
 *
 * as a macro that may use `params` and `shared`. A seat is the lowest bits of its word: w - seat +
 * other is the word that names the other one instead. A kind may have arguments, NUMBERS(l + 1):
 * SEAT_IN_NUMBERS(values) is then the name of such a macro. And
 *
 *     SORT_FIRST              a local variable with fewer than 256 values that names nobody, by
 *                             which processes are sorted before all else; of those that there are,
 *                             the one that changes least: as long as the order stays, nothing has
 *                             to be moved
 *
 * Processes are sorted by keys, which are made of all that does not change when processes are
 * exchanged. Two that differ have other keys, except by chance once in 2^56 pairs or so; then a
 * state would be kept twice, and counted twice.
 */
#ifndef BERTH_STEP_EXCHANGE_H
#define BERTH_STEP_EXCHANGE_H

#if defined(HAS_SUPERVISOR) || defined(HAS_LOCK)
#error "step/exchange.h knows cells and processes, and neither a supervisor nor LOCK"
#endif

#define STEP_NO_SEAT (~(word)0)

#if !defined(STEP_MODEL) || defined(STEP_RULES) /* nobody is exchanged but by the checker */
#define SORT_PROCESSES ((void)0)
#define EXCHANGES 1
#else

/* Not needed so far, and not to be forgotten in silence. */
#define STEP_NO_REGISTERS(name, kind)                                                              \
    _Static_assert(!sizeof #name, "step/exchange.h does not exchange registers");
#define STEP_NO_ARRAY(name, count, kind)                                                           \
    _Static_assert(!sizeof #name, "step/exchange.h does not exchange local arrays");

/* What tells processes apart. Those with equal keys may be alike. */
struct step_likeness {
    word key[CHECK_MAX_PROCESSES];
    word plain; /* the processes that name nobody, and that nobody names */
    bool alike; /* two that are not plain have equal keys */
};

static inline word step_mixed(word key, word value)
{
    return (key + value) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Mixes a sum before it is added to others: otherwise different sums might cancel each other. */
static inline word step_scrambled(word key)
{
    const word folded = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return folded ^ folded >> 32;
}

/* A word as it is without the seat that it names. */
static inline word step_seatless(word w, word seat, word n)
{
    return seat < n ? (w - seat) << 1 | 1 : w << 1;
}

static inline word step_moved_seat(const word *to, word seat, word n)
{
    return seat < n ? to[seat] : seat;
}

static inline word step_moved_word(const word *to, word w, word seat, word n)
{
    return seat < n ? w - seat + to[seat] : w;
}

/* What a process is, except its number and the seats that it names. */
#define STEP_MIX_PLACE(name) key = step_mixed(key, my->pc_##name);
#define STEP_MIX_LOCAL(name, kind)                                                                 \
    key = step_mixed(key, step_seatless(my->name, SEAT_IN_##kind(my->name), n));
static inline word step_key_of(const struct step_params *params, const struct step_shared *shared,
                               const struct step_local *my, word alive)
{
    const word n = params->n;
    word key = step_mixed(step_mixed(0, alive), my->pc);
    (void)shared;
    SUBS(STEP_MIX_PLACE)
    LOCALS(STEP_MIX_LOCAL)
    LOCAL_ARRAYS(STEP_NO_ARRAY)
    return step_scrambled(key);
}

/* Where a seat is named in shared words, and how often: these are looked at in a fixed order. The
 * set of seats that are named is kept too. */
static inline word step_note_cell(word *mentions, word where, word seat, word n)
{
    if (seat >= n)
        return 0;
    mentions[seat] = step_mixed(mentions[seat], where);
    return (word)1 << seat;
}

/* By whom a seat is named, that is by its key: processes come in any order, and the sum has none. A
 * process that names another one is in the set as well. */
static inline word step_note_local(word *mentions, word key, word where, word by, word seat, word n)
{
    if (seat >= n)
        return 0;
    mentions[seat] += step_scrambled(key + (where << 1 | (by == seat)));
    return (word)1 << seat | (word)1 << by;
}

#define STEP_NOTE_CELL(name, kind)                                                                 \
    named |= step_note_cell(mentions, ++where, SEAT_IN_##kind(shared->name), n);
#define STEP_NOTE_CELLS(name, count, kind)                                                         \
    for (word i = 0; i < (count); i++)                                                             \
        named |= step_note_cell(mentions, ++where, SEAT_IN_##kind(shared->name[i]), n);
#define STEP_NOTE_LOCAL(name, kind)                                                                \
    named |= step_note_local(mentions, key[p], ++where, p, SEAT_IN_##kind(each[p].name), n);
static inline word step_find_mentions(const struct step_params *params,
                                      const struct step_shared *shared,
                                      const struct step_local *each, const word *key,
                                      word *mentions)
{
    const word n = params->n, l = params->l;
    word named = 0, where = 0;
    (void)l;
    for (word p = 0; p < n; p++)
        mentions[p] = 0;
    CELLS(STEP_NOTE_CELL, STEP_NOTE_CELLS, STEP_NO_REGISTERS)
    for (word p = 0; p < n; p++) {
        where = 0;
        LOCALS(STEP_NOTE_LOCAL)
    }
    return named;
}

static inline void step_tell_apart(const struct step_params *params,
                                   const struct step_shared *shared, const struct step_local *each,
                                   struct step_likeness *likeness)
{
    word mentions[CHECK_MAX_PROCESSES], *const key = likeness->key;
    for (unsigned p = 0; p < params->n; p++)
        key[p] = step_key_of(params, shared, &each[p], shared->step_alive[p]);
    likeness->plain = ~step_find_mentions(params, shared, each, key, mentions);
    likeness->alike = false;
    for (unsigned p = 0; p < params->n; p++) {
        key[p] = each[p].SORT_FIRST << 56 | step_mixed(key[p], mentions[p]) >> 8;
        for (unsigned q = 0; q < p; q++)
            likeness->alike |= !(likeness->plain >> p & 1) && key[q] == key[p];
    }
}

/* The next exchange among processes with equal keys that are not plain, in lexical order; false:
 * that was the last. */
static inline bool step_next_exchange(const struct step_params *params,
                                      const struct step_likeness *likeness, word *to)
{
    const unsigned n = (unsigned)params->n;
    const word *const key = likeness->key;
    for (unsigned i = n - 1; i-- > 0;) {
        unsigned with = n; /* behind i: the least that is larger */
        for (unsigned j = i + 1; j < n && !(likeness->plain >> i & 1); j++) {
            if (to[j] > to[i] && key[to[j]] == key[to[i]] && (with == n || to[j] < to[with]))
                with = j;
        }
        if (with == n)
            continue;
        const word moved = to[i];
        to[i] = to[with];
        to[with] = moved;
        /* The rest begins again: of each key the processes in ascending order. */
        for (unsigned a = i + 1; a < n; a++) {
            for (unsigned b = a + 1; b < n; b++) {
                if (key[to[b]] == key[to[a]] && to[b] < to[a]) {
                    const word later = to[a];
                    to[a] = to[b];
                    to[b] = later;
                }
            }
        }
        return true;
    }
    return false;
}

/* Compares whom processes name after the exchange `one`, and after `other`: -1, 0, 1. */
#define STEP_COMPARE_LOCAL(name, kind)                                                             \
    a = step_moved_seat(one, SEAT_IN_##kind(left->name), n);                                       \
    b = step_moved_seat(other, SEAT_IN_##kind(right->name), n);                                    \
    if (a != b)                                                                                    \
        return a < b ? -1 : 1;
static inline int step_compare_names(const struct step_params *params,
                                     const struct step_shared *shared,
                                     const struct step_local *each, const word *one,
                                     const word *other)
{
    const word n = params->n;
    word at[2][CHECK_MAX_PROCESSES], a, b;
    (void)shared;
    for (unsigned p = 0; p < n; p++) {
        at[0][one[p]] = p;
        at[1][other[p]] = p;
    }
    for (unsigned place = 0; place < n; place++) {
        const struct step_local *left = &each[at[0][place]], *right = &each[at[1][place]];
        (void)left, (void)right; /* where no local variable names a process */
        LOCALS(STEP_COMPARE_LOCAL)
    }
    return 0;
}

/* Takes the order with the least names among those that the keys leave open. */
static inline void step_choose_order(const struct step_params *params,
                                     const struct step_shared *shared,
                                     const struct step_local *each,
                                     const struct step_likeness *likeness, word *to)
{
    word exchange[CHECK_MAX_PROCESSES], order[CHECK_MAX_PROCESSES], first[CHECK_MAX_PROCESSES];
    for (unsigned p = 0; p < params->n; p++) {
        exchange[p] = p;
        first[p] = to[p];
    }
    while (step_next_exchange(params, likeness, exchange)) {
        for (unsigned p = 0; p < params->n; p++)
            order[p] = first[exchange[p]];
        const bool less = step_compare_names(params, shared, each, order, to) < 0;
        for (unsigned p = 0; p < params->n && less; p++)
            to[p] = order[p];
    }
}

/* Exchanges the processes, so that process p becomes process to[p]. */
#define STEP_MOVE_LOCAL(name, kind)                                                                \
    my->name = step_moved_word(to, my->name, SEAT_IN_##kind(my->name), n);
#define STEP_MOVE_CELL(name, kind)                                                                 \
    shared->name = step_moved_word(to, shared->name, SEAT_IN_##kind(shared->name), n);
#define STEP_MOVE_CELLS(name, count, kind)                                                         \
    for (word i = 0; i < (count); i++)                                                             \
        shared->name[i] = step_moved_word(to, shared->name[i], SEAT_IN_##kind(shared->name[i]), n);
static inline void step_move_processes(const struct step_params *params, struct step_shared *shared,
                                       struct step_local *each, const word *to)
{
    const word n = params->n, l = params->l;
    struct step_local moved[CHECK_MAX_PROCESSES];
    word alive[CHECK_MAX_PROCESSES];
    (void)l;
    for (unsigned p = 0; p < n; p++) {
        struct step_local *my = &moved[to[p]];
        step_copy_local(my, &each[p]);
        LOCALS(STEP_MOVE_LOCAL)
        alive[to[p]] = shared->step_alive[p];
    }
    for (unsigned p = 0; p < n; p++) {
        step_copy_local(&each[p], &moved[p]);
        shared->step_alive[p] = alive[p];
    }
    CELLS(STEP_MOVE_CELL, STEP_MOVE_CELLS, STEP_NO_REGISTERS)
}

/* For the checker, if it wants to know. */
#ifdef STEP_DEVICE
#define STEP_TELL_EXCHANGE(run, n, to) ((void)(run))
#else
static inline void step_tell_exchange(const struct step_run *run, word n, const word *to)
{
    for (unsigned p = 0; run->to != NULL && p < n; p++)
        run->to[p] = (uint8_t)to[p];
}
#define STEP_TELL_EXCHANGE(run, n, to) step_tell_exchange(run, n, to)
#endif

static inline void step_sort_processes(const struct step_run *run, const struct step_params *params,
                                       struct step_shared *shared, struct step_local *each)
{
    struct step_likeness likeness;
    word to[CHECK_MAX_PROCESSES];
    const word *const key = likeness.key;
    bool sorted = true;
    step_tell_apart(params, shared, each, &likeness);
    for (unsigned p = 0; p < params->n; p++) {
        to[p] = 0;
        for (unsigned q = 0; q < params->n; q++)
            to[p] += key[q] < key[p] || (key[q] == key[p] && q < p);
    }
    if (likeness.alike)
        step_choose_order(params, shared, each, &likeness, to);
    for (unsigned p = 0; p < params->n; p++)
        sorted &= to[p] == p;
    if (!sorted)
        step_move_processes(params, shared, each, to);
    STEP_TELL_EXCHANGE(run, params->n, to);
}
#define SORT_PROCESSES step_sort_processes(run, params, shared, each)

/* All n! exchanges, except those among plain processes that are alike, divided by those that change
 * nothing. */
static inline word step_exchanges(const struct step_params *params,
                                  const struct step_shared *shared, const struct step_local *each)
{
    struct step_likeness likeness;
    word to[CHECK_MAX_PROCESSES], nobody_moves[CHECK_MAX_PROCESSES], orbit = 1, same = 1;
    step_tell_apart(params, shared, each, &likeness);
    for (word p = 0; p < params->n; p++) {
        word run = 1; /* p, and those before it that are plain and have its key */
        for (word q = 0; q < p && likeness.plain >> p & 1; q++)
            run += likeness.key[q] == likeness.key[p];
        orbit = orbit * (p + 1) / run;
        to[p] = nobody_moves[p] = p;
    }
    while (likeness.alike && step_next_exchange(params, &likeness, to))
        same += step_compare_names(params, shared, each, to, nobody_moves) == 0;
    return orbit / same;
}
#define EXCHANGES step_exchanges(params, shared, each)

#endif

#endif
