#include "check/parallel.h"

#include <pthread.h>
#include <stdbool.h>

struct part {
    void (*work)(void *context, unsigned thread);
    void *context;
    unsigned thread;
};

static void *run_part(void *argument)
{
    struct part *part = argument;
    part->work(part->context, part->thread);
    return NULL;
}

void check_parallel(unsigned threads, void (*work)(void *context, unsigned thread), void *context)
{
    struct part part[CHECK_MAX_THREADS];
    pthread_t id[CHECK_MAX_THREADS];
    bool started[CHECK_MAX_THREADS];
    for (unsigned t = 1; t < threads; t++) {
        part[t] = (struct part){work, context, t};
        started[t] = pthread_create(&id[t], NULL, run_part, &part[t]) == 0;
    }
    work(context, 0);
    for (unsigned t = 1; t < threads; t++) {
        if (started[t])
            pthread_join(id[t], NULL);
        else
            work(context, t);
    }
}
