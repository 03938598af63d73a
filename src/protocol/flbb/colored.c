/*
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Resource Allocation with Immunity to Limited
 * Process Failure, FOCS 1979, Theorem 4.2: colored tickets. Tickets are issued in the order of
 * arrival and validated in the same order, each time a process leaves; l are valid at any time. A
 * ticket is a number and one of l + 1 colors, so that a number can be used again while an old
 * ticket with it is still held.
 *
 * Departures from the paper:
 *  1. Any color of which no ticket is valid will do for a new one; here it is the least.
 *  2. A process keeps its ticket until it has left, although the number is not used in the
 *     critical region: the invariants are about the tickets that are held.
 *  3. For N <= l everybody may be let in; that is left out here: l < N.
 */
#define NAME flbb_colored
#define CELLS(cell, cells, registers) \
    cell(issued, n + 1) cell(issued_color, l + 1) /* the last ticket issued; numbers are 1 .. N */ \
    cell(valid, n + 1) cell(valid_color, l + 1)   /* the last ticket validated */ \
    cells(QUANT, l + 1, l + 1)                    /* valid tickets of each color */
#define LOCALS(local) local(number, n + 1) local(color, l + 1) /* the ticket; number 0: none */
#define HAS_LOCK
#define HAS_INITIAL
#define HAS_PROOF
#define HAS_NAMES
#define PROOF_IS_NOT_FOR DECREMENT_FIRST /* which looks for a color in what it has changed */
/* What only PROOF knows, of the endless stream of tickets, counted from 0; see there. */
#define WITNESSES(cells) \
    cells(end, 2, UNBOUNDED) cells(end_of, n, UNBOUNDED) cells(holder_of, UNBOUNDED, n) \
    cells(seat_of, UNBOUNDED, l) cells(ticket_of, l, UNBOUNDED) cells(tint, l, l + 1)
#if defined(STEP_MODEL) && !defined(STEP_RULES)
#define HAS_INVARIANTS
#endif
#include "step/step.h"
#include "protocol/flbb/lower.h"

enum { ITSELF, DECREMENT_FIRST, FEW_COLORS };

enum { LAST_ISSUED, LAST_VALID };

enum leader { NEITHER, ISSUE, VALID };

/* Which of the two pointers is ahead in the stream of tickets. They are in the same block of N
 * numbers, which has one color, or in neighbouring blocks. */
static inline enum leader lead(const struct step_variable *V)
{
    if (V->issued == V->valid)
        return NEITHER;
    const bool same_block = V->issued_color == V->valid_color, higher = V->valid > V->issued;
    return higher == same_block ? VALID : ISSUE;
}

/* A color of which no ticket is valid. There is one, except in the variants. */
static inline word newcolor(const struct step_variable *V, word colors)
{
    const word x = POSITION(V->QUANT, colors, 0);
    return x < colors ? x : 0;
}

/* Whether the ticket has been issued and not validated. */
static inline bool invalid(const struct step_variable *V, word m, word x)
{
    if (lead(V) != ISSUE)
        return false;
    if (V->issued_color == V->valid_color)
        return x == V->issued_color && V->valid < m && m <= V->issued;
    return (x == V->valid_color && m > V->valid) || (x == V->issued_color && m <= V->issued);
}

#define COLORS (VARIANT(FEW_COLORS) ? l : l + 1)

INITIAL
    SHARED(issued) = n;
    SHARED(issued_color) = 1;
    SHARED(valid) = l;
    SHARED(valid_color) = 0;
    SHARED(QUANT[0]) = l;
    WITNESS(end[LAST_VALID], n);
    FOR_EACH(i, l)
        WITNESS(seat_of[i], i);
    FOR_EACH(i, l)
        WITNESS(ticket_of[i], i);
END_INITIAL

/* The next ticket to be issued, and to be validated; the ticket of a process that has one. */
#define NEXT_ISSUED (V->end[LAST_ISSUED] + V->issued - n)
#define NEXT_VALID (V->end[LAST_VALID] + V->valid - n)
#define ITS_SEAT (V->seat_of[V->end_of[ME] + number - n - 1])

