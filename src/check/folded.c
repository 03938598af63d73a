#include "check/folded.h"

#include <string.h>

/* The number of a permutation in lexicographic order. Its digits (of the factorial number system)
 * count, for each place, the unused smaller values. */
uint8_t check_folding_number(const struct check_folding *folding, const uint8_t *to)
{
    unsigned number = 0;
    for (unsigned p = 0; p < folding->n; p++) {
        unsigned smaller = 0;
        for (unsigned q = p + 1; q < folding->n; q++)
            smaller += to[q] < to[p];
        number = number * (folding->n - p) + smaller;
    }
    return (uint8_t)number;
}

static void write_permutation(struct check_folding *folding, unsigned number)
{
    const unsigned n = folding->n;
    unsigned smaller[CHECK_FOLDED_PROCESSES];
    uint8_t left[CHECK_FOLDED_PROCESSES];
    for (unsigned p = n, rest = number; p-- > 0; rest /= n - p)
        smaller[p] = rest % (n - p);
    for (unsigned p = 0; p < n; p++)
        left[p] = (uint8_t)p;
    for (unsigned p = 0; p < n; p++) {
        folding->place[number][p] = left[smaller[p]];
        memmove(left + smaller[p], left + smaller[p] + 1, n - p - 1 - smaller[p]);
    }
}

void check_folding_make(struct check_folding *folding, unsigned n)
{
    folding->n = n;
    folding->folds = 1;
    for (unsigned p = 2; p <= n; p++)
        folding->folds *= p;
    for (unsigned x = 0; x < folding->folds; x++)
        write_permutation(folding, x);
    for (unsigned a = 0; a < folding->folds; a++) {
        for (unsigned b = 0; b < folding->folds; b++) {
            uint8_t to[CHECK_FOLDED_PROCESSES] = {0};
            for (unsigned p = 0; p < n; p++)
                to[p] = folding->place[a][folding->place[b][p]];
            folding->after[a][b] = check_folding_number(folding, to);
        }
    }
    for (unsigned p = 0; p < n; p++) {
        uint8_t to[CHECK_FOLDED_PROCESSES];
        memcpy(to, folding->place[0], n);
        to[0] = (uint8_t)p;
        to[p] = 0;
        folding->swap[p] = check_folding_number(folding, to);
    }
}
