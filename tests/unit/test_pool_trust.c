/* Files and directories that are not to be trusted, and files that are not what they should be. */
#include "pool_support.h"

#include "pool/header.h"

#include <grp.h>
#include <sys/socket.h>
#include <sys/un.h>

static void make_pool(const struct fixture *fixture, const char *name)
{
    struct pool_file file;
    assert_int_equal(open_pool(&file, name, fixture), 0);
    pool_file_close(&file);
}

/* All three ways to get at a pool. */
static void assert_refused_all(const struct fixture *fixture, int error, const char *reason)
{
    struct pool_file file;
    assert_refused(error, open_pool(&file, "a", fixture), reason);
    assert_int_equal(file.fd, -1);
    assert_refused(error, pool_file_view(&file, "a", &fixture->options), reason);
    assert_refused(error, pool_file_remove("a", &fixture->options), reason);
}

static void assert_accepted(const struct fixture *fixture)
{
    struct pool_file file;
    int error = open_pool(&file, "a", fixture);
    if (error != 0)
        fail_msg("%s", berth_reason());
    pool_file_close(&file);
    assert_int_equal(pool_file_view(&file, "a", &fixture->options), 0);
    pool_file_close(&file);
}

/* ---- the directory ---- */

static void test_directory_modes(void **state)
{
    struct fixture *fixture = *state;
    static const mode_t good[] = {0700, 0755, 0711, 0750, 01755};
    static const mode_t bad[] = {0770, 0707, 0777, 01777, 0720, 0702};
    make_pool(fixture, "a");
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(chmod(fixture->store, good[i]), 0);
        assert_accepted(fixture);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char mode[32];
        snprintf(mode, sizeof mode, "has mode %04o", (unsigned)bad[i]);
        assert_int_equal(chmod(fixture->store, bad[i]), 0);
        assert_refused_all(fixture, EPERM, mode);
        assert_reason(fixture->store);
        assert_refused(EPERM, pools_list(&fixture->options, NULL, NULL), mode);
    }
}

static void test_directory_is_link(void **state)
{
    struct fixture *fixture = *state;
    char link[96], slash[100];
    make_pool(fixture, "a");
    snprintf(link, sizeof link, "%s/link", fixture->store);
    snprintf(slash, sizeof slash, "%s//", link);
    assert_int_equal(symlink(fixture->store, link), 0);
    fixture->options.store = link;
    assert_refused_all(fixture, EPERM, "not a directory");
    fixture->options.store = slash;
    assert_refused_all(fixture, EPERM, "not a directory");
    fixture->options.store = path_of(fixture, "a.berth");
    assert_refused_all(fixture, EPERM, "not a directory");
}

static void test_directory_of_stranger(void **state)
{
    struct fixture *fixture = *state;
    if (geteuid() != 0) {
        print_message("needs root, to give a directory away\n");
        skip();
    }
    make_pool(fixture, "a");
    assert_int_equal(chown(fixture->store, STRANGER, 0), 0);
    assert_refused_all(fixture, EPERM, "belongs to user 54321");
}

/* ---- the file's owner and mode ---- */

static void test_file_of_stranger(void **state)
{
    struct fixture *fixture = *state;
    if (geteuid() != 0) {
        print_message("needs root, to give a file away\n");
        skip();
    }
    make_pool(fixture, "a");
    assert_int_equal(chown(path_of(fixture, "a.berth"), STRANGER, 0), 0);
    assert_refused_all(fixture, EPERM, "belongs to user 54321");
    assert_int_equal(chown(path_of(fixture, "a.berth"), 0, STRANGER),
                     0); /* its group is its mode's */
    assert_accepted(fixture);
}

static void test_file_modes(void **state)
{
    struct fixture *fixture = *state;
    make_pool(fixture, "a");
    static const unsigned modes[] = {0600, 0604, 0606, 0640, 0644, 0660, 0666};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        for (size_t j = 0; j < sizeof modes / sizeof modes[0]; j++) {
            struct pool_file file;
            const unsigned has = modes[i], asked = modes[j];
            assert_int_equal(chmod(path_of(fixture, "a.berth"), has), 0);
            fixture->options.mode = asked == 0600 ? 0 : asked;
            if ((has & ~asked) == 0) {
                assert_accepted(fixture);
                continue;
            }
            char text[16];
            assert_int_equal(open_pool(&file, "a", fixture), EPERM);
            snprintf(text, sizeof text, "%04o", has);
            assert_reason(text);
            snprintf(text, sizeof text, "%04o", asked);
            assert_reason(text);
            /* To look at it, and to remove it, its mode does not matter. */
            assert_int_equal(pool_file_view(&file, "a", &fixture->options), 0);
            pool_file_close(&file);
        }
    }
    fixture->options.mode = 0;
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
}

