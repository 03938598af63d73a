/* A ticket in a pool's line, which a thread waits for; it tells by an eventfd. */
#ifndef BERTH_JOBSERVER_ASKER_H
#define BERTH_JOBSERVER_ASKER_H

#include "berth.h"

#include <pthread.h>
#include <stdbool.h>

enum asker_state { ASKER_RESTS, ASKER_ASKS, ASKER_CAME, ASKER_FAILED };

struct asker {
    berth_pool *pool;
    int wake; /* an eventfd, written to when the state has changed */
    bool started;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t change;
    volatile int stop;
    enum asker_state state; /* under the mutex; so below */
    berth_grant grant;
    int error;
};

int asker_open(struct asker *asker, berth_pool *pool, int wake);
/* The wait, if there is one, is given up, and no other one begins. A slot that has come is still
 * reported. */
void asker_end(struct asker *asker);
/* That, and a slot that has come stays with the pool's handle. */
void asker_close(struct asker *asker);

/* Asks for a slot, if none is asked for. 0, or an errno value: nobody asks. */
int asker_ask(struct asker *asker);
/* ASKER_CAME, with *grant, and ASKER_FAILED, with *error, are told once. */
enum asker_state asker_look(struct asker *asker, berth_grant *grant, int *error);

#endif
