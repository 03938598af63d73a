#include "job.h"

#include "pool_command.h"

#include "os/family.h"
#include "os/io.h"
#include "os/range_lock.h"
#include "pool/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define JOURNAL ".job"
#define LOG ".log"

enum { NAME = 32, JOURNAL_ROOM = 8192, TRIES = 1000 };

static const struct os_range all_of_it = {0};

/* ---- the folder ---- */

static bool find_folder(char path[PATH_MAX])
{
    char home[PATH_MAX];
    const char *named = secure_getenv("BERTH_JOBS");
    if (named != NULL && *named == '/')
        return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX;
    if (!pool_home(home, sizeof home))
        return snprintf(path, PATH_MAX, "/dev/shm/berth-%ju/jobs", (uintmax_t)geteuid()) > 0;
    const int length = snprintf(path, PATH_MAX, "%s/.local/state/berth/jobs", home);
    return length > 0 && length < PATH_MAX;
}

static void make_folder(char path[PATH_MAX])
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL)
            *slash = '\0';
        mkdir(path, S_IRWXU); /* it is enough that it is there afterwards */
        if (slash == NULL)
            return;
        *slash = '/';
    }
}

int cli_jobs_folder(const char *name, bool make, int *folder)
{
    char path[PATH_MAX];
    struct stat status;
    if (!find_folder(path)) {
        cli_error(CLI_OK, "%s: no room for the path of the jobs", name);
        return ENAMETOOLONG;
    }
    if (make)
        make_folder(path);
    *folder = os_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    int error = *folder < 0 ? errno : 0;
    if (error == 0 && fstat(*folder, &status) != 0)
        error = errno;
    if (error == 0 && (status.st_uid != geteuid() || (status.st_mode & 022) != 0))
        error = EPERM; /* others could put in what we would obey */
    if (error == 0)
        return 0;
    if (error != ENOENT || make)
        cli_error(CLI_OK, "%s: cannot use %s for jobs: %s", name, path,
                  error == EPERM ? "it is not this user's alone" : strerror(error));
    if (*folder >= 0)
        close(*folder);
    *folder = -1;
    return error;
}

bool cli_job_number(const char *text, unsigned *number)
{
    return *text != '0' && cli_number(text, 1, INT_MAX, number);
}

static int open_file(int folder, unsigned number, const char *ending, int flags)
{
    char name[NAME];
    snprintf(name, sizeof name, "%u%s", number, ending);
    return os_open(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, S_IRUSR | S_IWUSR);
}

/* ---- one job ---- */

static bool is_held(int folder, unsigned number, const char *ending)
{
    struct os_range found;
    const int fd = open_file(folder, number, ending, O_RDONLY);
    const bool held = fd >= 0 && os_lock_find(fd, all_of_it, &found) == 0;
    if (fd >= 0)
        close(fd);
    return held;
}

static void copy_text(char to[static CLI_JOB_TEXT], const char *text)
{
    snprintf(to, CLI_JOB_TEXT, "%s", text);
}

/* One line of the journal, without its end. What is not understood is of a later version. */
static void take_entry(struct cli_job *job, const char *line)
{
    int pid, worker;
    unsigned long long started;
    unsigned status;
    uint64_t ms;
    char slots[CLI_JOB_TEXT];
    if (sscanf(line, "job %d %" SCNu64, &pid, &ms) == 2) {
        job->pid = pid;
        job->submitted_ms = ms;
    } else if (strncmp(line, "pools ", 6) == 0) {
        copy_text(job->pools, line + 6);
    } else if (strncmp(line, "in ", 3) == 0) {
        copy_text(job->directory, line + 3);
    } else if (strncmp(line, "command ", 8) == 0) {
        copy_text(job->command, line + 8);
    } else if (sscanf(line, "runs %d %llu %" SCNu64 " %511s", &worker, &started, &ms, slots) == 4) {
        job->worker = worker;
        job->worker_started = started;
        job->run_ms = ms;
        copy_text(job->slots, slots);
    } else if (sscanf(line, "ended %u %" SCNu64, &status, &ms) == 2) {
        job->status = status & 255;
        job->end_ms = ms;
    }
}

int cli_job_look(int folder, unsigned number, struct cli_job *job)
{
    char text[JOURNAL_ROOM + 1];
    const int fd = open_file(folder, number, JOURNAL, O_RDONLY);
    if (fd < 0)
        return errno;
    /* Before the journal: what ends in between has written its end by then. */
    const bool held = is_held(folder, number, JOURNAL), left = is_held(folder, number, LOG);
    const ssize_t length = os_read(fd, text, JOURNAL_ROOM, 0);
    const int error = length < 0 ? errno : 0;
    close(fd);
    if (error != 0)
        return error;
    text[length] = '\0';
    *job = (struct cli_job){.number = number};
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        take_entry(job, line);
    }
    job->state = job->end_ms != 0           ? CLI_JOB_ENDED
                 : held && job->worker == 0 ? CLI_JOB_WAITS
                 : held                     ? CLI_JOB_RUNS
                 : left && job->worker != 0 ? CLI_JOB_ORPHANED
                                            : CLI_JOB_LOST;
    return 0;
}

int cli_job_log(int folder, unsigned number)
{
    return open_file(folder, number, LOG, O_RDONLY);
}

static int signal_by(int descriptor, int signal)
{
    return syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0) == 0 ? 0 : errno;
}

