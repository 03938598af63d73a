#include "pool.h"

#include <errno.h>
#include <stdlib.h>

int cli_pool_status(int error)
{
    return error == ENOENT || error == EBUSY ? CLI_OTHERWISE
           : error == EINVAL                 ? CLI_USAGE
                                             : CLI_FAILED;
}

int cli_pool_failed(const struct cli_command *command, int error)
{
    return cli_error(cli_pool_status(error), "%s: %s", command->name, berth_reason());
}

bool cli_patience(const char *text, double *seconds)
{
    char *end;
    if (cli_seconds(text, seconds))
        return true;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds == 0;
}

struct timespec cli_deadline(double seconds)
{
    struct timespec deadline = {0};
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    time_t whole = (time_t)seconds;
    deadline.tv_sec += whole;
    deadline.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000;
    }
    return deadline;
}

double cli_elapsed(clockid_t clock, const struct timespec *start)
{
    struct timespec now = *start;
    clock_gettime(clock, &now);
    double seconds =
        (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
    return seconds > 0 ? seconds : 0;
}

static void duration(double seconds, char *text, size_t size)
{
    unsigned long whole = (unsigned long)seconds;
    if (seconds < 60)
        snprintf(text, size, "%.1f s", seconds);
    else if (whole < 3600)
        snprintf(text, size, "%lu:%02lu", whole / 60, whole % 60);
    else
        snprintf(text, size, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
}

const char *cli_user_line(char line[CLI_USER_LINE], const char *what, const berth_user *user)
{
    char command[BERTH_COMMAND_MAX], time[32], place[32];
    cli_clean(command, user->command, true);
    duration(cli_elapsed(CLOCK_REALTIME, &user->since), time, sizeof time);
    snprintf(place, sizeof place, "%s %u", what, user->number);
    snprintf(line, CLI_USER_LINE, "  %-10s  %7d  %9s  %s", place, user->pid, time, command);
    return line;
}
