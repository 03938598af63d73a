/* Pool files made, opened, looked at and listed; and made by many at once, and by some who are
 * killed. */
#include "pool_support.h"
#include "support.h"

#include "pool/create.h"
#include "pool/name.h"
#include "pool/network.h"

#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

/* ---- one process ---- */

static void test_create_and_open(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file made, opened, viewed;
    fixture->options.slots = 7;
    fixture->options.seats = 100;
    assert_int_equal(open_pool(&made, "gpu", fixture), 0);
    assert_int_equal(made.geometry.seats, 100);
    assert_string_equal(made.name, "gpu");
    assert_true(fcntl(made.fd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(atomic_load(&made.control->target), 7);

    /* Seats and slots are those of the pool that exists. */
    fixture->options.seats = 5;
    fixture->options.slots = 1;
    assert_int_equal(open_pool(&opened, "gpu", fixture), 0);
    assert_int_equal(opened.geometry.seats, 100);
    assert_true(stamp_of(&opened) == stamp_of(&made));
    assert_true(opened.token_base == made.token_base && made.token_base != 0);

    /* One memory. */
    assert_int_equal(pool_file_view(&viewed, "gpu", &fixture->options), 0);
    atomic_store(&made.ring[4095], 4711);
    atomic_store(&opened.slot[1023], 4712);
    assert_int_equal(atomic_load(&viewed.ring[4095]), 4711);
    assert_int_equal(atomic_load(&viewed.slot[1023]), 4712);
    assert_int_equal(fcntl(viewed.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    pool_file_close(&viewed);
    pool_file_close(&opened);
    pool_file_close(&made);
    assert_int_equal(made.fd, -1);
    pool_file_close(&made); /* does no harm */
}

static void test_defaults(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file;
    struct stat status;
    assert_int_equal(open_pool(&file, "a", fixture), 0);
    assert_int_equal(file.geometry.seats, BERTH_DEFAULT_SEATS);
    assert_int_equal(atomic_load(&file.control->target), 1);
    assert_int_equal(stat(path_of(fixture, "a.berth"), &status), 0);
    assert_int_equal(status.st_mode, S_IFREG | 0600);
    assert_int_equal(status.st_nlink, 1);
    assert_int_equal(status.st_size, file.geometry.size);
    assert_true((size_t)status.st_blocks * 512 >= file.geometry.size); /* room is reserved */
    pool_file_close(&file);
}

static void test_existing_only(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file;
    fixture->options.flags = BERTH_EXISTING;
    assert_refused(ENOENT, open_pool(&file, "a", fixture), "no pool a");
    assert_refused(ENOENT, pool_file_view(&file, "a", &fixture->options), "no pool a");
    assert_refused(ENOENT, pool_file_remove("a", &fixture->options), "no pool a");
    assert_int_equal(count_entries(fixture->store, "a"), 0);
    fixture->options.flags = 0;
    assert_int_equal(open_pool(&file, "a", fixture), 0);
    pool_file_close(&file);
    fixture->options.flags = BERTH_EXISTING;
    assert_int_equal(open_pool(&file, "a", fixture), 0);
    pool_file_close(&file);
}

static void test_mode_is_exact(void **state)
{
    struct fixture *fixture = *state;
    static const mode_t masks[] = {0, 022, 077, 0777};
    static const unsigned modes[] = {0600, 0640, 0660, 0666};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            struct pool_file file;
            struct stat status;
            mode_t before = umask(masks[i]);
            fixture->options.mode = modes[j];
            int error = open_pool(&file, "a", fixture);
            umask(before);
            assert_int_equal(error, 0);
            assert_int_equal(fstat(file.fd, &status), 0);
            assert_int_equal(status.st_mode & 07777, modes[j]);
            pool_file_close(&file);
            assert_int_equal(pool_file_remove("a", &fixture->options), 0);
        }
    }
}

static void test_bad_options(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file;
    const berth_options bad[] = {
        {.slots = BERTH_MAX_SLOTS + 1},
        {.seats = BERTH_MAX_SEATS + 1},
        {.mode = 0400},
        {.mode = 0777},
        {.mode = 01600},
        {.flags = 4},
        {.reserved = {0, "x", 0}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        berth_options options = bad[i];
        options.store = fixture->store;
        assert_refused(EINVAL, pool_file_open(&file, "a", &options, stamp_it), "");
        assert_true(strlen(berth_reason()) > 0);
    }
    assert_refused(EINVAL, open_pool(&file, "../a", fixture), "\"../a\"");
    assert_int_equal(count_entries(fixture->store, ""), 2);
}

/* What a program prints must not end up in the pool. */
static int open_without_standard_descriptors(void *context)
{
    struct pool_file file;
    close(0), close(1), close(2);
    return open_pool(&file, "a", context) != 0 || file.fd <= 2;
}

static void test_closed_standard_descriptors(void **state)
{
    assert_child_succeeds(start_child(open_without_standard_descriptors, *state));
}

static void do_nothing(int signal)
{
    (void)signal;
}

static void test_interruptions(void **state)
{
    struct fixture *fixture = *state;
    struct sigaction action = {.sa_handler = do_nothing}, before; /* no SA_RESTART */
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    int error = 0;
    fixture->options.seats = BERTH_MAX_SEATS; /* which takes a while to reserve */
    for (unsigned i = 0; error == 0 && i < 30; i++) {
        struct pool_file file;
        unsigned seat;
        error = enter_pool(&file, &seat, "a", fixture);
        if (error == 0)
            pool_file_close(&file);
        if (error == 0)
            error = pool_file_remove("a", &fixture->options);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    if (error != 0)
        fail_msg("%s", berth_reason());
}

/* ---- the directory ---- */

static void test_which_directory(void **state)
{
    (void)state;
    char path[PATH_MAX], expected[64];
    berth_options options = {.store = "/a/b///"};
    assert_int_equal(pool_directory(&options, path, sizeof path), 0);
    assert_string_equal(path, "/a/b");
    options.store = "/";
    assert_int_equal(pool_directory(&options, path, sizeof path), 0);
    assert_string_equal(path, "/");
    options.store = "a/b";
    assert_refused(EINVAL, pool_directory(&options, path, sizeof path), "\"a/b\"");
    options.store = "";
    assert_refused(EINVAL, pool_directory(&options, path, sizeof path), "absolute");
    options.store = "etcd://host:2379/x";
    assert_refused(ENOSYS, pool_directory(&options, path, sizeof path),
                   "etcd store is not installed");
    options.store = "/a";
    assert_refused(ENAMETOOLONG, pool_directory(&options, path, 2), "too long");

    assert_int_equal(setenv("BERTH_STORE", "/c/d/", 1), 0);
    assert_int_equal(pool_directory(&options, path, sizeof path), 0);
    assert_string_equal(path, "/a");
    assert_int_equal(pool_directory(NULL, path, sizeof path), 0);
    assert_string_equal(path, "/c/d");
    assert_int_equal(setenv("BERTH_STORE", "c", 1), 0);
    assert_refused(EINVAL, pool_directory(NULL, path, sizeof path), "\"c\"");
    assert_int_equal(setenv("BERTH_STORE", "", 1), 0); /* as good as not set */
    const struct passwd *me = getpwuid(geteuid());     /* $HOME has no say */
    assert_int_equal(setenv("HOME", "/nowhere", 1), 0);
    if (me != NULL && access(me->pw_dir, W_OK) == 0)
        snprintf(expected, sizeof expected, "%s/.local/state/berth", me->pw_dir);
    else
        snprintf(expected, sizeof expected, "/dev/shm/berth-%u", (unsigned)geteuid());
    assert_int_equal(pool_directory(&(berth_options){0}, path, sizeof path), 0);
    assert_string_equal(path, expected);
    unsetenv("BERTH_STORE");
    assert_int_equal(pool_directory(NULL, path, sizeof path), 0);
    assert_string_equal(path, expected);
}

static int count_pools(const char *name, void *context)
{
    (void)name;
    ++*(unsigned *)context;
    return 0;
}

static int list_nothing(const char *name, void *context)
{
    (void)name, (void)context;
    return EDOM;
}

/* As a user whom nobody is, so that the directory is not there to begin with. Without a home, it is
 * the one in shared memory. */
static int use_default_directory(void *context)
{
    struct pool_file file;
    struct stat status;
    (void)context;
    unsetenv("BERTH_STORE");
    unsetenv("HOME");
    umask(0);
    if (seteuid(STRANGER) != 0 || access("/dev/shm/berth-54321", F_OK) == 0)
        return 1;
    if (pools_list(NULL, list_nothing, NULL) != 0 || pool_file_remove("a", NULL) != ENOENT ||
        pool_file_view(&file, "a", NULL) != ENOENT || access("/dev/shm/berth-54321", F_OK) == 0)
        return 2; /* it was made where it need not be */
    if (pool_file_open(&file, "a", NULL, stamp_it) != 0)
        return 3;
    pool_file_close(&file);
    if (stat("/dev/shm/berth-54321", &status) != 0 || status.st_mode != (S_IFDIR | 0700) ||
        status.st_uid != STRANGER)
        return 4;
    if (pools_list(NULL, list_nothing, NULL) != EDOM)
        return 5;
    return pool_file_remove("a", NULL) == 0 && rmdir("/dev/shm/berth-54321") == 0 ? 0 : 6;
}

/* With a home: there. */
static int use_home(void *context)
{
    const struct fixture *fixture = context;
    struct pool_file file;
    struct stat status;
    char home[96], place[160], path[256];
    snprintf(home, sizeof home, "%s/home", fixture->store);
    snprintf(place, sizeof place, "%s/.local/state/berth", home);
    unsetenv("BERTH_STORE");
    setenv("HOME", home, 1);
    umask(0);
    if (chmod(fixture->store, 0711) != 0 || mkdir(home, 0700) != 0 ||
        chown(home, STRANGER, STRANGER) != 0 || seteuid(STRANGER) != 0)
        return 1;
    if (pool_file_open(&file, "a", NULL, stamp_it) != 0 || stat(place, &status) != 0 ||
        status.st_mode != (S_IFDIR | 0700) || status.st_uid != STRANGER)
        return 2;
    pool_file_close(&file);
    if (access("/dev/shm/berth-54321", F_OK) == 0)
        return 3;
    if (pool_directory(NULL, path, sizeof path) != 0 || strcmp(path, place) != 0)
        return 4;
    unsigned count = 0;
    if (pools_list(NULL, count_pools, &count) != 0 || count != 1)
        return 5;
    if (pool_file_remove("a", NULL) != 0)
        return 6;
    return rmdir(place) == 0 ? 0 : 7;
}

static void test_default_directory(void **state)
{
    if (geteuid() != 0 || access("/dev/shm", W_OK) != 0) {
        print_message("needs root, to be another user, and /dev/shm\n");
        skip();
    }
    assert_child_succeeds(start_child(use_default_directory, *state));
    assert_child_succeeds(start_child(use_home, *state));
    char path[160]; /* for what comes after this test */
    const struct fixture *fixture = *state;
    for (const char *const *part =
             (const char *const[]){"/home/.local/state", "/home/.local", "/home", NULL};
         *part != NULL; part++) {
        snprintf(path, sizeof path, "%s%s", fixture->store, *part);
        assert_int_equal(rmdir(path), 0);
    }
}

/* Numbers of statfs(2), and a directory that is local. */
static void test_network(void **state)
{
    const struct fixture *fixture = *state;
    assert_string_equal(pool_network_type(0x6969), "NFS");
    assert_string_equal(pool_network_type((unsigned long)(int)0xff534d42), "CIFS");
    assert_string_equal(pool_network_type(0x01021997), "9p");
    assert_null(pool_network_type(0x01021994)); /* tmpfs */
    assert_null(pool_network_type(0xef53));     /* ext4 */
    assert_null(pool_network_type(0x58465342)); /* xfs */
    assert_null(pool_network_type(0x794c7630)); /* overlay */
    const int fd = open(fixture->store, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pool_network_refuse(fd, fixture->store), 0);
    close(fd);
}

static void test_missing_directory(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file;
    char path[128];
    snprintf(path, sizeof path, "%s/missing", fixture->store);
    fixture->options.store = path;
    assert_refused(ENOENT, open_pool(&file, "a", fixture), path);
    assert_refused(ENOENT, pools_list(&fixture->options, list_nothing, NULL), path);
    assert_int_equal(count_entries(fixture->store, "missing"), 0);
}

/* ---- listing ---- */

struct listing {
    char text[256];
    const char *until;
};

static int write_down(const char *name, void *context)
{
    struct listing *listing = context;
    strcat(listing->text, name);
    strcat(listing->text, " ");
    return listing->until != NULL && strcmp(name, listing->until) == 0 ? EDOM : 0;
}

static void put_file(const struct fixture *fixture, const char *name, const char *text)
{
    FILE *file = fopen(path_of(fixture, name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_list(void **state)
{
    struct fixture *fixture = *state;
    static const char *const names[] = {"b", "a", "c.d", "B", "a-1", "c"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct pool_file file;
        assert_int_equal(open_pool(&file, names[i], fixture), 0);
        pool_file_close(&file);
    }
    put_file(fixture, "empty.berth", "");
    put_file(fixture, "text.berth", "this is no pool, and it is long enough to be one of them");
    put_file(fixture, "short.berth", "BERTH");
    put_file(fixture, ".hidden.berth", "BERTHPL\n");
    put_file(fixture, "other", "BERTHPL\n");
    assert_int_equal(mkdir(path_of(fixture, "directory.berth"), 0700), 0);
    assert_int_equal(mkfifo(path_of(fixture, "fifo.berth"), 0600), 0);
    assert_int_equal(symlink("a.berth", path_of(fixture, "link.berth")), 0);

    struct listing listing = {.text = ""};
    assert_int_equal(pools_list(&fixture->options, write_down, &listing), 0);
    assert_string_equal(listing.text, "B a a-1 b c c.d ");
    listing = (struct listing){.text = "", .until = "b"};
    assert_int_equal(pools_list(&fixture->options, write_down, &listing), EDOM);
    assert_string_equal(listing.text, "B a a-1 b ");
}

static void test_list_of_many(void **state)
{
    struct fixture *fixture = *state;
    fixture->options.seats = 1;
    for (unsigned i = 0; i < 60; i++) {
        struct pool_file file;
        char name[8];
        snprintf(name, sizeof name, "%u", (i * 37) % 60 + 10);
        assert_int_equal(open_pool(&file, name, fixture), 0);
        pool_file_close(&file);
    }
    struct listing listing = {.text = ""};
    char expected[256] = "";
    for (unsigned i = 10; i < 70; i++)
        sprintf(expected + strlen(expected), "%u ", i);
    assert_int_equal(pools_list(&fixture->options, write_down, &listing), 0);
    assert_string_equal(listing.text, expected);
}

/* ---- no room ---- */

static void test_file_size_limit(void **state)
{
    struct fixture *fixture = *state;
    struct rlimit before, small = {.rlim_cur = 100 * 1000};
    struct pool_file file;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int error = open_pool(&file, "a", fixture); /* and no SIGXFSZ */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(error, EFBIG);
    assert_reason("221184 bytes");
    assert_int_equal(count_entries(fixture->store, ""), 2);
}

static int fill_small_file_system(void *context)
{
    struct fixture *fixture = context;
    struct pool_file file;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", fixture->store, "tmpfs", 0, "size=160k,mode=0700") != 0)
        return 77;
    if (open_pool(&file, "a", fixture) != ENOSPC || strstr(berth_reason(), "no room") == NULL)
        return 1;
    fixture->options.flags = BERTH_EXISTING;
    if (open_pool(&file, "a", fixture) != ENOENT)
        return 2; /* half of it was left */
    fixture->options.flags = 0;
    fixture->options.seats = 64;
    if (open_pool(&file, "a", fixture) != 0) /* 98304 bytes: what was reserved was given back */
        return 3;
    memset((char *)file.map + POOL_PAGE, 1, file.geometry.size - POOL_PAGE);
    pool_file_close(&file);
    return open_pool(&file, "b", fixture) == ENOSPC ? 0 : 4;
}

static void test_full_file_system(void **state)
{
    pid_t pid = start_child(fill_small_file_system, *state);
    int status = wait_for_child(pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("a file system cannot be mounted here\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static int live_without_proc(void *context)
{
    struct fixture *fixture = context;
    struct pool_file file;
    unsigned seat;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        umount2("/proc", MNT_DETACH) != 0)
        return 77;
    if (access("/proc/self", F_OK) == 0)
        return 77;
    /* One that was made with /proc is not taken for dead, and one can be made without. */
    if (enter_pool(&file, &seat, "before", fixture) != 0 || stamp_of(&file) != 1)
        return 1;
    return enter_pool(&file, &seat, "without", fixture) == 0 ? 0 : 2;
}

static void test_without_proc(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file;
    unsigned seat;
    atomic_store(next_stamp(), 0);
    assert_int_equal(open_pool(&file, "before", fixture), 0);
    pool_file_close(&file);
    int status = wait_for_child(start_child(live_without_proc, fixture));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("/proc cannot be unmounted here\n");
        skip();
    }
    assert_int_equal(status, 0);
    /* And the other way round: what has no boot id is not taken for dead either. */
    assert_int_equal(enter_pool(&file, &seat, "without", fixture), 0);
    assert_int_equal(stamp_of(&file), 2);
    pool_file_close(&file);
}

/* ---- births ---- */

static int create_in(struct pool_file *file, const struct fixture *fixture, const char *name,
                     enum pool_start start)
{
    struct pool_directory directory;
    int error = pool_directory_open(&directory, &fixture->options, false);
    if (error != 0)
        return error;
    error = pool_create(file, &directory, name, &fixture->options, stamp_it, start);
    pool_directory_close(&directory);
    return error;
}

static void test_births(void **state)
{
    struct fixture *fixture = *state;
    for (enum pool_start start = POOL_STARTS_NAMELESS; start <= POOL_STARTS_HIDDEN; start++) {
        struct pool_file made, opened;
        struct stat status;
        assert_int_equal(create_in(&made, fixture, "a", start), 0);
        assert_int_equal(create_in(&opened, fixture, "a", start), EEXIST);
        assert_int_equal(open_pool(&opened, "a", fixture), 0);
        assert_int_equal(inode_of(made.fd), inode_of(opened.fd));
        assert_int_equal(fstat(made.fd, &status), 0);
        assert_int_equal(status.st_nlink, 1);
        assert_int_equal(status.st_mode & 07777, 0600);
        assert_int_equal(count_entries(fixture->store, "."), 2); /* nothing hidden */
        pool_file_close(&made);
        pool_file_close(&opened);
        assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    }
}

/* Makes and removes pools, one way, until it is killed. */
static int create_for_ever(void *context)
{
    const struct fixture *fixture = context;
    const enum pool_start start =
        fixture->options.slots == 2 ? POOL_STARTS_HIDDEN : POOL_STARTS_NAMELESS;
    for (;;) {
        struct pool_file file;
        int error = create_in(&file, fixture, "a", start);
        if (error == 0)
            pool_file_close(&file);
        if (error != 0 && error != EEXIST)
            return 1;
        pool_file_remove("a", &fixture->options);
    }
}

/* Whenever it is killed: either there is a pool, and it is a whole one, or there is none. */
static void test_killed_creators(void **state)
{
    struct fixture *fixture = *state;
    unsigned left_behind = 0;
    for (unsigned round = 0; round < (some_is_enough() ? 82 : 200); round++) {
        const bool hidden = round % 2 == 0;
        fixture->options.slots = hidden ? 2 : 1;
        pid_t pid[2] = {start_child(create_for_ever, fixture),
                        start_child(create_for_ever, fixture)};
        const struct timespec some = {.tv_nsec = 300000 + 37000 * (round % 41)};
        nanosleep(&some, NULL);
        kill_child(pid[0]);
        kill_child(pid[1]);
        if (!hidden) {
            assert_int_equal(count_entries(fixture->store, ".new-"), 0);
            continue;
        }
        left_behind += count_entries(fixture->store, ".new-");

        struct pool_file file;
        fixture->options.flags = BERTH_EXISTING;
        int error = open_pool(&file, "a", fixture);
        fixture->options.flags = 0;
        assert_true(error == 0 || error == ENOENT);
        if (error == 0) {
            assert_true(atomic_load(&file.control->target) != 0);
            assert_true(stamp_of(&file) != 0);
            pool_file_close(&file);
            assert_int_equal(pool_file_remove("a", &fixture->options), 0);
        }
        assert_int_equal(create_in(&file, fixture, "a", POOL_STARTS_HIDDEN), 0);
        pool_file_close(&file);
        assert_int_equal(count_entries(fixture->store, ".new-"), 0); /* what was left is gone */
        assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    }
    print_message("%u files were left behind by the killed, and removed\n", left_behind);
}

/* ---- many at once ---- */

enum { RACERS = 8 };

struct race {
    struct fixture *fixture;
    _Atomic(unsigned) ready, in;
    bool hidden;
    struct {
        uint64_t stamp;
        ino_t inode;
        unsigned seat;
    } saw[RACERS];
};

static int race_in(struct pool_file *file, unsigned *seat, struct race *race)
{
    if (!race->hidden)
        return enter_pool(file, seat, "a", race->fixture);
    int error = create_in(file, race->fixture, "a", POOL_STARTS_HIDDEN);
    if (error == EEXIST)
        error = open_pool(file, "a", race->fixture);
    return error != 0 ? error : pool_seat_take(file, seat);
}

static void wait_until(_Atomic(unsigned) *count, unsigned value)
{
    while (atomic_load(count) < value)
        sched_yield();
}

static int one_racer(void *context)
{
    struct race *race = context;
    struct pool_file file;
    unsigned seat;
    const unsigned me = atomic_fetch_add(&race->ready, 1);
    wait_until(&race->ready, RACERS);
    if (race_in(&file, &seat, race) != 0)
        return 1;
    race->saw[me].stamp = stamp_of(&file);
    race->saw[me].inode = inode_of(file.fd);
    race->saw[me].seat = seat;
    atomic_fetch_add(&race->in, 1);
    wait_until(&race->in, RACERS);
    return 0;
}

static void test_creation_race(void **state)
{
    struct fixture *fixture = *state;
    struct race *race = shared_memory(sizeof *race);
    fixture->options.seats = 16;
    for (unsigned round = 0; round < (some_is_enough() ? 30 : 100); round++) {
        pid_t pid[RACERS];
        memset(race, 0, sizeof *race);
        race->fixture = fixture;
        race->hidden = round % 2 == 1;
        for (unsigned i = 0; i < RACERS; i++)
            pid[i] = start_child(one_racer, race);
        for (unsigned i = 0; i < RACERS; i++)
            assert_child_succeeds(pid[i]);
        for (unsigned i = 0; i < RACERS; i++) {
            assert_true(race->saw[i].stamp == race->saw[0].stamp && race->saw[0].stamp != 0);
            assert_int_equal(race->saw[i].inode, race->saw[0].inode);
            for (unsigned j = 0; j < i; j++)
                assert_int_not_equal(race->saw[i].seat, race->saw[j].seat);
        }
        assert_int_equal(count_entries(fixture->store, ""), 3);
        assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    }
    munmap(race, sizeof *race);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_create_and_open),
        pool_test(test_defaults),
        pool_test(test_existing_only),
        pool_test(test_mode_is_exact),
        pool_test(test_bad_options),
        pool_test(test_closed_standard_descriptors),
        pool_test(test_interruptions),
        pool_test(test_which_directory),
        pool_test(test_default_directory),
        pool_test(test_network),
        pool_test(test_missing_directory),
        pool_test(test_list),
        pool_test(test_list_of_many),
        pool_test(test_file_size_limit),
        pool_test(test_full_file_system),
        pool_test(test_without_proc),
        pool_test(test_births),
        pool_test(test_killed_creators),
        pool_test(test_creation_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
