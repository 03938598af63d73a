/*
 * The pool: l slots, distinct, in arrival order, among processes that may be killed at any step and
 * come back in their seat. Ours. It joins the tickets of Fischer, Lynch, Burns and Borodin 1979
 * (Theorem 4.2, colored tickets) with the public knowledge of who is dead of Rivest and Pratt 1977.
 * The construction grew out of one with a single word for both counters; here they are two, and a
 * free slot is handed over without anything being written but a counter.
 *
 * Tickets are drawn by counting T up and admitted by counting A up. Ticket t is enabled as soon as
 * t < admit; a ticket that is admitted and not drawn yet is a free slot. T says who drew last, A
 * which slot was handed on last, so nothing is undecided if the process is killed right after. What
 * the last change meant is written down (write_draw, write_admission) by the process that wants to
 * make the next one; writing only ever moves an entry forward, so that doing it late or twice does
 * no harm. What follows from that:
 *
 *  I1  Every drawn ticket but the last has been written down: its entry in the ring tells who
 *      waits, or slot[] tells who holds what it was admitted into.
 *  I2  Every admitted ticket but the last has been written down: its entry is SLOT or PASSED, or
 *      its owner had written slot[] itself.
 *  I3  slot[j] belongs to the ticket that was admitted into j last and drawn; j is free if it is
 *      the slot of a ticket in [tail, admit).
 *  I4  Seat and ticket are bound for good before slot[] names them (BOUND).
 *
 * A process that takes a free slot may be seen to write slot[] late (WRITE_LATE), that is, after
 * reads that it makes later and up to its next compare-and-swap: until then nobody hands the slot
 * on, and a process that has to know the holder learns it from T and writes it down itself.
 *
 * The exit is A's compare-and-swap. A process that finds the slot of somebody who is dead, or who
 * gave up, makes sure first that the slot is neither free nor held by anybody else, and then makes
 * the same compare-and-swap to hand it on: it fails if any slot was handed on in between.
 */
#define NAME pool
#define CELLS(cell, cells, registers)                                                              \
    cell(T, DRAWS) cell(A, ADMISSIONS) cell(target, NUMBERS(l + 1)) cells(slot, l, HOLDERS)        \
        cells(ring, RING, RING_ENTRIES)
#define WITNESSES(cells)                                                                           \
    cells(last, l, ALL_TICKETS) /* the ticket that was admitted into this slot last */             \
        cells(admitted_into, ALL_TICKETS, l) /* the slot of each ticket that was admitted */       \
        cells(owner_of, ALL_TICKETS, n) /* the seat that drew it, or took it over since */         \
        cells(drawn_free, ALL_TICKETS, 2) /* its slot was free, and known so, when it was drawn */
#define LOCALS(local)                                                                              \
    local(ticket, ALL_TICKETS)                 /* mine */                                          \
        local(slot_no, NUMBERS(l + 1))         /* my slot, or the one that is looked at */         \
        local(admission, ADMISSIONS)           /* A as it was read */                              \
        local(drawn, DRAWS)                    /* T as it was read */                              \
        local(former, HOLDERS)                 /* whose slot is handed on, or NO_HOLDER */         \
        local(into, NUMBERS(l + 1))            /* the slot of the draw that is written down */     \
        local(owner, OWNERS)                   /* the seat that the admission is for */            \
        local(taken, NUMBERS(2))               /* a slot has been taken by its owner */            \
        local(outcome, NUMBERS(6))             /* of a draw, or of handing on */                   \
        local(where, NUMBERS(4))               /* a ghost: at which of the places below */
#define SUBS(sub)                                                                                  \
    sub(write_draw) sub(note_admission) sub(write_admission) sub(hand_on) sub(look) sub(sweep)     \
    sub(resize) sub(withdraw) sub(find_slot) sub(draw) sub(take_free) sub(give_back) sub(give_on)
#define HAS_DOORWAY
#define HAS_INITIAL
#define HAS_REVIVAL
#define HAS_CHOICE
#define HAS_TRUST
#define HAS_SLOT
#define HAS_SLOTS
#define HAS_NORMAL
#define HAS_ORBIT
#define HAS_SETTLED
#define HAS_SHOW
#define HAS_PROOF
#define HAS_NAMES
enum { ROUNDS = 16, TICKETS = ROUNDS << 2 };
#if defined(STEP_NATIVE) && !defined(STEP_EMBEDDED)
/* Run by itself, nobody dies, gives up or sleeps for long. */
#define STEP_ALIVE(p) true
#define STEP_KNOWN(ticket) false
#define STEP_MAY_resize false
#define STEP_MAY_leave false
#define STEP_MAY_give_up false
#define STEP_DUE_sleep false
#define STEP_DUE_look false
#define STEP_PAUSE(cell) os_wait(cell, atomic_load(cell), &step_round)
#define STEP_PAUSE_AT_DOOR ((void)0)
#define STEP_WAKE(cell) ((void)0)
#endif
#include "step/step.h"
#include "step/text.h"

