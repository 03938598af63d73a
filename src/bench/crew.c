#include "bench/crew.h"

#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long children may take to come to a gate, or a waiter to fall asleep. */
static const double patience = 20;

/* ---- the gate ---- */

void bench_gate_wait(struct bench_gate *gate)
{
    atomic_fetch_add(&gate->ready, 1);
    while (atomic_load(&gate->open) == 0)
        syscall(SYS_futex, &gate->open, FUTEX_WAIT, 0, NULL, NULL, 0);
}

/* One round of waiting for something that the crew has to do before `deadline`. */
static bool wait_on(struct bench_crew *crew, double deadline, int *error)
{
    if (bench_crew_failed(crew, error))
        return false;
    if (bench_now() > deadline) {
        *error = ETIMEDOUT;
        return false;
    }
    return bench_doze(crew->run, 0.0005);
}

bool bench_gate_full(struct bench_gate *gate, struct bench_crew *crew, unsigned count, int *error)
{
    const double deadline = bench_now() + patience;
    *error = 0;
    while (atomic_load(&gate->ready) < count) {
        if (!wait_on(crew, deadline, error))
            return false;
    }
    return true;
}

void bench_gate_open(struct bench_gate *gate)
{
    atomic_store(&gate->open, 1);
    syscall(SYS_futex, &gate->open, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- children ---- */

void bench_crew_init(struct bench_crew *crew, struct bench_run *run)
{
    crew->run = run;
    crew->size = 0;
}

int bench_crew_start(struct bench_crew *crew, unsigned index, bench_body *body, void *context)
{
    const pid_t driver = getpid();
    for (; crew->size <= index; crew->size++) {
        crew->child[crew->size].pid = 0;
        crew->child[crew->size].stat = -1;
    }
    pid_t pid = fork();
    if (pid < 0)
        return errno;
    if (pid == 0) {
        /* No child outlives its driver, even if the driver is killed, also before prctl. */
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != driver)
            _exit(ESRCH);
        _exit(body(context, index));
    }
    crew->child[index].pid = pid;
    return 0;
}

static pid_t wait_for(pid_t pid, int *status, int options)
{
    pid_t ended;
    do
        ended = waitpid(pid, status, options);
    while (ended < 0 && errno == EINTR);
    return ended;
}

static void forget(struct bench_crew *crew, unsigned index)
{
    crew->child[index].pid = 0;
    if (crew->child[index].stat >= 0)
        close(crew->child[index].stat);
    crew->child[index].stat = -1;
}

bool bench_crew_ended(struct bench_crew *crew, unsigned index, int *error)
{
    int status = 0;
    pid_t ended =
        crew->child[index].pid == 0 ? 0 : wait_for(crew->child[index].pid, &status, WNOHANG);
    if (ended == 0)
        return false;
    forget(crew, index);
    *error = ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
    return true;
}

bool bench_crew_failed(struct bench_crew *crew, int *error)
{
    for (unsigned i = 0; i < crew->size; i++) {
        if (bench_crew_ended(crew, i, error) && *error != 0)
            return true;
    }
    return false;
}

unsigned bench_crew_living(struct bench_crew *crew)
{
    unsigned living = 0;
    for (unsigned i = 0; i < crew->size; i++) {
        int error;
        living += crew->child[i].pid != 0 && !bench_crew_ended(crew, i, &error);
    }
    return living;
}

void bench_crew_kill(const struct bench_crew *crew, unsigned index)
{
    if (crew->child[index].pid != 0)
        kill(crew->child[index].pid, SIGKILL);
}

void bench_crew_reap(struct bench_crew *crew, unsigned index)
{
    int status;
    if (crew->child[index].pid == 0)
        return;
    wait_for(crew->child[index].pid, &status, 0);
    forget(crew, index);
}

void bench_crew_end(struct bench_crew *crew)
{
    for (unsigned i = 0; i < crew->size; i++)
        bench_crew_kill(crew, i);
    for (unsigned i = 0; i < crew->size; i++)
        bench_crew_reap(crew, i);
}

/* ---- looking at them ---- */

bool bench_crew_asleep(struct bench_crew *crew, unsigned index)
{
    int *stat = &crew->child[index].stat;
    char text[256];
    if (crew->child[index].pid == 0)
        return false;
    if (*stat < 0) {
        snprintf(text, sizeof text, "/proc/%d/stat", (int)crew->child[index].pid);
        *stat = open(text, O_RDONLY | O_CLOEXEC);
    }
    ssize_t length = *stat < 0 ? -1 : pread(*stat, text, sizeof text - 1, 0);
    if (length <= 0)
        return false;
    text[length] = '\0';
    const char *name_end = strrchr(text, ')'); /* the name may hold anything */
    return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'S';
}

bool bench_crew_park(struct bench_crew *crew, unsigned index, _Atomic(uint32_t) *begun, int *error)
{
    const double deadline = bench_now() + patience;
    *error = 0;
    while (atomic_load(begun) == 0 || !bench_crew_asleep(crew, index)) {
        if (!wait_on(crew, deadline, error))
            return false;
    }
    return true;
}

uint64_t bench_crew_cpu_ns(const struct bench_crew *crew, unsigned index)
{
    clockid_t clock;
    struct timespec time;
    if (crew->child[index].pid == 0 || clock_getcpuclockid(crew->child[index].pid, &clock) != 0 ||
        clock_gettime(clock, &time) != 0)
        return 0;
    return os_nanoseconds(&time);
}
