#include "cli.h"

#include "check/parallel.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_error(int status, const char *format, ...)
{
    va_list arguments;
    fputs("berth: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return status;
}

int cli_usage(const struct cli_command *command, const char *format, ...)
{
    va_list arguments;
    fputs("berth: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, " (see berth %s --help)\n", command->name);
    return CLI_USAGE;
}

int cli_help(const struct cli_command *command)
{
    printf("usage: berth %s %s\n%s\n\n%s", command->name, command->synopsis, command->about,
           command->help);
    return cli_flush(CLI_OK);
}

bool cli_number(const char *text, unsigned long least, unsigned long most, unsigned *number)
{
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    unsigned long value = strtoul(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < least || value > most)
        return false;
    *number = (unsigned)value;
    return true;
}

bool cli_bytes(const char *text, uint64_t *bytes)
{
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    unsigned long long value = strtoull(text, &end, 10);
    static const char units[] = "KMGT";
    unsigned shift = 0;
    if (*end != '\0') {
        const char *unit = strchr(units, *end);
        if (unit == NULL || end[1] != '\0')
            return false;
        shift = 10 * (unsigned)(unit - units + 1);
    }
    if (errno != 0 || value > UINT64_MAX >> shift)
        return false;
    *bytes = (uint64_t)value << shift;
    return *bytes > 0;
}

bool cli_seconds(const char *text, double *seconds)
{
    char *end;
    errno = 0;
    *seconds = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && *seconds > 0 && *seconds < 1e9;
}

static const char *const fault_names[] = {"none", "death", "sleep", "kill"};

static const char *const timestamps_names[] = {
    [STEP_TIMESTAMPS_UNBOUNDED] = "unbounded", [STEP_TIMESTAMPS_BOUNDED] = "bounded"};

bool cli_timestamps(const char *text, enum step_timestamps *timestamps)
{
    for (unsigned t = 0; t < sizeof timestamps_names / sizeof timestamps_names[0]; t++) {
        if (strcmp(text, timestamps_names[t]) == 0) {
            *timestamps = (enum step_timestamps)t;
            return true;
        }
    }
    return false;
}

const char *cli_timestamps_name(enum step_timestamps timestamps)
{
    return timestamps_names[timestamps];
}

bool cli_fault(const char *text, enum step_fault *fault)
{
    for (unsigned f = 0; f < sizeof fault_names / sizeof fault_names[0]; f++) {
        if (strcmp(text, fault_names[f]) == 0) {
            *fault = (enum step_fault)f;
            return true;
        }
    }
    return false;
}

const char *cli_fault_name(enum step_fault fault)
{
    return fault_names[fault];
}

void cli_default_limits(struct check_limits *limits, struct check_budget *budget)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = cores < 1 ? 1 : (unsigned)cores;
    *budget = (struct check_budget){.limit = check_memory_available() / 10 * 9};
    *limits =
        (struct check_limits){.budget = budget,
                              .threads = threads > CHECK_MAX_THREADS ? CHECK_MAX_THREADS : threads,
                              .symmetry = true};
}

int cli_flush(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_error(CLI_FAILED, "cannot write to standard output: %s", strerror(errno));
    return status;
}

int cli_print_json(json_t *object)
{
    json_t *whole = json_pack("{s:i}", "version", 1);
    if (object == NULL || whole == NULL || json_object_update(whole, object) != 0) {
        json_decref(object);
        json_decref(whole);
        return cli_error(CLI_FAILED, "out of memory");
    }
    json_dumpf(whole, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(object);
    json_decref(whole);
    return cli_flush(CLI_OK);
}

bool cli_file_open(struct cli_file *file, const char *path)
{
    struct stat status;
    *file = (struct cli_file){0};
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    file->path = strdup(path);
    if (file->path == NULL || asprintf(&file->temporary, "%s.XXXXXX", path) < 0) {
        free(file->path);
        *file = (struct cli_file){0};
        errno = ENOMEM;
        return false;
    }
    int descriptor = mkstemp(file->temporary);
    file->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file->stream == NULL) {
        int error = errno;
        free(file->path);
        free(file->temporary);
        *file = (struct cli_file){0};
        errno = error;
        return false;
    }
    return true;
}

void cli_file_abandon(struct cli_file *file)
{
    if (file->stream != NULL)
        fclose(file->stream);
    if (file->temporary != NULL)
        unlink(file->temporary);
    free(file->path);
    free(file->temporary);
    *file = (struct cli_file){0};
}

bool cli_file_commit(struct cli_file *file)
{
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fileno(file->stream), 0666 & ~mask); /* mkstemp makes it for its owner alone */
    bool written =
        fflush(file->stream) == 0 && !ferror(file->stream) && fsync(fileno(file->stream)) == 0;
    int error = errno;
    fclose(file->stream);
    file->stream = NULL;
    if (written && rename(file->temporary, file->path) == 0) {
        free(file->temporary);
        file->temporary = NULL;
        free(file->path);
        return true;
    }
    if (written)
        error = errno;
    cli_file_abandon(file);
    errno = error;
    return false;
}