#include "protocol/pool/bits.inc"

/* Where NORMAL has to know that a process is. */
enum { NOWHERE, LOOKS_AGAIN, AT_DOOR, CLOSES_RANKS };

enum { ITSELF, RESIZED, TRYING, DROWSY, PATIENT, NO_HELP, NO_RECHECK, PLAIN_STORE, NO_SWEEP };

INITIAL
    SHARED(T) = DRAW(RING, 0);
    SHARED(A) = ADMISSION(RING + l, l - 1);
    SHARED(target) = l;
    FOR_EACH(i, l)
        SHARED(slot[i]) = HOLDER(0, NOBODY);
    FOR_EACH(i, l) /* fewer than RING */
        SHARED(ring[i]) = ENTRY_OF(RING + i, SLOT, i);
    FOR_EACH(i, l)
        WITNESS(last[i], RING + i);
    FOR_EACH(i, RING + l)
        WITNESS(admitted_into[i], FIRST_SLOT(i));
END_INITIAL

/* The number of slots wanted, which is fixed where nobody resizes. */
#ifdef STEP_NATIVE
#define READ_TARGET(label, variable) READ(label, variable, target)
#else
#define READ_TARGET(label, variable)                                                               \
    if (!VARIANT(RESIZED))                                                                         \
        variable = l;                                                                              \
    else                                                                                           \
        READ(label, variable, target)
#endif

/* A process that sleeps says so, in order to be woken. That makes no other difference, so the
 * checker knows it only where it is asked to (variant "asleep"). */
#ifdef STEP_NATIVE
#define ASLEEP_IF_DUE (DUE(sleep) ? ASLEEP : WAITS)
#else
#define ASLEEP_IF_DUE (VARIANT(DROWSY) ? ASLEEP : WAITS)
#endif

/* The tickets that the copies of T and A contain. */
#define DRAWN_LAST (TICKET(drawn) - 1)
#define ADMITTED_LAST (ADMIT(admission) - 1)

/* Whether this draw was my own, made and written down in an earlier call. A process of the checker
 * makes one call at a time; a program's threads share a seat, so it has to remember which tickets
 * it had. (Up to an exchange of processes nobody knows it, and where what is settled is left out
 * nobody asks: it only saves to write down what is written down.) */
#ifdef STEP_NATIVE
#define DRAWN_BEFORE STEP_KNOWN(DRAWN_LAST)
#else
#define DRAWN_BEFORE (SEAT(drawn) == ME && !params->symmetric && !params->abridged)
#endif

#ifdef STEP_NATIVE
#define ONLY_TRIES MAY(leave)
#define PAUSE_AT_DOOR (STEP_PAUSE_AT_DOOR, step_rounds = 0)
#else
#define ONLY_TRIES (VARIANT(TRYING) && MAY(leave))
#define PAUSE_AT_DOOR ((void)0)
#endif

/* ---- the entries of the ring ---- */

#ifdef STEP_MODEL
/* The ticket has been drawn, admitted and written down. */
static inline bool is_old(POOL_WORDS, word ticket)
{
    return ticket + 1 < TICKET(shared->T) && ticket + 1 < ADMIT(shared->A);
}
/* What somebody slow writes about an old ticket, nobody reads; only, it may write over an entry
 * that a slow owner has not read yet, as do processes that come round the ring. The abridged model
 * leaves it out. */
#define TOO_LATE(ticket) (params->abridged && is_old(POOL_WIDTHS, ticket))
#else
#define TOO_LATE(ticket) false
#endif

/* Whether the entry says that the ticket, whose owner waited, has been admitted: by its kind, or
 * because the ring has come round since. */
static inline bool was_admitted(POOL_WORDS, word e, word ticket)
{
    return KIND(e, ticket) == BOUND || KIND(e, ticket) == SLOT || ROUND(e) > ROUND_OF(ticket);
}

/* The entry of a ticket after its owner, if that is `seat`, has given up. */
static inline word given_up(POOL_WORDS, word e, word ticket, word seat)
{
    const bool waits = KIND(e, ticket) == WAITS || KIND(e, ticket) == ASLEEP;
    return waits && VALUE(e) == seat ? ENTRY_OF(ticket, GONE, 0) : e;
}

