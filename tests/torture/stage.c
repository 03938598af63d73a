#include "stage.h"

#include "os/clock.h"
#include "os/futex.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void stage_fail(struct stage *stage, const char *format, ...)
{
    va_list arguments;
    if (stage->failed)
        return;
    stage->failed = true;
    va_start(arguments, format);
    vsnprintf(stage->text, sizeof stage->text, format, arguments);
    va_end(arguments);
}

static uint64_t patience_ends(const struct stage *stage)
{
    return os_now(CLOCK_MONOTONIC) + stage->patience * OS_SECOND;
}

bool stage_make(struct stage *stage, const char *source)
{
    if (!points_read(&stage->points, source)) {
        stage_fail(stage, "cannot find the kill points in %s", source);
        return false;
    }
    snprintf(stage->store, sizeof stage->store, "%s/berth-points-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    stage->name = "points";
    stage->actor = mmap(NULL, ACTORS * sizeof(struct actor), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stage->actor != MAP_FAILED && mkdtemp(stage->store) != NULL)
        return true;
    stage_fail(stage, "cannot make a stage: %s", strerror(errno));
    return false;
}

/* ---- a pool ---- */

bool stage_set(struct stage *stage, unsigned slots, unsigned seats)
{
    const berth_options options = {.store = stage->store, .slots = slots, .seats = seats};
    berth_pool *pool;
    stage->slots = slots;
    stage->seats = seats;
    memset(stage->actor, 0, ACTORS * sizeof(struct actor));
    if (berth_open(&pool, stage->name, &options) != 0 || berth_close(pool) != 0)
        stage_fail(stage, "cannot make a pool: %s", berth_reason());
    return !stage->failed;
}

static void check_nothing_is_left(struct stage *stage)
{
    DIR *list = opendir(stage->store);
    if (list == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            stage_fail(stage, "%s is left behind in the store", entry->d_name);
    }
    closedir(list);
}

bool stage_clear(struct stage *stage)
{
    const berth_options options = {.store = stage->store};
    for (unsigned who = 0; who < ACTORS; who++)
        kill_actor(stage, who);
    if (stage->failed)
        return false; /* the pool is kept for inspection */
    if (berth_remove(stage->name, &options) != 0)
        stage_fail(stage, "the pool cannot be removed: %s", berth_reason());
    check_nothing_is_left(stage);
    return !stage->failed;
}

/* ---- actors ---- */

static void start(struct stage *stage, unsigned who)
{
    const pid_t driver = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == driver)
            actor_live(stage, who);
        _exit(1);
    }
    if (pid < 0)
        stage_fail(stage, "cannot fork: %s", strerror(errno));
    stage->pid[who] = pid > 0 ? pid : 0;
    stage->halted[who] = false;
}

/* Records a death or a stop. */
static void watch(struct stage *stage, unsigned who)
{
    int status;
    if (stage->pid[who] == 0 ||
        waitpid(stage->pid[who], &status, WNOHANG | WUNTRACED) != stage->pid[who])
        return;
    if (WIFSTOPPED(status)) {
        stage->halted[who] = true;
        return;
    }
    stage->pid[who] = 0;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        stage_fail(stage, "actor %u ended with wait status %#x", who, (unsigned)status);
}

static bool is_dead(const struct stage *stage, unsigned who)
{
    return stage->pid[who] == 0 && atomic_load(&stage->actor[who].asked) != 0;
}

static bool is_busy(const struct stage *stage, unsigned who)
{
    const struct actor *actor = &stage->actor[who];
    return stage->pid[who] != 0 && !stage->halted[who] &&
           atomic_load(&actor->done) != atomic_load(&actor->asked);
}

void stage_arm(struct stage *stage, unsigned who, enum deed deed, const char *point,
               unsigned passage)
{
    struct arm *arm = stage->actor[who].arm;
    if (arm->deed != NOTHING)
        arm++;
    *arm = (struct arm){deed, points_find(&stage->points, point), passage};
    if (arm->point == stage->points.count)
        stage_fail(stage, "there is no kill point %s any more", point);
}

void tell(struct stage *stage, unsigned who, enum command command, unsigned argument)
{
    struct actor *actor = &stage->actor[who];
    if (is_dead(stage, who) || stage->failed)
        return;
    if (stage->pid[who] == 0)
        start(stage, who);
    actor->command = command;
    actor->argument = argument;
    atomic_fetch_add(&actor->asked, 1);
    os_futex_wake(&actor->asked);
}

bool finish(struct stage *stage, unsigned who)
{
    const struct actor *actor = &stage->actor[who];
    const uint64_t deadline = patience_ends(stage);
    for (watch(stage, who); is_busy(stage, who) && !stage->failed; watch(stage, who)) {
        const uint64_t now = os_now(CLOCK_MONOTONIC);
        const struct timespec until = os_timespec(now + 300000);
        if (now > deadline)
            stage_fail(stage, "actor %u is stuck in command %d", who, (int)actor->command);
        os_futex_sleep(&stage->actor[who].done, (uint32_t)(atomic_load(&actor->asked) - 1), &until);
    }
    const bool lives = stage->pid[who] != 0;
    if (lives && !stage->halted[who] && actor->error != 0 && actor->error != EBUSY &&
        actor->error != ETIMEDOUT)
        stage_fail(stage, "actor %u got error %d (%s) from command %d", who, actor->error,
                   strerror(actor->error), (int)actor->command);
    return lives;
}