ENTRY
    bool waits;
    LOCK(enter)
        color = V->issued < n         ? V->issued_color
                : lead(V) == VALID ? V->valid_color
                                   : newcolor(V, COLORS);
        number = V->issued < n ? V->issued + 1 : 1;
        WITNESS(holder_of[NEXT_ISSUED], ME);
        WITNESS(end_of[ME], V->end[LAST_ISSUED] + (V->issued < n ? 0 : n));
        WITNESS(end[LAST_ISSUED], V->end[LAST_ISSUED] + (V->issued < n ? 0 : n));
        V->issued = number;
        V->issued_color = color;
    UNLOCK
    do {
        LOCK(test)
            waits = invalid(V, number, color);
        UNLOCK
    } while (waits);
END

EXIT
    LOCK(leave)
        if (VARIANT(DECREMENT_FIRST))
            V->QUANT[color] -= 1;
        if (V->valid == n)
            V->valid_color = lead(V) == ISSUE ? V->issued_color : newcolor(V, COLORS);
        WITNESS(tint[ITS_SEAT], V->valid_color);
        WITNESS(ticket_of[ITS_SEAT], NEXT_VALID);
        WITNESS(seat_of[NEXT_VALID], ITS_SEAT);
        WITNESS(end[LAST_VALID], V->end[LAST_VALID] + (V->valid == n ? n : 0));
        V->valid = V->valid == n ? 1 : V->valid + 1;
        V->QUANT[V->valid_color] += 1;
        if (!VARIANT(DECREMENT_FIRST))
            V->QUANT[color] -= 1;
    UNLOCK
    FORGET(number);
    FORGET(color);
END

#ifdef STEP_RULES
/*
 * For every n and l. Ticket t of the stream is in a block of n tickets, which has one color; `end`
 * is where the blocks of the last ticket issued and of the last one validated end, `end_of` where
 * that of a process's ticket does. Each valid ticket has a seat, a number below l: at first ticket
 * t has seat t, and a process that leaves gives its seat to the ticket that it validates. A seat
 * has the tint of its ticket's color.
 */