/* The number of the process is its own, if the lock was still held after it had been opened. */
int cli_job_kill(int folder, unsigned number, int signal)
{
    struct cli_job job = {0};
    int error = cli_job_look(folder, number, &job);
    if (error != 0)
        return error;
    if (job.state == CLI_JOB_WAITS || job.state == CLI_JOB_RUNS) {
        const int descriptor = (int)syscall(SYS_pidfd_open, job.pid, 0);
        error = descriptor < 0 ? errno : 0;
        if (error == 0)
            error = is_held(folder, number, JOURNAL) ? signal_by(descriptor, signal) : ESRCH;
        if (descriptor >= 0)
            close(descriptor);
        return error;
    }
    if (job.state != CLI_JOB_ORPHANED || os_family_started(job.worker) != job.worker_started)
        return ESRCH;
    const struct os_family family = {.with = job.worker};
    struct os_family_result result;
    error = os_family_signal(&family, signal, &result);
    return error != 0 ? error : result.count == 0 ? ESRCH : result.refused != 0 ? EPERM : 0;
}

/* ---- all of them ---- */

static int by_number(const void *left, const void *right)
{
    const unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return a < b ? -1 : a > b;
}

static size_t list_numbers(int folder, unsigned **numbers)
{
    const int fd = os_open(folder, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    size_t count = 0, room = 0;
    const struct dirent *entry;
    *numbers = NULL;
    while (list != NULL && (entry = readdir(list)) != NULL) {
        char text[NAME];
        unsigned number;
        const size_t length = strlen(entry->d_name);
        if (!cli_ends_in(entry->d_name, JOURNAL) || length >= sizeof text)
            continue;
        snprintf(text, sizeof text, "%.*s", (int)(length - strlen(JOURNAL)), entry->d_name);
        if (!cli_job_number(text, &number))
            continue;
        if (count == room) {
            room = 2 * room + 32;
            unsigned *more = reallocarray(*numbers, room, sizeof *more);
            if (more == NULL)
                break;
            *numbers = more;
        }
        (*numbers)[count++] = number;
    }
    if (list != NULL)
        closedir(list);
    else if (fd >= 0)
        close(fd);
    if (count > 1)
        qsort(*numbers, count, sizeof **numbers, by_number);
    return count;
}

void cli_jobs_each(int folder, void (*each)(const struct cli_job *job, void *context),
                   void *context)
{
    unsigned *numbers;
    struct cli_job job;
    const size_t count = list_numbers(folder, &numbers);
    for (size_t i = 0; i < count; i++) {
        if (cli_job_look(folder, numbers[i], &job) == 0)
            each(&job, context);
    }
    free(numbers);
}

/* ---- a new one ---- */

static void forget(int folder, unsigned number)
{
    char name[NAME];
    snprintf(name, sizeof name, "%u%s", number, LOG);
    unlinkat(folder, name, 0);
    snprintf(name, sizeof name, "%u%s", number, JOURNAL);
    unlinkat(folder, name, 0);
}

/* Forgets the oldest of those that are over, and keeps CLI_JOBS_KEPT of them. */
static void forget_old(int folder, const unsigned *numbers, size_t count)
{
    struct cli_job job = {0};
    size_t over = 0;
    for (size_t i = count; i-- > 0;) {
        if (cli_job_look(folder, numbers[i], &job) != 0)
            continue;
        over += job.state == CLI_JOB_ENDED || job.state == CLI_JOB_LOST;
        if (over > CLI_JOBS_KEPT && (job.state == CLI_JOB_ENDED || job.state == CLI_JOB_LOST))
            forget(folder, numbers[i]);
    }
}

int cli_job_make(int folder, struct cli_job_files *files)
{
    unsigned *numbers;
    const size_t count = list_numbers(folder, &numbers);
    unsigned next = count > 0 ? numbers[count - 1] + 1 : 1;
    int error = EEXIST;
    if (count > CLI_JOBS_KEPT)
        forget_old(folder, numbers, count);
    free(numbers);
    *files = (struct cli_job_files){.journal = -1, .log = -1};
    for (unsigned i = 0; i < TRIES && error == EEXIST; i++, next++) {
        /* The log first: a job is there when its journal is. */
        files->number = next;
        files->log = open_file(folder, next, LOG, O_RDWR | O_CREAT | O_EXCL | O_APPEND);
        error = files->log < 0 ? errno : 0;
    }
    if (error == 0) {
        files->journal =
            open_file(folder, files->number, JOURNAL, O_RDWR | O_CREAT | O_EXCL | O_APPEND);
        error = files->journal < 0 ? errno : 0;
    }
    if (error == 0) /* room for its end, should the disk be full by then; not everywhere */
        (void)fallocate(files->journal, FALLOC_FL_KEEP_SIZE, 0, JOURNAL_ROOM);
    if (error == 0)
        error = os_lock_take(files->journal, all_of_it);
    if (error == 0)
        error = os_lock_take(files->log, all_of_it);
    if (error != 0 && files->log >= 0)
        forget(folder, files->number);
    return error;
}

void cli_job_note(int journal, const char *format, ...)
{
    char line[CLI_JOB_TEXT + 128];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    size_t used = (size_t)length < sizeof line - 2 ? (size_t)length : sizeof line - 2;
    for (size_t i = 0; i < used; i++) /* a line is one */
        line[i] = line[i] == '\n' ? ' ' : line[i];
    line[used++] = '\n';
    (void)!write(journal, line, used); /* the job goes on without */
}
