#include "pool_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* The seconds of a unit at `text`, and its length; 0: it is none. */
static double unit_at(const char *text, size_t *length)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    for (unsigned u = 0; u < sizeof units / sizeof units[0]; u++) {
        *length = strlen(units[u].name);
        if (strncmp(text, units[u].name, *length) == 0)
            return units[u].seconds;
    }
    return 0;
}

bool cli_patience(const char *text, double *seconds)
{
    static const double most = 1e9;
    double sum = 0;
    *seconds = 0;
    if (cli_seconds(text, seconds))
        return true;
    do {
        char *end;
        size_t length;
        if (*text < '0' || *text > '9')
            return false;
        const double number = strtod(text, &end);
        if (*end == '\0' && number == 0 && sum == 0)
            break; /* nothing, of whatever */
        const double unit = unit_at(end, &length);
        sum += number * unit;
        if (unit == 0 || !(sum < most))
            return false;
        text = end + length;
    } while (*text != '\0');
    *seconds = sum;
    return true;
}

const char *cli_slots(char text[static 32], unsigned slots)
{
    snprintf(text, 32, "%u %s", slots, slots == 1 ? "slot" : "slots");
    return text;
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