/* The entry of the ticket that was drawn last, after that has been written down. */
static inline word drawn_entry(POOL_WORDS, word e, word admission, word drawn)
{
    if (TOO_LATE(DRAWN_LAST))
        return e;
    if (BLANK(e, DRAWN_LAST) && TICKET(drawn) >= ADMIT(admission))
        return ENTRY_OF(DRAWN_LAST, WAITS, SEAT(drawn));
    return e; /* blank though admitted: it took its slot from A and has written that down */
}

/* The entry of the ticket that was admitted last: free, bound to the seat that waits, or passed. */
static inline word admitted_entry(POOL_WORDS, word e, word admission, word taken)
{
    const word a = ADMITTED_LAST;
    if (TOO_LATE(a))
        return e;
    if (BLANK(e, a))
        return taken != 0 ? e : ENTRY_OF(a, SLOT, SLOT_OF(admission));
    if (KIND(e, a) == WAITS || KIND(e, a) == ASLEEP)
        return ENTRY_OF(a, BOUND, VALUE(e));
    return KIND(e, a) == GONE ? ENTRY_OF(a, PASSED, 0) : e;
}

/* The same entry, bound to the seat, after slot[] names it. */
static inline word bound_entry(POOL_WORDS, word e, word admission, word seat)
{
    const word a = ADMITTED_LAST;
    return e == ENTRY_OF(a, BOUND, seat) && !TOO_LATE(a) ? ENTRY_OF(a, SLOT, SLOT_OF(admission))
                                                         : e;
}

#if defined(STEP_MODEL) && !defined(STEP_RULES)
#include "protocol/pool/settled.inc"
#endif

/* ---- the steps ---- */

/* Writes down what `drawn`, T, tells: ticket tail - 1 belongs to a seat. `admission` is an A that
 * was read before. */
SUB(write_draw)
    word e, s;
    if (VARIANT(NO_HELP))
        RETURN;
    SETTLED(draw_is_down(POOL_WIDTHS, admission, drawn));
    UPDATE(H1, e, ring[PLACE(DRAWN_LAST)], drawn_entry(POOL_WIDTHS, e, admission, drawn));
    if (KIND(e, DRAWN_LAST) != SLOT)
        RETURN;
    into = SLOT_OF(e);
    SETTLED(slot_is_down(POOL_WIDTHS, into, DRAWN_LAST));
    UPDATE(H2, s, slot[into], TICKET(s) < DRAWN_LAST ? HOLDER(DRAWN_LAST, SEAT(drawn)) : s);
    FORGET(into);
END_SUB(write_draw)

/* What is left to be done for an owner (OWED). */
enum { BOUND_NOW = 1, TO_BE_WOKEN, PASSED_OVER };

/* Writes into the ring what the admission, A, tells: ticket admit - 1 gets a slot. `owner`: there
 * is more to be written, since somebody had drawn it. */
SUB(note_admission)
    word e, s;
    SETTLED(!is_blank(POOL_WIDTHS, ADMITTED_LAST) ||
            slot_is_down(POOL_WIDTHS, SLOT_OF(admission), ADMITTED_LAST));
    READ(K1, s, slot[SLOT_OF(admission)]);
    taken = TICKET(s) >= ADMITTED_LAST;
    SETTLED(admission_is_down(POOL_WIDTHS, admission));
    UPDATE(K2, e, ring[PLACE(ADMITTED_LAST)], admitted_entry(POOL_WIDTHS, e, admission, taken));
    FORGET(taken);
    if (KIND(e, ADMITTED_LAST) == WAITS)
        owner = OWNER(VALUE(e), BOUND_NOW);
    else if (KIND(e, ADMITTED_LAST) == ASLEEP || KIND(e, ADMITTED_LAST) == BOUND)
        owner = OWNER(VALUE(e), TO_BE_WOKEN);
    else if (KIND(e, ADMITTED_LAST) == GONE || KIND(e, ADMITTED_LAST) == PASSED)
        owner = OWNER(0, PASSED_OVER);
END_SUB(note_admission)

/* Writes down all of what the admission tells: if somebody waits with the ticket, it is bound, and
 * woken; if it has given up, the slot is nobody's, and remains so. */