/* A store for several users: the directory is root's, and so are the files, which all may write. */
static int use_as_stranger(void *context)
{
    struct fixture *fixture = context;
    struct pool_file file;
    unsigned seat;
    if (setgroups(0, NULL) != 0 || setegid(STRANGER) != 0 || seteuid(STRANGER) != 0)
        return 1;
    fixture->options.mode = 0666;
    if (enter_pool(&file, &seat, "shared", fixture) != 0)
        return 2;
    pool_file_close(&file);
    fixture->options.mode = 0;
    if (enter_pool(&file, &seat, "shared", fixture) != EPERM)
        return 3;
    if (enter_pool(&file, &seat, "private", fixture) != EACCES)
        return 4;
    if (enter_pool(&file, &seat, "new", fixture) != EACCES) /* it cannot make any there */
        return 5;
    if (pool_file_remove("shared", &fixture->options) != EACCES ||
        strstr(berth_reason(), "cannot remove") == NULL)
        return 6;
    fixture->options.mode = 0666;
    if (enter_pool(&file, &seat, "shared", fixture) != 0) /* and the attempt did no harm */
        return 7;
    pool_file_close(&file);
    return pool_file_view(&file, "readable", &fixture->options) == 0 ? 0 : 8;
}

static void test_shared_store(void **state)
{
    struct fixture *fixture = *state;
    if (geteuid() != 0) {
        print_message("needs root, to be two users\n");
        skip();
    }
    make_pool(fixture, "private");
    fixture->options.mode = 0666;
    make_pool(fixture, "shared");
    fixture->options.mode = 0644;
    make_pool(fixture, "readable");
    assert_int_equal(chmod(fixture->store, 0755), 0);
    assert_child_succeeds(start_child(use_as_stranger, fixture));
}

/* ---- what is no file of its own ---- */

static void test_links(void **state)
{
    struct fixture *fixture = *state;
    make_pool(fixture, "b");
    char target[128];
    snprintf(target, sizeof target, "%s", path_of(fixture, "b.berth"));
    assert_int_equal(symlink(target, path_of(fixture, "a.berth")), 0);
    assert_refused_all(fixture, EPERM, "symbolic link");
    assert_int_equal(unlink(path_of(fixture, "a.berth")), 0);
    assert_int_equal(symlink("nowhere", path_of(fixture, "a.berth")), 0);
    assert_refused_all(fixture, EPERM, "symbolic link");
    assert_int_equal(unlink(path_of(fixture, "a.berth")), 0);
    assert_int_equal(link(target, path_of(fixture, "a.berth")), 0);
    assert_refused_all(fixture, EPROTO, "another name");
}

static void test_no_regular_files(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(mkfifo(path_of(fixture, "a.berth"), 0600), 0);
    assert_refused_all(fixture, EPERM, "not a regular file"); /* and does not hang */
    assert_int_equal(unlink(path_of(fixture, "a.berth")), 0);

    assert_int_equal(mkdir(path_of(fixture, "a.berth"), 0700), 0);
    assert_refused_all(fixture, EPERM, "not a regular file");
    assert_int_equal(rmdir(path_of(fixture, "a.berth")), 0);

    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path_of(fixture, "a.berth"));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_refused_all(fixture, EPERM, "not a regular file");
    close(fd);
    assert_int_equal(unlink(path_of(fixture, "a.berth")), 0);

    /* The null device, which could be opened and read. */
    if (mknod(path_of(fixture, "a.berth"), S_IFCHR | 0600, 1 << 8 | 3) != 0) {
        print_message("devices cannot be made here\n");
        return;
    }
    assert_refused_all(fixture, EPERM, "not a regular file");
}

/* ---- what is in it ---- */

