/* What a process can ask about itself and the time. */
#include "sim.h"

#include "calls.h"
#include "choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A second of CLOCK_REALTIME that has nothing to do with CLOCK_MONOTONIC. */
#define REALTIME_BEGAN (UINT64_C(1700000000) * SIM_SECOND)
enum { TICK = 4000000 }; /* of the coarse clocks */

int sim_clock_gettime(clockid_t clock, struct timespec *time)
{
    uint64_t now = sim.now += 30;
    switch (clock) {
    case CLOCK_REALTIME: now += REALTIME_BEGAN; break;
    case CLOCK_REALTIME_COARSE: now = (now + REALTIME_BEGAN) / TICK * TICK; break;
    case CLOCK_MONOTONIC_COARSE: now = now / TICK * TICK; break;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME: break;
    default: errno = EINVAL; return -1;
    }
    *time = (struct timespec){(time_t)(now / SIM_SECOND), (long)(now % SIM_SECOND)};
    return 0;
}

pid_t sim_getpid(void)
{
    return (pid_t)sim.self->process->pid;
}

uid_t sim_geteuid(void)
{
    return 0;
}

int sim_posix_kill(pid_t pid, int signal)
{
    sim_enter();
    struct sim_process *process = sim_find((unsigned)pid);
    if (process == NULL) {
        errno = ESRCH;
        return -1;
    }
    if (signal == SIGKILL)
        sim_kill(process);
    return 0;
}

int sim_gethostname(char *name, size_t size)
{
    snprintf(name, size, "sim");
    return 0;
}

ssize_t sim_getrandom(void *buffer, size_t size, unsigned flags)
{
    (void)flags;
    sim_enter();
    SIM_MAY_FAIL(-1, EINTR);
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)buffer)[i] = (unsigned char)choice_bits();
    return (ssize_t)size;
}

char *sim_secure_getenv(const char *name)
{
    static char path[] = "/store";
    return strcmp(name, "BERTH_STORE") == 0 ? path : NULL;
}