SUB(write_admission)
    word e, s;
    CALL0(K1, note_admission);
    if (owner == 0)
        RETURN;
    SETTLED(slot_is_down(POOL_WIDTHS, SLOT_OF(admission), ADMITTED_LAST));
    UPDATE(K3, s, slot[SLOT_OF(admission)],
           TICKET(s) < ADMITTED_LAST
               ? HOLDER(ADMITTED_LAST, OWED(owner) == PASSED_OVER ? NOBODY : VALUE(owner))
               : s);
    if (OWED(owner) == PASSED_OVER) {
        FORGET(owner);
        RETURN;
    }
    SETTLED(!is_bound(POOL_WIDTHS, ADMITTED_LAST, VALUE(owner)));
    UPDATE(K4, e, ring[PLACE(ADMITTED_LAST)], bound_entry(POOL_WIDTHS, e, admission, VALUE(owner)));
    if (e == ENTRY_OF(ADMITTED_LAST, BOUND, VALUE(owner)) && OWED(owner) == TO_BE_WOKEN)
        WAKE(ring[PLACE(ADMITTED_LAST)]);
    FORGET(owner);
END_SUB(write_admission)

#define NO_HOLDER 1 /* the slot is mine */

/* What came of a draw, or of handing on. */
enum { NOTHING, IS_MINE, UNWANTED, HAS_TO_WAIT, HANDED_ON, IS_FREE };

/* Slot slot_no, in which the former holder was found, goes to the next ticket; that one is dead, or
 * nobody. Somebody else may have seen to it, unless the slot is mine. A process that waits and
 * turns out to have been admitted leaves it there: others might keep it at this for ever. */
SUB(hand_on)
    bool done;
    word wanted, next;
    AGAIN {
        if (outcome != HANDED_ON) { /* give_back begins in the middle */
            READ(R1, admission, A);
            CALL0(R1, write_admission);
            if (ticket != 0 && ticket < ADMIT(admission)) {
                outcome = IS_MINE; /* the waiting process will do that */
                goto out;
            }
            if (former != NO_HOLDER) {
                READ(R2, drawn, T);
                TRUST(ADMIT(admission) < TICKET(drawn) + RING);
                CALL0(R2, write_draw);
                for (; TICKET(drawn) < ADMIT(admission) && !VARIANT(NO_RECHECK);
                     drawn = DRAW(TICKET(drawn) + 1, 0)) {
                    SETTLED(SHARED(slot[slot_no]) != former ||
                            is_not_free(POOL_WIDTHS, TICKET(drawn), slot_no));
                    READ(R3, next, ring[PLACE(TICKET(drawn))]);
                    if (next == ENTRY_OF(TICKET(drawn), SLOT, slot_no))
                        goto out; /* it is free */
                }
                FORGET(drawn);
                if (!VARIANT(NO_RECHECK)) {
                    GHOST(where, LOOKS_AGAIN);
                    SETTLED(SHARED(slot[slot_no]) != former);
                    READ(R4, next, slot[slot_no]);
                    FORGET(where);
                    if (next != former)
                        goto out;
                }
            }
            if (VARIANT(PLAIN_STORE)) {
                WRITE(R5, A, ADMISSION(ADMIT(admission) + 1, slot_no));
                done = true;
            } else {
                SETTLED(SHARED(A) != admission);
                CAS(R5, done, A, admission, ADMISSION(ADMIT(admission) + 1, slot_no));
            }
            if (!done) {
                FORGET(admission);
                PROGRESS;
                continue;
            }
            WITNESS(last[slot_no], ADMIT(admission));
            WITNESS(admitted_into[ADMIT(admission)], slot_no);
            outcome = HANDED_ON;
            admission = ADMISSION(ADMIT(admission) + 1, slot_no);
            FORGET(former);
            SETTLED(is_known(POOL_WIDTHS, ADMITTED_LAST, slot_no));
            READ(R6, next, ring[PLACE(ADMITTED_LAST)]);
            if (BLANK(next, ADMITTED_LAST))
                goto out; /* the slot is free; the next change of A writes it down */
        }
        CALL0(R6, write_admission);
        SETTLED(is_somebodys(POOL_WIDTHS, slot_no, ADMITTED_LAST));
        READ(R7, next, slot[slot_no]);
        if (next != HOLDER(ADMITTED_LAST, NOBODY))
            goto out;
        former = next;
        FORGET(admission);
        READ_TARGET(R8, wanted);
        if (slot_no >= wanted)
            goto out;
        FORGET(outcome);
        PROGRESS; /* past a ticket that was given up */
    }
out:
    FORGET(admission);
    FORGET(drawn);
    FORGET(former);
END_SUB(hand_on)

/* Hands on what the dead hold, and what is nobody's. Draws are written down already, as far as they
 * matter: a process that waits has seen to those before its own; later ones hold nothing yet. */
