#include "write_words.h"

#include "step/params.h"

#include <string.h>

#define STEP_NATIVE
#define STEP_EMBEDDED
#define step_shared pool_file
#define SEAT_BITS (shared->geometry.seat_bits)
#define RING_BITS (shared->geometry.ring_bits)
#include "protocol/pool/bits.inc"

/* A ticket not far from where a new pool begins. Less than 0 is very much. */
static word some_ticket(const struct pool_file *shared, struct input *input)
{
    return RING + (word)(int64_t)(int16_t)input_take(input, 2);
}

static void write_entry(const struct pool_file *shared, struct input *input, unsigned count)
{
    const word ticket = some_ticket(shared, input);
    const word about = (input_take(input, 1) & 1) != 0 ? some_ticket(shared, input) : ticket;
    const word kind = input_take(input, 1), value = input_take(input, 2);
    for (unsigned i = 0; i < count; i++)
        atomic_store(&shared->ring[PLACE(ticket + i)], ENTRY_OF(about + i, kind & 7, VALUE(value)));
}

static void write_holder(const struct pool_file *shared, struct input *input, unsigned count)
{
    const uint64_t j = input_take(input, 2);
    const word ticket = some_ticket(shared, input), seat = input_take(input, 1);
    for (unsigned i = 0; i < count; i++)
        atomic_store(&shared->slot[(j + i) % BERTH_MAX_SLOTS], HOLDER(ticket + i, seat & NOBODY));
}

/* Any word of the file but the header. */
static void write_any(const struct pool_file *shared, struct input *input)
{
    const size_t words = (shared->geometry.size - POOL_PAGE) / sizeof(uint64_t);
    const size_t at = (size_t)input_take(input, 3) % words;
    _Atomic(uint64_t) *word_of = (void *)shared->control;
    atomic_store(&word_of[at], input_take(input, 8));
}

static void write_seat(const struct pool_file *shared, struct input *input)
{
    struct pool_seat *seat = &shared->seat[input_take(input, 2) % shared->geometry.seats];
    atomic_store(&seat->pid, (uint32_t)input_take(input, 4));
    memset(&seat->command, (int)input_take(input, 1), sizeof seat->command);
}

void words_write(const struct pool_file *shared, struct input *input)
{
    struct pool_control *control = shared->control;
    word ticket;
    switch (input_take(input, 1) % 12) {
    case 0:
        ticket = some_ticket(shared, input);
        atomic_store(&control->draw, DRAW(ticket, input_take(input, 1) & NOBODY));
        break;
    case 1:
        ticket = some_ticket(shared, input);
        atomic_store(&control->admission, ADMISSION(ticket, input_take(input, 2) & 1023));
        break;
    case 2: atomic_store(&control->target, input_take(input, 2)); break;
    case 3: write_holder(shared, input, 1); break;
    case 4: write_holder(shared, input, BERTH_MAX_SLOTS); break;
    case 5: write_entry(shared, input, 1); break;
    case 6: write_entry(shared, input, (unsigned)input_take(input, 1)); break;
    case 7: write_entry(shared, input, shared->geometry.ring); break;
    case 8: write_any(shared, input); break;
    case 9: write_seat(shared, input); break;
    case 10: atomic_store(&control->target, input_take(input, 8)); break;
    default: atomic_store(&control->removed, input_take(input, 1)); break;
    }
}
