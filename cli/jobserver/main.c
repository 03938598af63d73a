/* berth-jobserver: what `berth jobserver` becomes. */
#include "cli.h"
#include "keeper.h"
#include "mount.h"
#include "pool_command.h"
#include "suggest.h"
#include "where.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct options {
    const char *pool, *store, *mount;
    unsigned slots; /* of a pool that does not exist; 0: not given */
};

static int parse(int argc, char **argv, struct options *options)
{
    enum { OPTION_MOUNT = 256 };
    static const struct option long_options[] = {{"mount", required_argument, NULL, OPTION_MOUNT},
                                                 {"slots", required_argument, NULL, 'j'},
                                                 {CLI_LONG_OPTION_STORE},
                                                 {NULL, 0, NULL, 0}};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "j:", long_options, NULL)) != -1) {
        switch (option) {
        case OPTION_MOUNT: options->mount = optarg; break;
        case 'j':
            if (!cli_number(optarg, 1, BERTH_MAX_SLOTS, &options->slots))
                return cli_usage(&cli_jobserver, "not a number of slots from 1 to %d: %s",
                                 (int)BERTH_MAX_SLOTS, optarg);
            break;
        case CLI_OPTION_STORE: options->store = optarg; break;
        default: return cli_unknown_option(&cli_jobserver, argv);
        }
    }
    if (optind + 1 != argc)
        return cli_usage(&cli_jobserver, "one pool is needed");
    options->pool = argv[optind];
    return CLI_OK;
}

/* ---- where it is mounted ---- */

/* The default: $XDG_RUNTIME_DIR/berth-jobserver/POOL, or the same below /tmp with the user's
 * number. */
static bool choose_path(const struct options *options, char path[PATH_MAX])
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char base[PATH_MAX];
    if (options->mount != NULL) {
        if (mkdir(options->mount, 0755) != 0 && errno != EEXIST && errno != ENOTCONN)
            return false;
        return realpath(options->mount, path) != NULL ||
               (errno == ENOTCONN && snprintf(path, PATH_MAX, "%s", options->mount) < PATH_MAX);
    }
    if (runtime != NULL && *runtime == '/')
        snprintf(base, sizeof base, "%s/berth-jobserver", runtime);
    else
        snprintf(base, sizeof base, "/tmp/berth-jobserver-%u", (unsigned)geteuid());
    const int length = snprintf(path, PATH_MAX, "%s/%s", base, options->pool);
    if (length < 0 || length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    struct stat status;
    if ((mkdir(base, 0755) != 0 && errno != EEXIST) || lstat(base, &status) != 0)
        return false;
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid()) {
        errno = EPERM; /* another process has made it */
        return false;
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST || errno == ENOTCONN;
}

