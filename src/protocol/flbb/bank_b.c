/* The bank reduction (bank.inc) over Algorithm B of Burns et al. 1982: Theorem 4.1 (b). */
#define TRANSFORMED flbb_bank_b
#define HAS_MORE_PROOF
#include "protocol/flbb/bank.h"
#include "protocol/burns/b.c"

#define BANK_NAME "flbb-bank/b"
#define BANK_TITLE "l-exclusion with 1-bounded waiting, (l + 1)(N + 3) values"
#define BANK_CITATION "Fischer, Lynch, Burns, Borodin 1979, Theorem 4.1 (b), over burns-b"
#define BANK_LOWER lower_l_bounded_waiting
#define BANK_CLAIMS \
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 4.1 (b)"}, \
    {CHECK_FINITE_WAITING, CLAIMED, "Theorem 4.1 (b), for k = 1", .up_to_k = 1}, \
    {CHECK_BOUNDED_WAITING, CLAIMED, "Theorem 4.1 (b)", .has_bound = true, .bound = 1}, \
    {CHECK_FIFO, NOT_CLAIMED, .why = "S is not", .fails_from_n = 3},
#define BANK_EXPECTED \
    {SIZE(2, 1, 1), 43, 86}, \
    {SIZE(2, 1, 2), 43, 86}, \
    {SIZE(3, 1, 1), 514, 1542}, \
    {SIZE(3, 2, 1), 601, 1803}, \
    {SIZE(3, 2, 2), 601, 1803}, \
    {SIZE(4, 1, 1), 4453, 17812}, \
    {SIZE(4, 2, 1), 6175, 24700}, \
    {SIZE(4, 2, 2), 6175, 24700}, \
    {SIZE(4, 3, 1), 6367, 25468}, \
    {SIZE(5, 2, 1), 52216, 261080}
#include "protocol/flbb/bank.inc"
