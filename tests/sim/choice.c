#include "choice.h"

static uint64_t state;

void choice_seed(uint64_t seed)
{
    state = seed * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x2545f4914f6cdd1d);
    for (unsigned i = 0; i < 4; i++)
        choice_bits();
}

/* splitmix64 */
uint64_t choice_bits(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

unsigned choice_below(unsigned n)
{
    return n == 0 ? 0 : (unsigned)((choice_bits() >> 32) * n >> 32);
}

bool choice_one_in(unsigned n)
{
    return choice_below(n) == 0;
}

uint64_t choice_around(uint64_t typical)
{
    const uint64_t spread = typical >> 3 << choice_below(5);
    return 1 + choice_bits() % (2 * spread + 2);
}
