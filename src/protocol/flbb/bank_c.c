/*
 * The bank reduction (bank.inc) over Algorithm C of Burns et al. 1982: Theorem 4.1 (a). The theorem
 * rests on an algorithm that locks out from N = 5 on as it is printed (burns/c.c, variant printed);
 * this is over the one in which the buffer is moved before the idlers are woken.
 */
#define TRANSFORMED flbb_bank_c
#define HAS_MORE_PROOF
#include "protocol/flbb/bank.h"
#include "protocol/burns/c.c"

#define BANK_NAME "flbb-bank/c"
#define BANK_TITLE "l-exclusion without lockout, (l + 1)(N/2 + 9) values"
#define BANK_CITATION "Fischer, Lynch, Burns, Borodin 1979, Theorem 4.1 (a), over burns-c"
#define BANK_LOWER lower_l_lockout_free
#define BANK_CLAIMS \
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 4.1 (a)"}, \
    {CHECK_FINITE_WAITING, CLAIMED, "Theorem 4.1 (a), for k = 1", .up_to_k = 1}, \
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, .why = "S is not", .fails_from_n = 3}, \
    {CHECK_FIFO, NOT_CLAIMED, .why = "S is not", .fails_from_n = 3},
#define BANK_EXPECTED \
    {SIZE(2, 1, 1), 35, 70}, \
    {SIZE(2, 1, 2), 35, 70}, \
    {SIZE(3, 1, 1), 703, 2109}, \
    {SIZE(3, 2, 1), 766, 2298}, \
    {SIZE(3, 2, 2), 766, 2298}, \
    {SIZE(4, 1, 1), 4593, 18372}, \
    {SIZE(4, 2, 1), 5667, 22668}, \
    {SIZE(4, 2, 2), 5667, 22668}, \
    {SIZE(4, 3, 1), 5763, 23052}, \
    {SIZE(5, 2, 1), 69226, 346130}
#include "protocol/flbb/bank.inc"
