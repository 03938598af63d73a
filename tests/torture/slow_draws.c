/* A process that draws several tickets takes its time between them, so that it is killed, stopped
 * and met there. */
#include "pool/queue.h"

#include <time.h>

int __real_queue_draw(struct queue *queue, const struct store_patience *patience,
                      berth_grant *grant);
int __wrap_queue_draw(struct queue *queue, const struct store_patience *patience,
                      berth_grant *grant);

int __wrap_queue_draw(struct queue *queue, const struct store_patience *patience,
                      berth_grant *grant)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000};
    const int error = __real_queue_draw(queue, patience, grant);
    nanosleep(&pause, NULL);
    return error;
}