SUB(look)
    word alive, wanted;
    READ(L1, admission, A);
    CALL0(L1, write_admission);
    FORGET(admission);
    slot_no = 0;
    AGAIN_UP_TO(2 * (CAPACITY + RING)) { /* more dead there cannot be */
        if (slot_no >= l)
            break;
        READ(L2, former, slot[slot_no]);
        if (SEAT(former) != NOBODY) {
            SETTLED(is_safe(POOL_WIDTHS, SEAT(former)));
            ALIVE(L3, alive, SEAT(former));
            if (alive) {
                FORGET(former);
                slot_no++;
                continue;
            }
        }
        READ_TARGET(L4, wanted);
        if (slot_no < wanted)
            CALL0(L4, hand_on);
        FORGET(former);
        if (outcome == IS_MINE)
            break;
        if (outcome != HANDED_ON)
            slot_no++;
        FORGET(outcome); /* the next owner may be dead as well: once more */
    }
    FORGET(outcome);
    FORGET(slot_no);
END_SUB(look)

/* A seat that was somebody else's, or mine in an earlier life, gives up its tickets and slots. */
SUB(sweep)
    word wanted, e, s;
    READ(S1, admission, A);
    READ(S2, drawn, T);
    TRUST(TICKET(drawn) < LAST_TICKET);
    CALL0(S2, write_draw);
    if (ADMIT(admission) + RING < TICKET(drawn)) /* I was slow: others have been admitted since */
        admission = ADMISSION(TICKET(drawn) - RING, 0);
    for (; ADMIT(admission) < TICKET(drawn); admission = ADMISSION(ADMIT(admission) + 1, 0)) {
        SETTLED(is_not_mine(POOL_WIDTHS, ADMIT(admission), ME));
        UPDATE(S3, e, ring[PLACE(ADMIT(admission))],
               given_up(POOL_WIDTHS, e, ADMIT(admission), ME));
    }
    FORGET(admission);
    FORGET(drawn);
    READ(S4, admission, A);
    CALL0(S4, write_admission);
    FORGET(admission);
    for (slot_no = 0; slot_no < CAPACITY; slot_no++) {
        READ(S5, former, slot[slot_no]);
        if (SEAT(former) != ME) {
            FORGET(former);
            continue;
        }
        READ_TARGET(S6, wanted);
        if (slot_no >= wanted) {
            UPDATE(S7, s, slot[slot_no], s == former ? HOLDER(TICKET(former), NOBODY) : s);
            former = HOLDER(TICKET(former), NOBODY);
            READ_TARGET(S8, wanted);
        }
        if (slot_no < wanted)
            CALL0(S8, hand_on);
        FORGET(outcome);
        FORGET(former);
    }
    FORGET(slot_no);
END_SUB(sweep)

/* Another number of slots, in slot_no: more of them at once; fewer as they come free. */
SUB(resize)
    WRITE(Z1, target, slot_no);
    FORGET(slot_no);
    CALL0(Z1, look);
END_SUB(resize)

#define FORGET_ALL FORGET(ticket), FORGET(slot_no), FORGET(admission), FORGET(drawn), FORGET(former)

/* A slot that is wanted no more, and was mine by my ticket: nobody's. */
SUB(withdraw)
    word wanted;
    WRITE(X5, slot[slot_no], HOLDER(ticket, NOBODY));
    former = HOLDER(ticket, NOBODY);
    FORGET(ticket);
    READ_TARGET(X6, wanted);
    if (slot_no < wanted)
        CALL0(X6, hand_on);
    FORGET(outcome);
    FORGET(former);
    FORGET(slot_no);
END_SUB(withdraw)

/* The slot that I hold by this ticket, whose entry in the ring may be gone already. */
SUB(find_slot, word of)
    word s;
    for (slot_no = 0; slot_no < CAPACITY; slot_no++) {
        SETTLED(true);
        READ(W2, s, slot[slot_no]);
        if (s == HOLDER(of, ME))
            RETURN;
    }
    TRUST(false);
END_SUB(find_slot)

/* Draws a ticket after the one in `drawn`, which has been written down, and takes the slot if the
 * admission says that one is free. */
SUB(draw)
    bool done;
    word wanted, e;
    done = false;
    if (TICKET(drawn) < ADMIT(admission) || TICKET(drawn) + 1 < ADMIT(admission) + RING) {
        SETTLED(SHARED(T) != drawn);
        CAS(D3, done, T, drawn, DRAW(TICKET(drawn) + 1, ME));
    }
    outcome = NOTHING;
    if (!done)
        goto out;
    ticket = TICKET(drawn);
    WITNESS(owner_of[ticket], ME);
    outcome = HAS_TO_WAIT;
    if (ticket >= ADMIT(admission))
        goto out;
    WITNESS(drawn_free[ticket], 1);
    FORGET(drawn);
    if (ticket + 1 == ADMIT(admission)) {
        slot_no = SLOT_OF(admission);
        FORGET(admission);
    } else {
        FORGET(admission);
        READ(D4, e, ring[PLACE(ticket)]);
        if (KIND(e, ticket) != SLOT)
            goto out; /* I was so slow that the ring has come round */
        slot_no = SLOT_OF(e);
    }
    outcome = IS_MINE;
    WRITE_LATE(D5, slot[slot_no], HOLDER(ticket, ME));
    READ_TARGET(D6, wanted);
    if (slot_no >= wanted)
        outcome = UNWANTED;