PROOF
    const word issue = end[LAST_ISSUED] + issued - n, next = end[LAST_VALID] + valid - n;
    const word number = MINE(I, number), color = MINE(I, color);
    const word ticket = end_of[I] + number - n - 1;
    const word seat = seat_of[ticket], first = end[LAST_ISSUED], second = end[LAST_VALID];
    const cond holds = !IS_IN(I, REMAINDER), is_valid = holds && ticket < next;
    const word theirs = end_of[J] + MINE(J, number) - n - 1;
    INVARIANT("numbers are from 1 to n", 1 <= issued && 1 <= valid && implies(holds, 1 <= number));
    INVARIANT("tickets are counted from 0, and l are valid at first",
              0 <= issue && l <= next && implies(holds, 0 <= ticket));
    INVARIANT("the pointers are in the same block or in neighbouring ones",
              first == second || first + n == second || second + n == first);
    INVARIANT("the pointers tell how many hold a ticket", issue + l - next == n - IN(REMAINDER));
    INVARIANT("blocks that are neighbours differ in their color",
              implies(first == second, issued_color == valid_color) &&
                  implies(first != second, issued_color != valid_color));
    INVARIANT("a ticket that is held has been issued",
              implies(holds, ticket < issue && (end_of[I] == first || end_of[I] + n <= first)));
    INVARIANT("and is in the block of the last one validated, or before it, or behind it",
              implies(holds, end_of[I] == second || end_of[I] + n <= second ||
                                 end_of[I] == second + n));
    INVARIANT("it has the color of its block",
              implies(holds && end_of[I] == first, color == issued_color) &&
                  implies(holds && end_of[I] == second, color == valid_color));
    INVARIANT("nobody holds another's ticket",
              implies(holds && !IS_IN(J, REMAINDER), ticket != theirs));
    INVARIANT("whoever is critical holds a valid ticket",
              implies(IS_IN(I, CRITICAL), ticket < next));
    INVARIANT("a valid ticket that is held has a seat to itself, and is counted",
              implies(is_valid, 0 <= seat && seat < l && ticket_of[seat] == ticket &&
                                    tint[seat] == color && 1 <= QUANT[color]));
    INVARIANT("so has one that has not been issued",
              implies(issue <= ANY_TURN && ANY_TURN < next,
                      0 <= seat_of[ANY_TURN] && seat_of[ANY_TURN] < l &&
                          ticket_of[seat_of[ANY_TURN]] == ANY_TURN &&
                          tint[seat_of[ANY_TURN]] ==
                              EITHER(second <= ANY_TURN + n, valid_color, issued_color)));
    INVARIANT("a ticket of the last valid color is valid", 1 <= QUANT[valid_color]);
    INVARIANT("the counts are those of the valid tickets",
              implies(0 <= ANY && ANY <= l, QUANT[ANY] == HOW_MANY(tint, ANY)));
    PIGEONHOLES("no ticket of some color is valid", 0, POSITION(QUANT, l + 1, 0),
                POSITION(tint, l, ANY_TURN), l);
    INVARIANT("a valid ticket of an older block has another color than the pointers",
              implies(is_valid && end_of[I] != first && end_of[I] != second,
                      color != issued_color && color != valid_color));
    INVARIANT("a ticket that has been issued and not validated is held",
              implies(next <= ANY_TURN && ANY_TURN < issue,
                      IS_PROCESS(holder_of[ANY_TURN]) &&
                          !IS_IN(holder_of[ANY_TURN], REMAINDER) &&
                          end_of[holder_of[ANY_TURN]] +
                                  MINE(holder_of[ANY_TURN], number) - n - 1 ==
                              ANY_TURN));
    INVARIANT("so is the ticket of each seat, if it has been issued",
              implies(0 <= ANY && ANY < l,
                      ticket_of[ANY] < next && seat_of[ticket_of[ANY]] == ANY &&
                          implies(ticket_of[ANY] < issue,
                                  IS_PROCESS(holder_of[ticket_of[ANY]]) &&
                                      !IS_IN(holder_of[ticket_of[ANY]], REMAINDER) &&
                                      end_of[holder_of[ticket_of[ANY]]] +
                                              MINE(holder_of[ticket_of[ANY]], number) - n - 1 ==
                                          ticket_of[ANY])));
    ORDER_INVARIANT("a process that came later has a later ticket",
                    implies(BEHIND, IS_IN(J, REMAINDER) || ticket < theirs));
    SEAT(seat);
    ENABLED(ticket < next);
    TAKEN_BY(holder_of[ticket_of[ANY]]);
END_PROOF
#endif

#if defined(STEP_MODEL) && !defined(STEP_RULES)
enum { SUM, LAST_COUNTS, CENSUS, NOT_TWICE, SHARE, IN_SYSTEM, CRITICAL_VALID };

/* The tickets that are valid and have not been issued, by color. */
static inline void count_ahead(const struct step_variable *V, word n, word *census)
{
    if (lead(V) != VALID)
        return;
    if (V->issued_color == V->valid_color) {
        census[V->valid_color] += V->valid - V->issued;
    } else {
        census[V->issued_color] += n - V->issued;
        census[V->valid_color] += V->valid;
    }
}

/* How many processes hold a ticket, as the pointers tell. */
static inline word in_system(const struct step_variable *V, word n, word l)
{
    if (V->issued_color == V->valid_color)
        return l + V->issued - V->valid;
    return lead(V) == VALID ? l - (n - V->issued + V->valid) : l + n - V->valid + V->issued;
}

INVARIANTS
    word census[STEP_ARRAY] = {0}, sum = 0, holders = 0, held_valid = 0, broken = 0;
    count_ahead(shared, n, census);
    for (word p = 0; p < n; p++) {
        const word m = each[p].number, x = each[p].color;
        if (m == 0)
            continue;
        holders += 1;
        if (!invalid(shared, m, x)) {
            held_valid += 1;
            census[x] += 1;
        } else if (critical >> p & 1) {
            broken |= 1 << CRITICAL_VALID;
        }
        for (word q = 0; q < p; q++) {
            if (each[q].number == m && each[q].color == x)
                broken |= 1 << NOT_TWICE;
        }
    }
    for (word x = 0; x <= l; x++) {
        sum += shared->QUANT[x];
        if (census[x] != shared->QUANT[x])
            broken |= 1 << CENSUS;
    }
    if (sum != l)
        broken |= 1 << SUM;
    if (shared->QUANT[shared->valid_color] == 0)
        broken |= 1 << LAST_COUNTS;
    if (held_valid != (holders < l ? holders : l))
        broken |= 1 << SHARE;
    if (in_system(shared, n, l) != holders)
        broken |= 1 << IN_SYSTEM;
    return broken;
