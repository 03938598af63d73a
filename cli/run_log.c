/* berth run --log: one line of JSON for each run that has ended, added to a file in one piece. */
#include "pool_command.h"
#include "run.h"

#include "cli.h"
#include "os/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct run_record {
    int fd;
    json_t *pools; /* as they were granted; empty before that */
    bool granted;
    const char *command;
    struct timespec begun, since; /* CLOCK_MONOTONIC: of the run, and of its slots */
    struct timespec time;         /* CLOCK_REALTIME: of the run */
};

int run_log_open(struct run_options *options, const char *description)
{
    if (options->log == NULL)
        return CLI_OK;
    struct run_record *record = calloc(1, sizeof *record);
    if (record == NULL)
        return cli_error(CLI_FAILED, "run: out of memory");
    record->fd = open(options->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (record->fd < 0) {
        free(record);
        return cli_error(CLI_FAILED, "run: cannot write to %s: %s", options->log, strerror(errno));
    }
    record->pools = json_array();
    record->command = description;
    clock_gettime(CLOCK_MONOTONIC, &record->begun);
    clock_gettime(CLOCK_REALTIME, &record->time);
    options->record = record;
    return CLI_OK;
}

void run_log_granted(const struct run_options *options)
{
    struct run_record *record = options->record;
    if (record == NULL)
        return;
    record->granted = true;
    clock_gettime(CLOCK_MONOTONIC, &record->since);
    for (size_t i = 0; i < options->pools.count; i++) {
        const struct run_pool *pool = &options->pools.pool[i];
        json_t *slots = json_array();
        for (unsigned s = 0; s < pool->slots; s++)
            json_array_append_new(slots, json_integer(pool->grants[s].slot));
        json_array_append_new(record->pools,
                              json_pack("{s:s, s:o, s:I}", "pool", pool->name, "slots", slots,
                                        "token", (json_int_t)pool->grants[0].token));
    }
}

static double between(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) / 1e9;
}

/* To the millisecond, so that the line is short. */
static json_t *seconds_json(double seconds)
{
    return json_real((double)(long long)(seconds * 1000 + 0.5) / 1000);
}

static json_t *line_of(const struct run_options *options, int status)
{
    const struct run_record *record = options->record;
    char command[BERTH_COMMAND_MAX], time[64];
    struct timespec now = {0};
    struct tm parts;
    clock_gettime(CLOCK_MONOTONIC, &now);
    os_clean(command, sizeof command,
             (struct os_foreign){record->command, strlen(record->command)});
    if (gmtime_r(&record->time.tv_sec, &parts) == NULL)
        return NULL;
    const size_t length = strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(time + length, sizeof time - length, ".%03ldZ", record->time.tv_nsec / 1000000);
    const struct timespec *granted = record->granted ? &record->since : &now;
    json_t *line = json_pack(
        "{s:s, s:O, s:s, s:o, s:o, s:i}", "time", time, "pools", record->pools, "command", command,
        "waited", seconds_json(between(&record->begun, granted)), "held",
        seconds_json(record->granted ? between(&record->since, &now) : 0), "status", status);
    if (line != NULL && options->job.journal >= 0)
        json_object_set_new(line, "job", json_integer(options->job.number));
    if (line != NULL && options->lane[0] != '\0')
        json_object_set_new(line, "lane", json_string(options->lane));
    return line;
}

void run_log_write(struct run_options *options, int status)
{
    struct run_record *record = options->record;
    if (record == NULL)
        return;
    json_t *line = line_of(options, status);
    char *text = line != NULL ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    const size_t length = text != NULL ? strlen(text) : 0;
    errno = text == NULL ? ENOMEM : 0;
    if (text != NULL)
        text[length] = '\n'; /* in the place of its end: the line goes out in one write */
    if (text == NULL || write(record->fd, text, length + 1) != (ssize_t)(length + 1))
        cli_error(CLI_OK, "run: cannot write to %s: %s", options->log,
                  errno != 0 ? strerror(errno) : "there was no room for the line");
    free(text);
    json_decref(line);
    json_decref(record->pools);
    close(record->fd);
    free(record);
    options->record = NULL;
}
