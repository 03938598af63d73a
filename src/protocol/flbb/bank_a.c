/* The bank reduction (bank.inc) over Algorithm A of Burns et al. 1982. */
#define TRANSFORMED flbb_bank_a
#define HAS_MORE_PROOF
#include "protocol/flbb/bank.h"
#include "protocol/burns/a.c"

#define BANK_NAME "flbb-bank/a"
#define BANK_TITLE "l-exclusion with 1-bounded waiting, (l + 1)(N + 6) values"
#define BANK_CITATION "Fischer, Lynch, Burns, Borodin 1979, Lemma 4.1, over burns-a"
#define BANK_LOWER lower_l_bounded_waiting
#define BANK_CLAIMS \
    {CHECK_LOCKOUT_FREE, CLAIMED, "Lemma 4.1"}, \
    {CHECK_FINITE_WAITING, CLAIMED, "Lemma 4.1, for k = 1", .up_to_k = 1}, \
    {CHECK_BOUNDED_WAITING, CLAIMED, "Lemma 4.1", .has_bound = true, .bound = 1}, \
    {CHECK_FIFO, NOT_CLAIMED, .why = "S is not", .fails_from_n = 3},
#define BANK_EXPECTED \
    {SIZE(2, 1, 1), 35, 70}, \
    {SIZE(2, 1, 2), 35, 70}, \
    {SIZE(3, 1, 1), 370, 1110}, \
    {SIZE(3, 2, 1), 421, 1263}, \
    {SIZE(3, 2, 2), 421, 1263}, \
    {SIZE(4, 1, 1), 3037, 12148}, \
    {SIZE(4, 2, 1), 3967, 15868}, \
    {SIZE(4, 2, 2), 3967, 15868}, \
    {SIZE(4, 3, 1), 4063, 16252}, \
    {SIZE(5, 2, 1), 32836, 164180}
#include "protocol/flbb/bank.inc"
