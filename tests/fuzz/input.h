/* The fuzzer's input as a stream; beyond its end everything is 0. */
#ifndef BERTH_FUZZ_INPUT_H
#define BERTH_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input {
    const uint8_t *data;
    size_t size, at;
};

static inline bool input_is_over(const struct input *input)
{
    return input->at >= input->size;
}

/* A number of this many bytes, the lowest first. */
static inline uint64_t input_take(struct input *input, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes && input->at < input->size; i++)
        number |= (uint64_t)input->data[input->at++] << 8 * i;
    return number;
}

#endif