out:
    FORGET(admission);
    FORGET(drawn);
END_SUB(draw)

/* Takes a free slot, if there is one at first sight and the last draw was mine: the beginning of
 * the doorway, and for most calls of the library all of it. */
SUB(take_free)
    READ(D1, drawn, T);
    SETTLED(draw_fails(POOL_WIDTHS, drawn));
    READ(D2, admission, A);
    TRUST(TICKET(drawn) < ADMIT(admission) + RING && DRAWN_LAST < LAST_TICKET - 1); /* and not 0 */
    if (TICKET(drawn) < ADMIT(admission) && DRAWN_BEFORE)
        CALL0(D2, draw);
END_SUB(take_free)

DOORWAY
    word e;
    if (VARIANT(RESIZED) && MAY(resize)) {
        READ(resize, slot_no, target);
        slot_no = slot_no == l ? l - 1 : l; /* the other one, when it was read */
        CALL0(resize, resize);
        FORGET_ALL;
        goto REMAINDER;
    }
    AGAIN {
        CALL0(D1, take_free);
        if (drawn != 0 && TICKET(drawn) + 1 >= ADMIT(admission) + RING && !ONLY_TRIES) {
            /* The ring is full of places that were given up. The last of them will do; otherwise
             * a process that looks for the dead, or closes ranks, has to make room. */
            GHOST(where, AT_DOOR);
            UPDATE(D7, e, ring[PLACE(DRAWN_LAST)],
                   KIND(e, DRAWN_LAST) == GONE ? ENTRY_OF(DRAWN_LAST, WAITS, ME) : e);
            FORGET(where);
            if (KIND(e, DRAWN_LAST) == GONE) {
                ticket = DRAWN_LAST;
                WITNESS(owner_of[ticket], ME);
                break;
            }
            if (!VARIANT(PATIENT) && MAY(give_up)) {
                FORGET_ALL;
                goto REMAINDER;
            }
            CALL0(D7, write_draw);
            FORGET_ALL;
            CALL0(D8, look);
            PAUSE_AT_DOOR;
            continue;
        }
        if (drawn != 0 && TICKET(drawn) >= ADMIT(admission) && ONLY_TRIES) {
            /* A process that only tries does not draw where it would have to wait, but looks. */
            CALL0(D2, write_draw);
            FORGET(admission);
            CALL0(D9, look);
            READ(D10, admission, A);
            if (TICKET(drawn) >= ADMIT(admission)) {
                FORGET_ALL;
                goto REMAINDER;
            }
        }
        if (drawn != 0) {
            CALL0(D2, write_draw);
            CALL0(D2, draw);
        }
        if (outcome == IS_MINE) {
            FORGET(outcome);
            goto CRITICAL;
        }
        if (outcome == HAS_TO_WAIT)
            break;
        if (outcome == UNWANTED)
            CALL0(X5, withdraw);
        PROGRESS; /* T has moved on, by this process or by another */
        FORGET(outcome);
        FORGET(admission);
    }
    FORGET(admission);
    FORGET(drawn);
    FORGET(outcome);
END

