#include "stress/arena.h"

#include <sys/mman.h>

static size_t round_up(size_t size)
{
    return (size + STRESS_LINE - 1) / STRESS_LINE * STRESS_LINE;
}

bool stress_arena_make(struct stress_arena *arena, const struct stress_plan *plan)
{
    const struct protocol_native *native = plan->native;
    size_t stride = round_up(native->local_size);
    size_t board = 0;
    size_t shared = board + round_up(sizeof(struct stress_board));
    size_t local = shared + round_up(native->shared_size);
    size_t private = local + stride * plan->params.n;
    const struct protocol_native *gate = plan->gate;
    size_t gate_stride = gate != NULL ? round_up(gate->local_size) : 0;
    size_t gate_shared = private + round_up(native->private_size);
    size_t gate_local = gate_shared + (gate != NULL ? round_up(gate->shared_size) : 0);
    size_t log = gate_local + gate_stride * plan->params.n;
    size_t size = log + sizeof(uint32_t) * STRESS_LOG;
    /* Zeroed by the system, gone with the last process that has it, and no file anywhere. */
    char *mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return false;
    *arena = (struct stress_arena){.plan = plan,
                                   .mapping = mapping,
                                   .size = size,
                                   .board = (void *)(mapping + board),
                                   .shared = mapping + shared,
                                   .local = mapping + local,
                                   .local_stride = stride,
                                   .private = mapping + private,
                                   .gate_shared = mapping + gate_shared,
                                   .gate_local = mapping + gate_local,
                                   .gate_stride = gate_stride,
                                   .log = (void *)(mapping + log)};
    native->initial(arena->shared, &plan->params);
    if (gate != NULL)
        gate->initial(arena->gate_shared, &plan->gate_params);
    return true;
}

void stress_arena_free(struct stress_arena *arena)
{
    munmap(arena->mapping, arena->size);
    *arena = (struct stress_arena){0};
}

void *stress_arena_local(const struct stress_arena *arena, unsigned me)
{
    return arena->local + arena->local_stride * me;
}