static int open_for_damage(const struct fixture *fixture)
{
    int fd = open(path_of(fixture, "a.berth"), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void test_sizes(void **state)
{
    struct fixture *fixture = *state;
    make_pool(fixture, "a");
    int fd = open_for_damage(fixture);
    const off_t size = (off_t)pool_geometry_of(BERTH_DEFAULT_SEATS).size;
    const off_t wrong[] = {
        0,    1,        7,        8,        100,     (off_t)sizeof(struct pool_header),
        4096, size / 2, size - 1, size + 1, size * 2};
    char header[sizeof(struct pool_header)];
    assert_int_equal(pread(fd, header, sizeof header, 0), sizeof header);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(ftruncate(fd, wrong[i]), 0);
        assert_refused_all(fixture, EPROTO, "a.berth");
        assert_int_equal(ftruncate(fd, size), 0);
        assert_int_equal(pwrite(fd, header, sizeof header, 0), sizeof header);
    }
    assert_accepted(fixture);
    close(fd);
}

struct damage {
    const char *field;
    size_t offset;
    uint64_t value;
    size_t size;
    const char *reason;
};

static void test_header_fields(void **state)
{
    struct fixture *fixture = *state;
    make_pool(fixture, "a");
    int fd = open_for_damage(fixture);
#define FIELD(field, value, reason)                                                                \
    {                                                                                              \
#field, offsetof(struct pool_header, field), value,                                        \
            sizeof((struct pool_header *)NULL)->field, reason                                      \
    }
    const struct damage damages[] = {
        FIELD(magic, 0, "not a pool"),
        FIELD(magic, POOL_MAGIC ^ 1, "not a pool"),
        FIELD(version, 0, "version 0"),
        FIELD(version, POOL_VERSION + 1, "version 3"),
        FIELD(seats, 0, "0 seats"),
        FIELD(seats, BERTH_MAX_SEATS + 1, "65537 seats"),
        FIELD(seats, UINT32_MAX, "seats"),
        FIELD(seats, BERTH_DEFAULT_SEATS - 1, "damaged"), /* fewer bits */
        FIELD(seats, BERTH_DEFAULT_SEATS + 1, "damaged"), /* a larger ring */
        FIELD(ring, 0, "ring of 0"),
        FIELD(ring, 8192, "ring of 8192"),
        FIELD(seat_bits, 0, "0 bits"),
        FIELD(seat_bits, 64, "64 bits"),
        FIELD(signature, 0, "laid out in another way"),
        {"name", offsetof(struct pool_header, name), 'b', 1, "another name"},
        {"name", offsetof(struct pool_header, name), 0, 1, "another name"},
        {"name", offsetof(struct pool_header, name) + 1, 'a', 1, "another name"},
    };
#undef FIELD
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const struct damage *damage = &damages[i];
        uint64_t before = 0;
        assert_int_equal(pread(fd, &before, damage->size, (off_t)damage->offset), damage->size);
        assert_int_equal(pwrite(fd, &damage->value, damage->size, (off_t)damage->offset),
                         damage->size);
        assert_refused_all(fixture, EPROTO, damage->reason);
        assert_int_equal(pwrite(fd, &before, damage->size, (off_t)damage->offset), damage->size);
    }
    assert_accepted(fixture);
    close(fd);
}

/* Any one bit, in any field that decides on anything. */
static void test_header_bits(void **state)
{
    struct fixture *fixture = *state;
    make_pool(fixture, "a");
    int fd = open_for_damage(fixture);
    for (size_t bit = 0; bit < 8 * sizeof(struct pool_header); bit++) {
        struct pool_file file;
        uint8_t byte;
        const off_t at = (off_t)(bit / 8);
        const bool free_to_differ =
            (bit / 8 >= offsetof(struct pool_header, token_base) &&
             bit / 8 < offsetof(struct pool_header, name)) /* token_base, and boot: another test */
            || bit / 8 > offsetof(struct pool_header, name) + 1 ||
            (bit / 8 == offsetof(struct pool_header, version) && bit % 8 < 2); /* an earlier one */
        if (free_to_differ)
            continue;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= (uint8_t)(1U << bit % 8);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        assert_refused(EPROTO, open_pool(&file, "a", fixture), "a.berth");
        byte ^= (uint8_t)(1U << bit % 8);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    assert_accepted(fixture);
    close(fd);
}

/* A header that is right in itself, over a file of another size. */
static void test_consistent_lie(void **state)
{
    struct fixture *fixture = *state;
    make_pool(fixture, "a");
    int fd = open_for_damage(fixture);
    const struct pool_geometry large = pool_geometry_of(BERTH_MAX_SEATS);
    struct pool_header header;
    pool_header_make(&header, "a", &large);
    assert_int_equal(pwrite(fd, &header, sizeof header, 0), sizeof header);
    assert_refused_all(fixture, EPROTO, "instead of 12607488");
    close(fd);
}

static void test_copy_under_other_name(void **state)
{
    struct fixture *fixture = *state;
    make_pool(fixture, "b");
    char from[128];
    snprintf(from, sizeof from, "%s", path_of(fixture, "b.berth"));
    assert_int_equal(rename(from, path_of(fixture, "a.berth")), 0);
    assert_refused_all(fixture, EPROTO, "another name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_directory_modes),
        pool_test(test_directory_is_link),
        pool_test(test_directory_of_stranger),
        pool_test(test_file_of_stranger),
        pool_test(test_file_modes),
        pool_test(test_shared_store),
        pool_test(test_links),
        pool_test(test_no_regular_files),
        pool_test(test_sizes),
        pool_test(test_header_fields),
        pool_test(test_header_bits),
        pool_test(test_consistent_lie),
        pool_test(test_copy_under_other_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