/* A server that was killed may have left its mount behind, whose files do not answer. */
static void take_away_dead(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 || errno != ENOTCONN)
        return;
    const pid_t pid = fork();
    if (pid == 0) {
        execlp("fusermount3", "fusermount3", "-u", "-z", "-q", path, (char *)NULL);
        _exit(CLI_FAILED);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* Another file system begins there. */
static bool is_mounted(const char *path)
{
    char above[PATH_MAX + 4];
    struct stat here, outside;
    snprintf(above, sizeof above, "%s/..", path);
    return stat(path, &here) == 0 && stat(above, &outside) == 0 && here.st_dev != outside.st_dev;
}

/* It goes into MAKEFLAGS. */
static bool can_be_told(const char *path)
{
    return strpbrk(path, " \t\n$#\\'\"") == NULL;
}

/* ---- the pool ---- */

/* One that exists is taken as it is. Its handle is kept open, so that it cannot be removed. */
static int open_pool(berth_pool **pool, const struct options *options, const char *store)
{
    berth_options how = {.size = sizeof how,
                         .store = store,
                         .flags = BERTH_EXISTING,
                         .mode = 0666,
                         .command = "berth jobserver"};
    int error = berth_open(pool, options->pool, &how);
    if (error == ENOENT && options->slots > 0) {
        how.flags = 0;
        how.mode = 0;
        how.slots = options->slots;
        error = berth_open(pool, options->pool, &how);
    }
    return error;
}

/* ---- serving ---- */

static int serve(struct mount *mount, struct clients *clients, int signals)
{
    enum { FUSE, SIGNALS, FIRST };
    struct pollfd *polled = NULL;
    size_t room = 0;
    for (;;) {
        const int next = clients_see_to(clients);
        if (polled == NULL || room < FIRST + clients->count + 1) {
            room = FIRST + 2 * (clients->count + 1);
            struct pollfd *more = realloc(polled, room * sizeof *more);
            if (more == NULL) {
                free(polled);
                return cli_error(CLI_FAILED, "jobserver: out of memory");
            }
            polled = more;
        }
        polled[FUSE] = (struct pollfd){mount_fd(mount), POLLIN, 0};
        polled[SIGNALS] = (struct pollfd){signals, POLLIN, 0};
        const size_t count = FIRST + clients_poll(clients, polled + FIRST);
        if (poll(polled, count, next) < 0 && errno != EINTR)
            break;
        if (polled[SIGNALS].revents != 0 || (polled[FUSE].revents != 0 && !mount_serve(mount)))
            break;
    }
    free(polled);
    return CLI_OK;
}

/* Builds that are under way would meet a broken pipe: the keeper has their FIFOs when this process
 * is gone, and gives the slots back by closing what they depend on. */
static _Noreturn void leave(struct mount *mount, const char *path, int status)
{
    mount_close(mount);
    rmdir(path);
    _exit(status);
}

static int serve_pool(const struct options *options, const char *store, const char *path,
                      unsigned slots)
{
    struct pipes_folder folder;
    struct clients clients;
    struct mount mount;
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, NULL);
    const int signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    int error = signals >= 0 ? pipes_folder_make(&folder) : errno;
    if (error != 0)
        return cli_error(CLI_FAILED, "jobserver: cannot make a folder: %s", strerror(error));
    if (geteuid() == 0)
        chmod(folder.path, 0711); /* the FIFOs of all users are in there */
    const struct clients_options wanted = {
        .pool = options->pool, .store = store, .folder = &folder, .answer = mount_answer};
    error = clients_open(&clients, &wanted);
    if (error != 0) {
        pipes_folder_remove(&folder);
        return cli_error(CLI_FAILED, "jobserver: cannot start: %s", strerror(error));
    }
    int status = CLI_FAILED;
    if (mount_open(&mount, path, &clients)) {
        printf("MAKEFLAGS=' -j%u --jobserver-auth=fifo:%s/" MOUNT_LINK "'\n", slots, path);
        status = cli_flush(CLI_OK);
        if (status == CLI_OK)
            status = serve(&mount, &clients, signals);
        if (clients.count > 0)
            leave(&mount, path, status);
        clients_close(&clients);
        mount_close(&mount);
    } else {
        clients_close(&clients);
        cli_error(CLI_OK, "jobserver: cannot mount at %s", path);
    }
    pipes_folder_remove(&folder);
    close(signals);
    return status;
}

static int serve_kept(const struct options *options, const char *store, const char *path,
                      unsigned slots)
{
    pid_t keeper;
    const int error = keeper_start(&keeper);
    if (error != 0)
        return cli_error(CLI_FAILED, "jobserver: cannot start a process: %s", strerror(error));
    const int status = serve_pool(options, store, path, slots);
    keeper_stop(keeper);
    return status;
}

static int run(const struct options *options, const char *store)
{
    char path[PATH_MAX];
    berth_pool *pool;
    int error = open_pool(&pool, options, store);
    if (error != 0)
        return cli_error(cli_pool_status(error), "jobserver: %s%s", berth_reason(),
                         error == ENOENT ? " (-j makes it)" : "");
    int status = CLI_FAILED;
    if (berth_fd(pool) < 0)
        cli_error(CLI_OK, "jobserver: it is for pools in a directory, and %s is in etcd",
                  options->pool);
    else if (!choose_path(options, path))
        cli_error(CLI_OK, "jobserver: cannot mount at %s: %s",
                  options->mount != NULL ? options->mount : "a place of its own", strerror(errno));
    else if (!can_be_told(path))
        cli_error(CLI_OK,
                  "jobserver: the path goes into MAKEFLAGS, and cannot have blanks, quotes, "
                  "$, # or \\ in it: %s",
                  path);
    else {
        take_away_dead(path);
        if (is_mounted(path)) {
            cli_error(CLI_OK, "jobserver: something is mounted at %s already", path);
        } else {
            status = serve_kept(options, store, path, berth_slots(pool));
            rmdir(path); /* if it is empty */
        }
    }
    berth_close(pool);
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    if (!cli_guard_streams())
        return CLI_FAILED;
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    struct cli_where where;
    cli_where_open(&where, options.store, NULL);
    status = run(&options, cli_where_store(&where, options.pool));
    cli_where_close(&where);
    return status;
}
