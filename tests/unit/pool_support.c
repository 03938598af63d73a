#include "pool_support.h"

/* ---- the store ---- */

unsigned count_entries(const char *path, const char *prefix)
{
    unsigned count = 0;
    DIR *list = opendir(path);
    if (list == NULL)
        fail_msg("cannot list %s", path);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    closedir(list);
    return count;
}

unsigned count_descriptors(void)
{
    return count_entries("/proc/self/fd", "");
}

int make_store(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (fixture == NULL)
        return -1;
    snprintf(fixture->store, sizeof fixture->store, "%s/berth-test-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(fixture->store) == NULL)
        return -1;
    fixture->options = (berth_options){.store = fixture->store};
    fixture->descriptors = count_descriptors();
    *state = fixture;
    return 0;
}

/* Only what a test may have put there: files, and empty directories. */
int remove_store(void **state)
{
    struct fixture *fixture = *state;
    unsigned descriptors = count_descriptors();
    chmod(fixture->store, 0700);
    DIR *list = opendir(fixture->store);
    if (list == NULL)
        return -1;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlinkat(dirfd(list), entry->d_name, 0) != 0)
            unlinkat(dirfd(list), entry->d_name, AT_REMOVEDIR);
    }
    closedir(list);
    int result = rmdir(fixture->store);
    if (descriptors != fixture->descriptors) {
        print_error("%u descriptors at the end, %u at the start\n", descriptors,
                    fixture->descriptors);
        result = -1;
    }
    free(fixture);
    return result;
}

const char *path_of(const struct fixture *fixture, const char *file)
{
    static char path[96];
    snprintf(path, sizeof path, "%s/%s", fixture->store, file);
    return path;
}

ino_t inode_of(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/* ---- a pool's first contents: a stamp that no other file has ---- */

_Atomic(uint64_t) *next_stamp(void)
{
    static _Atomic(uint64_t) *stamp;
    if (stamp == NULL)
        stamp =
            mmap(NULL, sizeof *stamp, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return stamp;
}

void stamp_it(struct pool_file *file, unsigned slots)
{
    atomic_store(&file->control->target, slots);
    atomic_store(&file->control->draw, 1 + atomic_fetch_add(next_stamp(), 1));
}

uint64_t stamp_of(const struct pool_file *file)
{
    return atomic_load(&file->control->draw);
}

int open_pool(struct pool_file *file, const char *name, const struct fixture *fixture)
{
    return pool_file_open(file, name, &fixture->options, stamp_it);
}

int enter_pool(struct pool_file *file, unsigned *seat, const char *name,
               const struct fixture *fixture)
{
    return pool_file_enter(file, seat, name, &fixture->options, stamp_it);
}

/* ---- reasons ---- */

void assert_reason(const char *part)
{
    if (strstr(berth_reason(), part) == NULL)
        fail_msg("the reason is \"%s\"; it does not say \"%s\"", berth_reason(), part);
}

/* ---- children ---- */

void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    return memory;
}

pid_t start_child(int (*body)(void *context), void *context)
{
    next_stamp();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
        _exit(body(context));
    }
    return pid;
}

int wait_for_child(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}

void assert_child_succeeds(pid_t pid)
{
    int status = wait_for_child(pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the child ended with wait status %#x (exit %d)", (unsigned)status,
                 WEXITSTATUS(status));
}

void kill_child(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    int status = wait_for_child(pid);
    if (!WIFSIGNALED(status))
        fail_msg("the child had already ended, with status %d", WEXITSTATUS(status));
}
