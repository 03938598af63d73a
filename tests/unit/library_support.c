#include "library_support.h"

uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct timespec in_ms(int64_t milliseconds)
{
    const int64_t then = (int64_t)now_ms() + milliseconds;
    return (struct timespec){.tv_sec = (time_t)(then / 1000),
                             .tv_nsec = (long)(then % 1000) * 1000000};
}

void sleep_ms(unsigned milliseconds)
{
    struct timespec left = {.tv_sec = milliseconds / 1000,
                            .tv_nsec = milliseconds % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0)
        continue;
}

berth_pool *open_slots(const struct fixture *fixture, const char *name, unsigned slots)
{
    berth_options options = fixture->options;
    berth_pool *pool = NULL;
    options.slots = slots;
    const int error = berth_open(&pool, name, &options);
    if (error != 0)
        fail_msg("berth_open: %d, %s", error, berth_reason());
    return pool;
}

pid_t start_holder(const struct fixture *fixture, const char *name, void (*then)(berth_pool *pool))
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        berth_pool *pool;
        berth_grant grant;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (berth_open(&pool, name, &fixture->options) != 0 || berth_acquire(pool, &grant) != 0)
            _exit(1);
        if (then != NULL)
            then(pool);
        if (write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

unsigned count_free(const struct fixture *fixture, const char *name)
{
    enum { MOST = 16 };
    berth_grant grants[MOST];
    unsigned count = 0;
    berth_pool *pool = open_slots(fixture, name, 0);
    while (count < MOST && berth_try_acquire(pool, &grants[count]) == 0)
        count++;
    assert_int_equal(berth_close(pool), 0);
    return count;
}