END_INVARIANTS
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 4.2"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, "section 3", .why = "l-queuelike implies it"},
    {CHECK_FINITE_WAITING_ENABLING, CLAIMED, "section 3", .why = "l-queuelike implies it"},
    {CHECK_BOUNDED_WAITING_ENABLING, CLAIMED, "section 3", .why = "l-queuelike implies it",
     .has_bound = true},
    {CHECK_FIFO_ENABLING, CLAIMED, "Theorem 4.2"},
    {CHECK_L_FULL, CLAIMED, "Theorem 4.2"},
    {CHECK_QUEUELIKE, CLAIMED, "Theorem 4.2"},
    {CHECK_NO_MEMORY, CLAIMED, .why = "the ticket is given back"},
    {CHECK_INVARIANTS, CLAIMED, "the proof of Theorem 4.2"},
    {CHECK_VALUES, CLAIMED, "Theorem 4.2", .has_bound = true},
};

static const struct protocol_claim decrement_first[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "the color is chosen after a ticket was given back",
     .refuted_from_n = 2},
    {CHECK_INVARIANTS, CLAIMED, .why = "the color is chosen after a ticket was given back",
     .refuted_from_n = 2},
};

static const struct protocol_claim few_colors[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with one color too few", .refuted_from_n = 2},
    {CHECK_INVARIANTS, CLAIMED, .why = "with one color too few", .refuted_from_n = 2},
};

#define SIZE(n_, l_, k_) {.n = n_, .l = l_, .k = k_, .fault = STEP_FAULT_SLEEP}
static const struct protocol_expected expected[] = {
    {SIZE(2, 1, 1), 36, 72},
    {SIZE(2, 1, 2), 36, 72},
    {SIZE(3, 1, 2), 186, 558},
    {SIZE(3, 2, 2), 3489, 10467},
    {SIZE(3, 2, 3), 3489, 10467},
    {SIZE(4, 1, 2), 1032, 4128},
    {SIZE(4, 2, 2), 28986, 115944},
    {SIZE(4, 3, 2), 562212, 2248848},
    {SIZE(5, 1, 2), 6510, 32550},
    {SIZE(5, 2, 2), 242481, 1212405},
    {SIZE(5, 3, 2), 6525560, 32627800},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "colored tickets", CLAIMS(claims), EXPECTED(expected)},
    [DECREMENT_FIRST] =
        {"decrement-first",
         "broken: the leaver's ticket is given back before a new color is looked for",
         CLAIMS(decrement_first)},
    [FEW_COLORS] = {"few-colors", "broken: l colors", CLAIMS(few_colors)},
};

/* QUANT has C(2l - 1, l) possibilities, given the color of the last valid ticket. */
static uint64_t values(const struct step_params *params)
{
    const uint64_t n = params->n, l = params->l;
    uint64_t ways = 1;
    for (uint64_t i = 1; i <= l; i++)
        ways = ways * (l - 1 + i) / i;
    return ways * (l + 1) * (l + 1) * n * n;
}

PROTOCOL(.name = "flbb-colored", .title = "l-exclusion in the order of arrival, O(N * N) values",
         .citation = "Fischer, Lynch, Burns, Borodin 1979, Theorem 4.2", .min_n = 2, .max_n = 8,
         .default_n = 3, .needs_l_below_n = true, .max_l = 7, .fault = STEP_FAULT_SLEEP,
         .anonymous = true, .broken_from = DECREMENT_FIRST,
         .invariants = {"the counts add up to l", "a ticket of the last valid color is valid",
                        "the counts are those of the valid tickets",
                        "nobody holds another's ticket", "min(holders, l) hold a valid ticket",
                        "the pointers tell how many hold one",
                        "whoever is critical holds a valid ticket"},
         .values = values, .lower = lower_queuelike, .values_source = "Theorem 4.2",
         VARIANTS(variants))
#include "step/end.h"
