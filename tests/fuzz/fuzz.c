/*
 * libFuzzer over the pool file: whatever is in it, and whatever others write into it during a call,
 * the library gives an error code or does its work; it does not crash, hang, or reach outside. The
 * one thing that is not tried is to cut the file off while it is mapped: that is a SIGBUS, as
 * documented.
 *
 * The first byte chooses: 0 the input is the file; 1 it says what to write into the words of a new
 * pool; 2 into its header as well; 3 as 1, and a second thread goes on writing while the calls are
 * made. Then, by bits of the same byte: how many seats, and which of them somebody living has. By a
 * bit of the second byte the input begins with locks that somebody living has anywhere in the file.
 *
 * Whatever is mapped lies between two pages that nobody may touch, so an access beyond it is found.
 */
#include "input.h"
#include "write_words.h"

#include "berth.h"
#include "os/clock.h"
#include "os/range_lock.h"
#include "pool/mapping.h"
#include "pool/name.h"
#include "pool/seat.h"
#include "store/chain.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KINDS = 3, NANOSECONDS = 2000000, LOCKS = 16 };

static const char name[] = "fuzz";
static const unsigned seats_of[KINDS] = {1, 4, 200};
static struct {
    uint8_t *bytes;
    size_t size;
} fresh[KINDS]; /* new pools */
static char store[64], path[128];

/* ---- before the first input ---- */

