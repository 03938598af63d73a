/*
 * Three ways to ask for a slot: wait for it, wait until a deadline, or take it only if it is free.
 *
 *     cc deadline.c $(pkg-config --cflags --libs berth) -o deadline
 */
#include <berth.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char name[] = "deadline-example";

static void expect(const char *what, int expected, int error)
{
    printf("%-38s %s%s%s\n", what, strerror(error), error != 0 ? ": " : "",
           error != 0 ? berth_reason() : "");
    if (error != expected)
        exit(1);
}

/* A tenth of a second from now. The clock is the one that does not jump. */
static struct timespec soon(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += 100 * 1000 * 1000;
    if (time.tv_nsec >= 1000 * 1000 * 1000) {
        time.tv_sec++;
        time.tv_nsec -= 1000 * 1000 * 1000;
    }
    return time;
}

int main(void)
{
    berth_pool *mine, *yours; /* two handles, as two processes would have */
    berth_grant held, wanted;
    struct timespec deadline;

    expect("open, with one slot", 0, berth_open(&mine, name, &(berth_options){.slots = 1}));
    expect("open it again", 0, berth_open(&yours, name, NULL));
    expect("open it with another number of slots", EEXIST,
           berth_open(&(berth_pool *){NULL}, name, &(berth_options){.slots = 2}));

    expect("take the slot", 0, berth_acquire(mine, &held));
    expect("take it if it is free", EBUSY, berth_try_acquire(yours, &wanted));
    deadline = soon();
    expect("wait a tenth of a second for it", ETIMEDOUT,
           berth_acquire_until(yours, &wanted, &deadline));

    expect("give it back", 0, berth_release(mine, &held));
    deadline = soon();
    expect("wait for it again", 0, berth_acquire_until(yours, &wanted, &deadline));
    expect("give back what is not held", EPERM, berth_release(mine, &held));

    expect("close both", 0, berth_close(mine));
    expect("", 0, berth_close(yours)); /* which gives the slot back */
    expect("remove the pool", 0, berth_remove(name, NULL));
    return 0;
}
