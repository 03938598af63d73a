/*
 * G. Taubenfeld, The Black-White Bakery Algorithm and Related Bounded-Space, Adaptive,
 * Local-Spinning and FIFO Algorithms, DISC 2004, Algorithm 2: a bakery whose tickets have colours,
 * and therefore numbers up to n.
 *
 *     1: choosing[i] := true;
 *     2: mycolor_i := color;
 *     3: number[i] := 1 + max of number[j] over all j with mycolor_j = mycolor_i;
 *     4: choosing[i] := false;
 *     5: for j := 1 to n do
 *     6:     await choosing[j] = false;
 *     7:     if mycolor_j = mycolor_i
 *     8:     then await number[j] = 0 or [number[j], j] >= [number[i], i] or mycolor_j /= mycolor_i
 *     9:     else await number[j] = 0 or mycolor_i /= color or mycolor_j = mycolor_i
 *        od;
 *        critical section;
 *    10: if mycolor_i = black then color := white else color := black;
 *    11: number[i] := 0
 *
 * Departures from the paper:
 *  1. Processes are counted from 0. Colours are 0 and 1, and color is 0 at the start; the
 *     paper leaves it open.
 *  2. The ticket (mycolor, number) is one register. Statement 2 keeps the colour to itself, and
 *     statement 3 writes the pair: until then the number is 0, and with that every wait for the
 *     process is over, whatever its colour. Where the number is 0 there is no colour.
 *  3. A ticket of 0 that is read at 7 ends the wait at once, as 8 and 9 both would.
 */
#define NAME black_white_bakery
#define CELLS(cell, cells, registers) \
    registers(choosing, 2) registers(ticket, 2 * n + 1) cell(color, 2)
#define LOCALS(local) local(mycolor, 2) local(most, n + 1) local(j, n)
#define HAS_DOORWAY
#include "step/step.h"

enum { ITSELF, NO_CHOOSING, NO_OTHER_COLOUR, LATE_COLOUR };

#define NUMBER(t) (((t) + 1) / 2)
#define COLOUR(t) (((t) + 1) & 1)
#define TICKET(colour, number) (2 * (number)-1 + (colour))

/* Numbers end at n because the algorithm is right. A broken variant goes on with n. */
#define AFTER(number) (VARIANT(ITSELF) || (number) < n ? (number) + 1 : n)

/* [number, j] >= [mine, i], of tickets of one colour. */
static inline bool behind(word theirs, word j, word mine, word i)
{
    return NUMBER(theirs) > NUMBER(mine) || (NUMBER(theirs) == NUMBER(mine) && j > i);
}

DOORWAY
    word theirs;
    if (!VARIANT(NO_CHOOSING))
        WRITE(L1, choosing[ME], 1);
    READ(L2, mycolor, color);
    for (j = 0; j < n; j++) {
        if (j == ME)
            continue;
        READ(L3, theirs, ticket[j]);
        if (theirs != 0 && COLOUR(theirs) == mycolor && NUMBER(theirs) > most)
            most = NUMBER(theirs);
    }
    FORGET(j);
    WRITE(L3t, ticket[ME], TICKET(mycolor, AFTER(most)));
    FORGET(most);
    FORGET(mycolor); /* the ticket has it */
    if (!VARIANT(NO_CHOOSING))
        WRITE(L4, choosing[ME], 0);
END

WAITING
    word theirs, now;
    for (j = 0; j < n; j++) {
        if (j == ME)
            continue;
        if (!VARIANT(NO_CHOOSING))
            AWAIT(L6, choosing, choosing[j], choosing == 0);
        READ(L7, theirs, ticket[j]);
        if (theirs == 0)
            continue;
        if (COLOUR(theirs) == COLOUR(OWN(ticket[ME]))) {
            AWAIT(L8, other, ticket[j],
                  other == 0 || COLOUR(other) != COLOUR(OWN(ticket[ME])) ||
                      behind(other, j, OWN(ticket[ME]), ME));
        } else if (!VARIANT(NO_OTHER_COLOUR)) {
            for (;;) {
                READ(L9, theirs, ticket[j]);
                if (theirs == 0 || COLOUR(theirs) == COLOUR(OWN(ticket[ME])))
                    break;
                READ(L9c, now, color);
                if (now != COLOUR(OWN(ticket[ME])))
                    break;
                RELAX;
            }
        }
    }
    FORGET(j);
END

EXIT
    if (VARIANT(LATE_COLOUR)) {
        mycolor = COLOUR(OWN(ticket[ME]));
        WRITE(L11, ticket[ME], 0);
        WRITE(L10, color, 1 - mycolor);
    } else {
        WRITE(L10, color, 1 - COLOUR(OWN(ticket[ME])));
        WRITE(L11, ticket[ME], 0);
    }
    FORGET(mycolor);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Taubenfeld 2004"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Taubenfeld 2004"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "follows from the order"},
    {CHECK_LINEAR_WAITING, CLAIMED, "follows from the order", .has_bound = true, .bound = 1},
    {CHECK_FIFO, CLAIMED, "Taubenfeld 2004"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "statements 1 to 4", .has_bound = true, .bound = 3,
     .bound_n = 1},
    {CHECK_NO_MEMORY, CLAIMED, "Taubenfeld 2004"},
    {CHECK_VALUES, CLAIMED, "Taubenfeld 2004", .why = "numbers up to n", .has_bound = true},
};

static const struct protocol_claim no_choosing[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without choosing", .refuted_from_n = 2},
};

static const struct protocol_claim no_other_colour[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without statement 9", .refuted_from_n = 2},
};

static const struct protocol_claim late_colour[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with 10 after 11", .refuted_from_n = 3},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 842, 1684},
    {{.n = 3, .l = 1, .k = 1}, 82872, 248616},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the black-white bakery", CLAIMS(claims), EXPECTED(expected)},
    [NO_CHOOSING] = {"no-choosing", "broken: nobody shows that it is choosing",
                     CLAIMS(no_choosing)},
    [NO_OTHER_COLOUR] = {"no-other-colour", "broken: does not wait for tickets of the other colour",
                         CLAIMS(no_other_colour)},
    [LATE_COLOUR] = {"late-colour", "broken: gives its ticket back before it changes the colour",
                     CLAIMS(late_colour)},
};

static uint64_t values(const struct step_params *params)
{
    return 2 * params->n + 1;
}

PROTOCOL(.name = "black-white-bakery", .title = "Taubenfeld's black-white bakery",
         .citation = "Taubenfeld 2004, Algorithm 2", .min_n = 2, .max_n = 8, .default_n = 3,
         .max_l = 1, .values = values, .values_source = "two colours, numbers 1 .. n, or none",
         VARIANTS(variants))
#include "step/end.h"