WAITING
    word e;
    AGAIN {
        SETTLED(has_slot(POOL_WIDTHS, ticket));
        UPDATE(W1, e, ring[PLACE(ticket)],
               BLANK(e, ticket) || KIND(e, ticket) == WAITS ? ENTRY_OF(ticket, ASLEEP_IF_DUE, ME)
                                                  : e);
        if (KIND(e, ticket) == SLOT) {
            slot_no = SLOT_OF(e);
            break;
        }
        if (ROUND(e) > ROUND_OF(ticket)) { /* the ring has come round */
            CALL(W2, find_slot, ticket);
            break;
        }
        SETTLED(ticket + 1 < ADMIT(SHARED(A)) || has_slot(POOL_WIDTHS, ticket));
        READ(W3, admission, A);
        if (ticket < ADMIT(admission)) {
            if (ticket + 1 == ADMIT(admission))
                CALL0(W3, write_admission);
            FORGET(admission);
            continue;
        }
        FORGET(admission);
        if (!VARIANT(PATIENT) && MAY(give_up)) {
            SETTLED(was_admitted(POOL_WIDTHS, SHARED(ring[PLACE(ticket)]), ticket));
            UPDATE(W4, e, ring[PLACE(ticket)], given_up(POOL_WIDTHS, e, ticket, ME));
            if (was_admitted(POOL_WIDTHS, e, ticket))
                continue;
            FORGET_ALL;
            goto REMAINDER;
        }
        PAUSE(ring[PLACE(ticket)]);
        if (!DUE(look))
            continue;
        CALL0(W5, look);
        /* Close ranks: if the one before me has given up, I take its place. */
        UPDATE(W6, e, ring[PLACE(ticket - 1)],
               KIND(e, ticket - 1) == GONE ? ENTRY_OF(ticket - 1, WAITS, ME) : e);
        if (KIND(e, ticket - 1) != GONE)
            continue;
        WITNESS(owner_of[ticket - 1], ME);
        GHOST(where, CLOSES_RANKS); /* both places are mine */
        UPDATE(W7, e, ring[PLACE(ticket)], given_up(POOL_WIDTHS, e, ticket, ME));
        if (!was_admitted(POOL_WIDTHS, e, ticket)) {
            FORGET(where);
            ticket = ticket - 1;
            continue;
        }
        /* Both were admitted: the slot of the place before mine is nobody's. */
        CALL(W8, find_slot, ticket - 1);
        WRITE(W8, slot[slot_no], HOLDER(ticket - 1, NOBODY));
        FORGET(where);
        FORGET(slot_no);
    }
    UPDATE(W9, e, slot[slot_no], HOLDER(ticket, ME)); /* mostly it says so already */
END

/* Gives my slot back, unless somebody waits for it or it is wanted no more: for most calls of the
 * library all of the exit. What admitted my own ticket needs no writing down: I have the slot. */
SUB(give_back)
    bool done;
    word wanted, next;
    outcome = UNWANTED;
    READ_TARGET(X1, wanted);
    if (slot_no >= wanted)
        RETURN;
    outcome = NOTHING;
    READ(X2, admission, A);
    if (ADMITTED_LAST != ticket)
        CALL0(X2, note_admission);
    if (owner != 0 || VARIANT(PLAIN_STORE))
        goto out;
    SETTLED(SHARED(A) != admission);
    CAS(X3, done, A, admission, ADMISSION(ADMIT(admission) + 1, slot_no));
    if (!done)
        goto out;
    WITNESS(last[slot_no], ADMIT(admission));
    WITNESS(admitted_into[ADMIT(admission)], slot_no);
    admission = ADMISSION(ADMIT(admission) + 1, slot_no);
    FORGET(ticket);
    SETTLED(is_known(POOL_WIDTHS, ADMITTED_LAST, slot_no));
    READ(X4, next, ring[PLACE(ADMITTED_LAST)]);
    outcome = HANDED_ON;
    if (!BLANK(next, ADMITTED_LAST))
        RETURN;
    outcome = IS_FREE; /* the next change of A writes it down */
out:
    FORGET(owner);
    FORGET(admission);
END_SUB(give_back)

/* The rest of the exit. */
SUB(give_on)
    if (outcome == UNWANTED) {
        FORGET(outcome);
        CALL0(X5, withdraw);
        RETURN;
    }
    FORGET(ticket);
    former = outcome == HANDED_ON ? 0 : NO_HOLDER;
    CALL0(X5, hand_on);
    FORGET(outcome);
    FORGET(slot_no);
END_SUB(give_on)

EXIT
    CALL0(X1, give_back);
    if (outcome != IS_FREE)
        CALL0(X5, give_on);
    FORGET(outcome);
    FORGET_ALL;
END

/* A process that takes the seat of one that was killed begins with this. */
REVIVAL
    if (!VARIANT(NO_SWEEP))
        CALL0(sit, sweep);
END

HOLDS
    return my->slot_no;
END_HOLDS

SLOTS
    return SHARED(target);
END_SLOTS

#if defined(STEP_MODEL) && !defined(STEP_RULES) /* what only the checker wants */
#include "protocol/pool/normal.inc"

SHOW
    if (cell[0] == 'T')
        step_text(text, size, "tail %u, seat %u", (unsigned)TICKET(value), (unsigned)SEAT(value));
    else if (cell[0] == 'A')
        step_text(text, size, "admit %u, slot %u", (unsigned)ADMIT(value),
                  (unsigned)SLOT_OF(value));
    else if (cell[0] == 's' && SEAT(value) == NOBODY)
        step_text(text, size, "ticket %u, nobody", (unsigned)TICKET(value));
    else if (cell[0] == 's')
        step_text(text, size, "ticket %u, seat %u", (unsigned)TICKET(value), (unsigned)SEAT(value));
    else if (cell[0] == 'r')
        step_text(text, size, "round %u %s %u", (unsigned)ROUND(value),
                  (const char *[]){"-", "WAITS", "ASLEEP", "BOUND", "SLOT", "GONE", "PASSED", "?"}
                      [value >> VALUE_BITS & 7],
                  (unsigned)VALUE(value));
    else
        step_text(text, size, "%u", (unsigned)value);
