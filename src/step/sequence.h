/*
 * What a protocol does with a sequence: the first `length` words of an array. Said once here for
 * the program and for the checker, and in word.cc and src/prove/position.c for the prover, which
 * cannot read a loop without a bound.
 */
#ifndef BERTH_STEP_SEQUENCE_H
#define BERTH_STEP_SEQUENCE_H

#ifndef STEP_RULES
static inline word step_position(const word *sequence, word length, word value)
{
    word at = 0;
    while (at < length && sequence[at] != value)
        at++;
    return at;
}

static inline void step_take_out(word *sequence, word length, word at)
{
    for (; at + 1 < length; at++)
        sequence[at] = sequence[at + 1];
    sequence[length - 1] = 0;
}

/* For each length m there are n! / (n - m)!. */
static inline uint64_t step_sequences(uint64_t n)
{
    uint64_t sum = 1, sequences = 1;
    for (uint64_t m = 0; m < n; m++)
        sum += sequences *= n - m;
    return sum;
}
#endif

#define POSITION(sequence, length, value) step_position((sequence), (length), (value))
#define TAKE_OUT(sequence, length, at) step_take_out((sequence), (length), (at))
/* How many sequences of distinct numbers below n there are. */
#define SEQUENCES(n) step_sequences(n)

#endif