bool act(struct stage *stage, unsigned who, enum command command, unsigned argument)
{
    tell(stage, who, command, argument);
    return finish(stage, who);
}

/* In PAUSE, and so for longer than it takes to spin. */
void fall_asleep(struct stage *stage, unsigned who)
{
    const unsigned before = points_find(&stage->points, "PAUSE"), after = before + 1;
    const struct actor *actor = &stage->actor[who];
    const uint64_t deadline = patience_ends(stage);
    unsigned last = 0;
    for (watch(stage, who); is_busy(stage, who) && !stage->failed; watch(stage, who)) {
        const unsigned pauses = atomic_load(&actor->passed[before]);
        if (pauses != 0 && pauses == last && atomic_load(&actor->passed[after]) < pauses)
            return;
        last = pauses;
        if (os_now(CLOCK_MONOTONIC) > deadline)
            stage_fail(stage, "actor %u neither waits nor gets its slot", who);
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    }
}

void kill_actor(struct stage *stage, unsigned who)
{
    if (stage->pid[who] == 0)
        return;
    kill(stage->pid[who], SIGKILL);
    waitpid(stage->pid[who], NULL, 0);
    stage->pid[who] = 0;
}

void continue_actor(struct stage *stage, unsigned who)
{
    watch(stage, who);
    if (stage->pid[who] == 0 || !stage->halted[who])
        return;
    stage->halted[who] = false;
    kill(stage->pid[who], SIGCONT);
}

/* ---- afterwards ---- */

/* Each in turn: one that has something gives it back, until nobody waits and nobody has
 * anything. */
static void let_all_finish(struct stage *stage)
{
    const uint64_t deadline = patience_ends(stage);
    for (bool over = false; !over && !stage->failed;) {
        over = true;
        for (unsigned who = 0; who < ACTORS; who++) {
            continue_actor(stage, who);
            if (stage->pid[who] == 0)
                continue;
            if (is_busy(stage, who))
                over = false;
            else if (atomic_load(&stage->actor[who].held) != 0) {
                act(stage, who, TO_RELEASE, 0);
                over = false;
            }
        }
        if (os_now(CLOCK_MONOTONIC) > deadline)
            stage_fail(stage, "somebody does not get its slot");
        if (!over)
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
}

/* All slots at once; the kernel may need a moment to tear down the dead processes. */
static void take_all(struct stage *stage, berth_pool *pool, unsigned slots)
{
    berth_grant grant[BERTH_MAX_SLOTS];
    bool seen[BERTH_MAX_SLOTS] = {false};
    const uint64_t begun = os_now(CLOCK_MONOTONIC);
    unsigned count = 0;
    while (count < slots && !stage->failed) {
        const int error = berth_try_acquire(pool, &grant[count]);
        const double seconds = (double)(os_now(CLOCK_MONOTONIC) - begun) / 1e9;
        if (error == 0 && (grant[count].slot >= slots || seen[grant[count].slot]))
            stage_fail(stage, "slot %u was given twice, or does not exist", grant[count].slot);
        else if (error == 0)
            seen[grant[count++].slot] = true;
        else if (error != EBUSY)
            stage_fail(stage, "berth_try_acquire: %s", berth_reason());
        else if (seconds > (double)stage->patience)
            stage_fail(stage, "a slot is lost: of %u only %u are available", slots, count);
        if (seconds > stage->worst)
            stage->worst = seconds;
    }
    if (!stage->failed && berth_try_acquire(pool, &grant[0]) != EBUSY)
        stage_fail(stage, "there are more than %u slots", slots);
}

void stage_judge(struct stage *stage)
{
    const berth_options options = {.store = stage->store, .flags = BERTH_EXISTING};
    berth_view *view;
    berth_pool *pool;
    let_all_finish(stage);
    for (unsigned who = 0; who < ACTORS; who++) {
        if (stage->pid[who] != 0 && !stage->failed)
            act(stage, who, TO_CLOSE, 0);
    }
    if (stage->failed)
        return;
    if (berth_look(&view, stage->name, &options) != 0) {
        stage_fail(stage, "berth_look: %s", berth_reason());
        return;
    }
    const unsigned slots = view->slots;
    if (view->holder_count != 0 || view->waiter_count != 0)
        stage_fail(stage, "nobody is left, and %zu holders and %zu waiters are shown",
                   view->holder_count, view->waiter_count);
    berth_view_free(view);
    if (berth_open(&pool, stage->name, &options) != 0) {
        stage_fail(stage, "berth_open: %s", berth_reason());
        return;
    }
    take_all(stage, pool, slots);
    if (berth_close(pool) != 0)
        stage_fail(stage, "berth_close: %s", berth_reason());
}