END_SHOW
#endif

#include "protocol/pool/proof.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "I3"},
    {CHECK_DISTINCT_SLOTS, CLAIMED, "I3"},
    {CHECK_NO_SLOT_LOST, CLAIMED, "I1, I2"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "the living look"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, .why = "a compare-and-swap may fail for ever"},
    {CHECK_FIFO_ENABLING, CLAIMED, .why = "tickets are admitted in order"},
    {CHECK_FIRST_IN_FIRST_ENABLED, CLAIMED, .why = "tickets are admitted in order"},
    {CHECK_STRONG_FIRST_IN_FIRST_ENABLED, NOT_CLAIMED,
     .why = "a process about to give up is not enabled", .fails_from_n = 3, .from_l = 2},
};
static const struct protocol_claim patient[] = {
    {CHECK_EXCLUSION, CLAIMED, "I3"},
    {CHECK_DISTINCT_SLOTS, CLAIMED, "I3"},
    {CHECK_NO_SLOT_LOST, CLAIMED, "I1, I2"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "the living look"},
    {CHECK_FIFO_ENABLING, CLAIMED, .why = "tickets are admitted in order"},
    {CHECK_FIRST_IN_FIRST_ENABLED, CLAIMED, .why = "tickets are admitted in order"},
    {CHECK_STRONG_FIRST_IN_FIRST_ENABLED, CLAIMED, .why = "tickets are admitted in order"},
};

/* A pool of 0 slots hands out none, so that nothing is claimed about deadlock. */
static const struct protocol_claim resized[] = {
    {CHECK_EXCLUSION, CLAIMED, "I3"},
    {CHECK_DISTINCT_SLOTS, CLAIMED, "I3"},
    {CHECK_NO_SLOT_LOST, CLAIMED, "I1, I2"},
    {CHECK_FIFO_ENABLING, CLAIMED, .why = "tickets are admitted in order"},
    {CHECK_FIRST_IN_FIRST_ENABLED, CLAIMED, .why = "tickets are admitted in order"},
    {CHECK_STRONG_FIRST_IN_FIRST_ENABLED, NOT_CLAIMED,
     .why = "a process about to give up is not enabled", .fails_from_n = 3, .from_l = 2},
};

static const struct protocol_claim no_help[] = {
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "nobody writes down whose ticket it is",
     .refuted_from_n = 2},
};
static const struct protocol_claim no_recheck[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "recovery without looking again", .refuted_from_n = 2},
};
static const struct protocol_claim plain_store[] = {
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "a store where a compare-and-swap is needed",
     .refuted_from_n = 2},
};
static const struct protocol_claim no_sweep[] = {
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "the seat's earlier life is forgotten",
     .refuted_from_n = 2},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the pool", CLAIMS(claims)},
    [RESIZED] = {"resize", "the pool, whose processes resize it as well", CLAIMS(resized)},
    [TRYING] = {"try", "the pool, where a process may only try", CLAIMS(claims)},
    [DROWSY] = {"asleep", "the pool, where waiters say that they sleep", CLAIMS(claims)},
    [PATIENT] = {"patient", "the pool, where nobody gives up", CLAIMS(patient)},
    [NO_HELP] = {"no-help", "broken: what the last draw meant is not written down",
                 CLAIMS(no_help)},
    [NO_RECHECK] = {"no-recheck", "broken: recovery does not look at the slot again",
                    CLAIMS(no_recheck)},
    [PLAIN_STORE] = {"plain-store", "broken: A is changed by a store", CLAIMS(plain_store)},
    [NO_SWEEP] = {"no-sweep", "broken: a process that comes back does not give up what it had",
                  CLAIMS(no_sweep)},
};

PROTOCOL(.name = "pool", .title = "slots in arrival order among processes that may be killed",
         .citation = "ours; after Fischer, Lynch, Burns, Borodin 1979 and Rivest, Pratt 1977",
         .min_n = 2, .max_n = 4, .default_n = 2, .max_l = 3, .fault = STEP_FAULT_KILL,
         .own_steps = true, .symmetric = true, .counts_for_ever = true, .abridges = true,
         .broken_from = NO_HELP, VARIANTS(variants))
#include "step/end.h"
