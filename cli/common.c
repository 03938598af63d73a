#include "cli.h"

#include "check/parallel.h"
#include "os/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name in it may be one that somebody else gave to a file. */
static void put_message(const char *format, va_list arguments, const char *end)
{
    char *text = NULL;
    const int length = vasprintf(&text, format, arguments);
    if (length < 0) {
        fprintf(stderr, "berth: out of memory%s\n", end);
        return;
    }
    os_clean(text, (size_t)length + 1, (struct os_foreign){text, (size_t)length});
    fprintf(stderr, "berth: %s%s\n", text, end);
    free(text);
}

int cli_error(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_message(format, arguments, "");
    va_end(arguments);
    return status;
}

int cli_usage(const struct cli_command *command, const char *format, ...)
{
    char hint[64];
    va_list arguments;
    snprintf(hint, sizeof hint, " (see berth %s --help)", command->name);
    va_start(arguments, format);
    put_message(format, arguments, hint);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_help(const struct cli_command *command)
{
    const size_t before = strcspn(command->help, "\f");
    const char *after = command->help + before;
    printf("usage: berth %s %s\n%s\n\n%.*s", command->name, command->synopsis, command->about,
           (int)before, command->help);
    if (*after != '\0') {
        command->print_paper_options();
        printf("%s", after + 1);
    }
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

bool cli_ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), less = strlen(end);
    return length >= less && strcmp(text + length - less, end) == 0;
}

bool cli_witness_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    enum { LONGEST_ENDING = 6 }; /* mktemp(1) makes names with longer ones, which say nothing */
    return dot == NULL || strlen(dot) > LONGEST_ENDING || strcmp(dot, ".html") == 0 ||
           strcmp(dot, ".json") == 0 || strcmp(dot, ".txt") == 0;
}

static const char *const fault_names[] = {"none", "death", "sleep", "kill"};

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

int cli_cannot_make(const struct protocol_choice *choice, const struct step_model *model,
                    const char *error)
{
    if (model->wrong)
        return cli_error(CLI_USAGE, "%s: %s", choice->protocol->file, error);
    return cli_error(CLI_INCOMPLETE, "%s", error);
}

bool cli_colours(void)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && (no == NULL || *no == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

int cli_flush(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_error(CLI_FAILED, "cannot write to standard output: %s", strerror(errno));
    return status;
}

/* What is opened can be neither read nor written, like none at all, and the command that berth run
 * starts does not see it. */
bool cli_guard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/", O_PATH | O_CLOEXEC) != fd)
            return false;
    }
    return true;
}

/* The name of a file, to which `link` is the kernel's own link. NULL: it has none any more, or the
 * one that it has is another file's by now. */
static char *name_of(const char *link, const struct stat *file)
{
    char path[PATH_MAX];
    struct stat named;
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return NULL;
    path[length] = '\0';
    if (lstat(path, &named) == 0 && named.st_dev == file->st_dev && named.st_ino == file->st_ino)
        return strdup(path);
    errno = ENOENT;
    return NULL;
}

/* The file that is open as `fd`; a plain one has to be writable, as it would be for the shell. */
static char *target_at(int fd, const char *path, bool *replaceable)
{
    char link[64];
    struct stat file;
    if (fstat(fd, &file) != 0)
        return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    *replaceable = S_ISREG(file.st_mode);
    if (S_ISDIR(file.st_mode))
        errno = EISDIR;
    else if (!*replaceable)
        return strdup(path);
    else if (access(link, W_OK) == 0)
        return name_of(link, &file);
    return NULL;
}

/* The file that a name stands for; a link is written through. It is the kernel that follows it: in
 * a folder such as /tmp it does not follow the links of other users. NULL: errno says why. */
static char *target_of(const char *path, bool *replaceable)
{
    struct stat status;
    const int fd = open(path, O_PATH | O_CLOEXEC);
    *replaceable = true;
    if (fd < 0) {
        if (errno != ENOENT || *path == '\0' || lstat(path, &status) == 0)
            return NULL; /* refused, or a link that leads nowhere */
        return errno == ENOENT ? strdup(path) : NULL;
    }
    char *target = target_at(fd, path, replaceable);
    const int error = errno;
    close(fd);
    errno = error;
    return target;
}

bool cli_file_open(struct cli_file *file, const char *path)
{
    bool replaceable;
    int descriptor = -1;
    char *temporary = NULL, *target = target_of(path, &replaceable);
    *file = (struct cli_file){0};
    if (target == NULL)
        return false;
    if (!replaceable) /* a device or a pipe is written to, and stays */
        descriptor = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    else if (asprintf(&temporary, "%s.XXXXXX", target) < 0)
        temporary = NULL;
    else
        descriptor = mkstemp(temporary);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (stream == NULL) {
        int error = errno;
        if (descriptor >= 0)
            close(descriptor);
        if (descriptor >= 0 && temporary != NULL)
            unlink(temporary);
        free(target);
        free(temporary);
        errno = error;
        return false;
    }
    *file = (struct cli_file){.path = target, .temporary = temporary, .stream = stream};
    return true;
}

bool cli_file_can_open(const char *path)
{
    bool replaceable;
    struct cli_file file;
    char *target = target_of(path, &replaceable);
    const bool known = target != NULL, other = known && !replaceable;
    const bool writable =
        other && access(target, W_OK) == 0; /* a pipe's reader sees no end of it yet */
    int error = errno;
    free(target);
    errno = error;
    if (!known || other)
        return writable;
    if (!cli_file_open(&file, path))
        return false;
    cli_file_abandon(&file);
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
    const bool replaces = file->temporary != NULL;
    bool written = fflush(file->stream) == 0 && !ferror(file->stream);
    if (written && replaces) {
        mode_t mask = umask(0);
        umask(mask);
        fchmod(fileno(file->stream), 0666 & ~mask); /* mkstemp makes it for its owner alone */
        written = fsync(fileno(file->stream)) == 0 && rename(file->temporary, file->path) == 0;
    }
    int error = errno;
    if (written) { /* nothing to be taken back */
        free(file->temporary);
        file->temporary = NULL;
    }
    cli_file_abandon(file);
    errno = error;
    return written;
}
