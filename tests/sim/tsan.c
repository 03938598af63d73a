/*
 * The library is compiled with -fsanitize=thread, and linked with this instead of the sanitizer:
 * every access to memory that others could reach calls a function here first. So at an access
 * another thread may move, and one to memory that the process does not have is found out.
 */
#include "sim.h"

#include "choice.h"

#include <stdatomic.h>
#include <string.h>

static inline void touch(const void *address, size_t size, bool writes, const void *where)
{
    if (sim.self != NULL && sim_reach(address, size, writes) == SIM_SHARED)
        sim_point_at(where);
}

/* An atomic is meant for others, wherever it lies. */
static inline void touch_atomic(const void *address, size_t size, bool writes, const void *where)
{
    if (sim.self == NULL)
        return;
    sim_reach(address, size, writes);
    sim_point_at(where);
}

#define WHERE __builtin_return_address(0)

void __tsan_init(void);
void __tsan_func_entry(void *);
void __tsan_func_exit(void);
void __tsan_read_range(const void *, size_t);
void __tsan_write_range(const void *, size_t);
void __tsan_atomic_thread_fence(int);
void __tsan_atomic_signal_fence(int);
void step_kill_point(const char *label, unsigned line);

void __tsan_init(void)
{
}
void __tsan_func_entry(void *caller)
{
    (void)caller;
}
void __tsan_func_exit(void)
{
}
void __tsan_read_range(const void *address, size_t size)
{
    touch(address, size, false, WHERE);
}
void __tsan_write_range(const void *address, size_t size)
{
    touch(address, size, true, WHERE);
}
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
}
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* The protocol says which access comes next: for the history. */
void step_kill_point(const char *label, unsigned line)
{
    (void)line;
    if (sim.self != NULL)
        sim.self->label = label;
}

#define PLAIN(size)                                                                                \
    void __tsan_read##size(const void *address);                                                   \
    void __tsan_write##size(const void *address);                                                  \
    void __tsan_unaligned_read##size(const void *address);                                         \
    void __tsan_unaligned_write##size(const void *address);                                        \
    void __tsan_read##size(const void *address)                                                    \
    {                                                                                              \
        touch(address, size, false, WHERE);                                                        \
    }                                                                                              \
    void __tsan_write##size(const void *address)                                                   \
    {                                                                                              \
        touch(address, size, true, WHERE);                                                         \
    }                                                                                              \
    void __tsan_unaligned_read##size(const void *address)                                          \
    {                                                                                              \
        touch(address, size, false, WHERE);                                                        \
    }                                                                                              \
    void __tsan_unaligned_write##size(const void *address)                                         \
    {                                                                                              \
        touch(address, size, true, WHERE);                                                         \
    }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

#define CHANGE(bits, type, name)                                                                   \
    type __tsan_atomic##bits##_##name(volatile _Atomic(type) *cell, type value, int order);        \
    type __tsan_atomic##bits##_##name(volatile _Atomic(type) *cell, type value, int order)         \
    {                                                                                              \
        (void)order;                                                                               \
        touch_atomic((const void *)cell, sizeof value, true, WHERE);                               \
        return atomic_##name(cell, value);                                                         \
    }

/* Where it may fail for no reason, it does so now and then. */
#define COMPARE(bits, type, name, may_fail)                                                        \
    int __tsan_atomic##bits##_compare_exchange_##name(                                             \
        volatile _Atomic(type) *cell, type *expected, type value, int order, int on_failure);      \
    int __tsan_atomic##bits##_compare_exchange_##name(                                             \
        volatile _Atomic(type) *cell, type *expected, type value, int order, int on_failure)       \
    {                                                                                              \
        (void)order, (void)on_failure;                                                             \
        touch_atomic((const void *)cell, sizeof value, true, WHERE);                               \
        if ((may_fail) && *cell == *expected && choice_one_in(64))                                 \
            return 0;                                                                              \
        return atomic_compare_exchange_strong(cell, expected, value);                              \
    }

#define ATOMIC(bits, type)                                                                         \
    type __tsan_atomic##bits##_load(const volatile _Atomic(type) *cell, int order);                \
    void __tsan_atomic##bits##_store(volatile _Atomic(type) *cell, type value, int order);         \
    type __tsan_atomic##bits##_load(const volatile _Atomic(type) *cell, int order)                 \
    {                                                                                              \
        (void)order;                                                                               \
        touch_atomic((const void *)cell, sizeof *cell, false, WHERE);                              \
        return atomic_load(cell);                                                                  \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile _Atomic(type) *cell, type value, int order)          \
    {                                                                                              \
        (void)order;                                                                               \
        touch_atomic((const void *)cell, sizeof value, true, WHERE);                               \
        atomic_store(cell, value);                                                                 \
    }                                                                                              \
    CHANGE(bits, type, exchange)                                                                   \
    CHANGE(bits, type, fetch_add)                                                                  \
    CHANGE(bits, type, fetch_sub)                                                                  \
    CHANGE(bits, type, fetch_and)                                                                  \
    CHANGE(bits, type, fetch_or)                                                                   \
    CHANGE(bits, type, fetch_xor)                                                                  \
    COMPARE(bits, type, strong, false)                                                             \
    COMPARE(bits, type, weak, true)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
