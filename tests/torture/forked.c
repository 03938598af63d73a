#include "forked.h"

#include "worker.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void refuse(struct board *board, const char *what, int error)
{
    if (error != ECHILD)
        complain(&board->complaints, "%s in a child gave %d (%s), not ECHILD", what, error,
                 strerror(error));
}

/* A child may open the pool for itself. What it holds is not recorded on the board, since it gives
 * it back at once. */
static void open_again(struct board *board, const struct plan *plan)
{
    const berth_options options = {.store = plan->store, .flags = BERTH_EXISTING};
    berth_pool *pool;
    berth_grant grant;
    int error = berth_open(&pool, plan->name, &options);
    if (error == EUSERS)
        return;
    if (error == 0) {
        error = berth_try_acquire(pool, &grant);
        if (error == 0)
            error = berth_release(pool, &grant);
        const int closed = berth_close(pool);
        error = error != 0 && error != EBUSY ? error : closed;
    }
    if (error != 0)
        complain(&board->complaints, "a child that opened the pool again got %d (%s): %s", error,
                 strerror(error), berth_reason());
}

static _Noreturn void child(struct board *board, const struct plan *plan, berth_pool *pool,
                            const berth_grant *held, bool again)
{
    static const struct timespec long_ago;
    berth_grant grant;
    refuse(board, "berth_acquire", berth_acquire(pool, &grant));
    refuse(board, "berth_try_acquire", berth_try_acquire(pool, &grant));
    refuse(board, "berth_acquire_until", berth_acquire_until(pool, &grant, &long_ago));
    refuse(board, "berth_release", berth_release(pool, held));
    refuse(board, "berth_resize", berth_resize(pool, 1));
    refuse(board, "berth_describe", berth_describe(pool, 1, "child"));
    const int error = berth_close(pool);
    if (error != 0)
        complain(&board->complaints, "berth_close in a child gave %d (%s)", error, strerror(error));
    if (again)
        open_again(board, plan);
    _exit(0);
}

void forked_over(struct self *self, const struct plan *plan, berth_pool *pool,
                 const berth_grant *grant)
{
    /* Its place on the board is its parent's, so it takes no part in what is checked there; with a
     * pool that is resized, a slot of its own would not be settled (order.h). */
    const bool again = !plan->resized && !plan->removed;
    atomic_fetch_add(&self->board->forks, 1);
    pid_t pid = fork();
    if (pid == 0) {
        worker_spare();
        child(self->board, plan, pool, grant, again);
    }
    if (pid < 0) {
        complain(&self->board->complaints, "cannot fork: %s", strerror(errno));
        return;
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0)
        complain(&self->board->complaints, "a forked child ended with wait status %#x",
                 (unsigned)status);
}