static void check(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

static void remove_store(void)
{
    unlink(path);
    rmdir(store);
}

static void make_fresh(unsigned kind)
{
    const berth_options options = {.store = store, .slots = 2, .seats = seats_of[kind]};
    berth_pool *pool;
    struct stat status;
    check(berth_open(&pool, name, &options) == 0, "berth_open");
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    check(fd >= 0 && fstat(fd, &status) == 0, path);
    fresh[kind].size = (size_t)status.st_size;
    fresh[kind].bytes = malloc(fresh[kind].size);
    check(fresh[kind].bytes != NULL &&
              read(fd, fresh[kind].bytes, fresh[kind].size) == (ssize_t)fresh[kind].size,
          path);
    close(fd);
    check(berth_close(pool) == 0 && berth_remove(name, &options) == 0, "berth_remove");
}

static void prepare(void)
{
    snprintf(store, sizeof store, "%s/berth-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    check(mkdtemp(store) != NULL, store);
    snprintf(path, sizeof path, "%s/%s" POOL_FILE_SUFFIX, store, name);
    atexit(remove_store);
    for (unsigned kind = 0; kind < KINDS; kind++)
        make_fresh(kind);
}

/* ---- pages around each mapping ---- */

enum { PAGE = 4096 };

void *__real_mmap64(void *at, size_t size, int rights, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
void *__wrap_mmap64(void *at, size_t size, int rights, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t size);

static size_t with_guards(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE + 2 * PAGE;
}

/* What the library maps is mapped in the middle of a reservation. */
void *__wrap_mmap64(void *at, size_t size, int rights, int flags, int fd, off_t offset)
{
    if (at != NULL)
        abort(); /* munmap below could not tell it from a mapping with guards */
    char *all =
        __real_mmap64(NULL, with_guards(size), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return MAP_FAILED;
    void *map = __real_mmap64(all + PAGE, size, rights, flags | MAP_FIXED, fd, offset);
    if (map == MAP_FAILED)
        __real_munmap(all, with_guards(size));
    return map;
}

int __wrap_munmap(void *at, size_t size)
{
    return __real_munmap((char *)at - PAGE, with_guards(size));
}

/* ---- the file of an input ---- */

static int make_file(const uint8_t *bytes, size_t size)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    check(fd >= 0 && write(fd, bytes, size) == (ssize_t)size, path);
    return fd;
}

/* The words of a file that is mapped for the fuzzer itself. */
static void map_it(struct pool_file *file, int fd, unsigned kind)
{
    const struct pool_geometry geometry = pool_geometry_of(seats_of[kind]);
    struct pool_header header;
    memcpy(&header, fresh[kind].bytes, sizeof header);
    check(pool_map(file, fd, &header, &geometry, true) == 0, "mmap");
}

static void spoil_header(struct pool_file *file, struct input *input)
{
    for (uint64_t i = 1 + input_take(input, 1) % 4; i > 0; i--) {
        const size_t at = (size_t)input_take(input, 1) % sizeof(struct pool_header);
        ((uint8_t *)file->map)[at] = (uint8_t)input_take(input, 1);
    }
}

/* Takes locks such as loans have, exactly or nearly, and locks of any other bytes. Each has an open
 * file of its own, or they would be one lock. */
static unsigned take_locks(struct input *input, int fd[static LOCKS])
{
    const unsigned wanted = (unsigned)input_take(input, 1) % LOCKS;
    unsigned taken = 0;
    while (taken < wanted) {
        const unsigned kind = (unsigned)input_take(input, 1);
        const uint64_t slot = input_take(input, 1), level = kind / 4 % 4;
        const int64_t length = (int64_t)input_take(input, 2);
        struct os_range range = {chain_start(1 + slot, level), 1 + length};
        if (kind % 4 == 1)
            range.start += 1 + kind / 16;
        if (kind % 4 == 2)
            range.start = (int64_t)(input_take(input, 8) >> 1);
        if (kind % 4 == 3)
            range = (struct os_range){POOL_SEAT_BYTE + (int64_t)slot, length};
        fd[taken] = open(path, O_RDWR | O_CLOEXEC);
        check(fd[taken] >= 0, path);
        os_lock_take(fd[taken++], range);
    }
    return taken;
}

/* ---- a process that goes on writing ---- */

struct writer {
    pthread_t thread;
    const struct pool_file *file;
    struct input input;
    _Atomic(bool) stop;
};

static void *keep_writing(void *context)
{
    struct writer *writer = context;
    while (!atomic_load(&writer->stop)) {
        words_write(writer->file, &writer->input);
        if (input_is_over(&writer->input))
            writer->input.at = 0;
    }
    return NULL;
}

/* ---- the calls ---- */

static void look(const berth_options *options)
{
    berth_view *view;
    if (berth_look(&view, name, options) == 0)
        berth_view_free(view);
}

static struct timespec soon(void)
{
    return os_timespec(os_now(CLOCK_MONOTONIC) + NANOSECONDS);
}

static void use(berth_pool *pool, const berth_options *options, unsigned choice)
{
    berth_grant grant[3];
    bool held[3];
    const struct timespec first = soon();
    held[0] = berth_try_acquire(pool, &grant[0]) == 0;
    held[1] = berth_acquire_until(pool, &grant[1], &first) == 0;
    look(options);
    if (held[0])
        berth_release(pool, &grant[0]);
    berth_resize(pool, choice % 8);
    if ((choice & 8) != 0)
        berth_resize(pool, BERTH_MAX_SLOTS);
    const struct timespec second = soon();
    held[2] = berth_acquire_until(pool, &grant[2], &second) == 0;
    if (held[1])
        berth_release(pool, &grant[1]);
    if (held[2] && (choice & 16) != 0)
        berth_release(pool, &grant[2]);
}

static int count(const char *found, void *context)
{
    (void)found;
    ++*(unsigned *)context;
    return 0;
}

static void make_calls(unsigned choice)
{
    const berth_options options = {.store = store, .flags = choice & 32 ? BERTH_TIMED : 0};
    berth_pool *pool;
    unsigned pools = 0;
    look(&options);
    if (berth_open(&pool, name, &options) == 0) {
        use(pool, &options, choice);
        berth_close(pool);
    }
    berth_list(&options, count, &pools);
    berth_remove(name, &options);
}

/* ---- an input ---- */

static void try_words(struct input *input, unsigned chosen, unsigned choice)
{
    const unsigned mode = chosen & 3, kind = chosen / 4 % KINDS;
    struct pool_file file;
    struct writer writer = {.file = &file};
    map_it(&file, make_file(fresh[kind].bytes, fresh[kind].size), kind);
    /* The fuzzer's own descriptor is somebody else to the library. */
    if ((chosen & 32) != 0)
        os_lock_take(file.fd, pool_seat_range(0));
    if ((chosen & 64) != 0 && seats_of[kind] > 2)
        os_lock_take(file.fd, pool_seat_range(2));
    int locks[LOCKS];
    unsigned locked = (choice & 64) != 0 ? take_locks(input, locks) : 0;
    if (mode == 2)
        spoil_header(&file, input);
    writer.input = *input;
    while (!input_is_over(input))
        words_write(&file, input);
    const bool writing = mode == 3 && !input_is_over(&writer.input) &&
                         pthread_create(&writer.thread, NULL, keep_writing, &writer) == 0;
    make_calls(choice);
    if (writing) {
        atomic_store(&writer.stop, true);
        pthread_join(writer.thread, NULL);
    }
    while (locked > 0)
        close(locks[--locked]);
    pool_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {.data = data, .size = size};
    if (store[0] == '\0')
        prepare();
    const unsigned chosen = (unsigned)input_take(&input, 1);
    const unsigned choice = (unsigned)input_take(&input, 1);
    if ((chosen & 3) != 0)
        try_words(&input, chosen, choice);
    else {
        close(make_file(data + input.at, size - input.at));
        make_calls(choice);
    }
    unlink(path);
    return 0;
}
