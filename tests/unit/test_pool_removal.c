/*
 * Removal, and pools of an earlier boot. What must never be: two processes with seats in two
 * different files of one name.
 */
#include "pool_support.h"
#include "support.h"

#include "os/io.h"
#include "os/range_lock.h"
#include "pool/header.h"
#include "pool/seat.h"

#include <fcntl.h>
#include <sched.h>
#include <time.h>

static void make_pool(const struct fixture *fixture, const char *name)
{
    struct pool_file file;
    assert_int_equal(open_pool(&file, name, fixture), 0);
    pool_file_close(&file);
}

/* ---- one after the other ---- */

static void test_remove(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file, again;
    unsigned seat;
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    assert_refused(EBUSY, pool_file_remove("a", &fixture->options), "has the pool a open");
    assert_false(pool_file_is_gone(&file));
    assert_int_equal(atomic_load(&file.control->removed), 0);
    pool_seat_leave(&file, seat);

    /* Open, but without a seat: that does not keep it. */
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    assert_true(pool_file_is_gone(&file));
    assert_int_equal(atomic_load(&file.control->removed), 1);
    assert_refused(EIDRM, pool_seat_take(&file, &seat), "has been removed");
    assert_int_equal(pool_file_remove("a", &fixture->options), ENOENT);

    const uint64_t token_base = file.token_base;
    assert_int_equal(enter_pool(&again, &seat, "a", fixture), 0);
    assert_true(again.token_base > token_base);
    assert_true(stamp_of(&again) != stamp_of(&file));
    pool_file_close(&again);
    pool_file_close(&file);
}

/* A removal has locked all seats and has not come to its end. */
static void test_take_during_removal(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file, remover, viewed;
    unsigned seat;
    assert_int_equal(open_pool(&file, "a", fixture), 0);
    assert_int_equal(open_pool(&remover, "a", fixture), 0);
    assert_int_equal(pool_file_view(&viewed, "a", &fixture->options), 0);
    assert_int_equal(os_lock_take(remover.fd, POOL_ALL_SEATS), 0);
    assert_refused(EAGAIN, pool_seat_take(&file, &seat), "began to remove");
    assert_refused(EBUSY, pool_file_remove("a", &fixture->options), "removed by somebody else");
    assert_false(pool_seat_alive(&viewed, 0)); /* nobody sits there */
    assert_int_equal(os_lock_drop(remover.fd, POOL_ALL_SEATS), 0);
    assert_int_equal(pool_seat_take(&file, &seat), 0);
    pool_file_close(&viewed);
    pool_file_close(&remover);
    pool_file_close(&file);
}

/* A program that does not use berth deletes the file, and the next newcomer makes another. */
static void test_deleted_underneath(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file, other;
    unsigned seat;
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    assert_int_equal(open_pool(&other, "a", fixture), 0);
    assert_int_equal(unlink(path_of(fixture, "a.berth")), 0);
    assert_true(pool_file_is_gone(&file));
    assert_int_equal(pool_seat_take(&other, &seat), EIDRM);
    pool_file_close(&other);
    pool_file_close(&file);
}

/* ---- an earlier boot ---- */

static void set_boot(const struct fixture *fixture, const char *boot)
{
    char field[sizeof((struct pool_header *)NULL)->boot] = "";
    strncpy(field, boot, sizeof field - 1);
    int fd = open(path_of(fixture, "a.berth"), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, field, sizeof field, offsetof(struct pool_header, boot)),
                     sizeof field);
    close(fd);
}

static const char other_boot[] = "00000000-1111-2222-3333-444444444444";

static int count_names(const char *name, void *context)
{
    (void)name;
    ++*(unsigned *)context;
    return 0;
}

static unsigned last_slots;

static void remember_slots(struct pool_file *file, unsigned slots)
{
    (void)file;
    last_slots = slots;
}

static void test_earlier_boot(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file old, file;
    unsigned listed = 0;
    assert_int_equal(open_pool(&old, "a", fixture), 0);
    set_boot(fixture, other_boot);
    assert_int_equal(pool_file_view(&file, "a", &fixture->options), 0);
    pool_file_close(&file);
    assert_int_equal(pools_list(&fixture->options, count_names, &listed), 0);
    assert_int_equal(listed, 1);
    assert_false(pool_file_is_gone(&old)); /* all of that changes nothing */

    assert_int_equal(open_pool(&file, "a", fixture), 0);
    assert_int_equal(inode_of(file.fd), inode_of(old.fd)); /* in place */
    const uint64_t renewed = stamp_of(&file);
    pool_file_close(&file);
    assert_int_equal(open_pool(&file, "a", fixture), 0); /* once */
    assert_int_equal(stamp_of(&file), renewed);
    pool_file_close(&file);
    pool_file_close(&old);

    set_boot(fixture, other_boot);
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    assert_int_equal(count_entries(fixture->store, "a"), 0);
}

/* A process that opens it clears it in place: the file, its number of slots and its mode stay, and
 * tokens grow. */
static void test_renewal(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file old, file;
    unsigned seat;
    assert_int_equal(open_pool(&old, "a", fixture), 0);
    atomic_store(&old.control->target, 7);
    atomic_store(&old.control->draw, (uint64_t)12345 << old.geometry.seat_bits);
    atomic_store(&old.slot[3], 99);
    set_boot(fixture, other_boot);
    last_slots = 0;
    assert_int_equal(pool_file_enter(&file, &seat, "a", &fixture->options, remember_slots), 0);
    assert_int_equal(inode_of(file.fd), inode_of(old.fd));
    assert_false(pool_file_is_gone(&old));
    assert_int_equal(last_slots, 7);
    assert_int_equal(atomic_load(&file.slot[3]), 0);
    assert_true(file.token_base >= old.token_base + 12345);
    /* A process that had mapped it before takes no seat with what it has read then. */
    assert_int_equal(pool_seat_take(&old, &seat), EIDRM);
    pool_file_close(&old);
    pool_file_close(&file);
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
}

/* To a program it is a pool that exists, as it is to berth run. */
static void test_library_after_boot(void **state)
{
    struct fixture *fixture = *state;
    berth_pool *pool;
    berth_grant grant;
    struct stat status;
    berth_options options = fixture->options;
    options.slots = 4;
    options.mode = 0660;
    assert_int_equal(berth_open(&pool, "a", &options), 0);
    assert_int_equal(fchmod(berth_fd(pool), 0660), 0);
    assert_int_equal(berth_acquire(pool, &grant), 0);
    const uint64_t token = grant.token;
    assert_int_equal(berth_close(pool), 0);
    set_boot(fixture, other_boot);
    options.slots = 3;
    assert_refused(EEXIST, berth_open(&pool, "a", &options), "4 slots, not 3");
    set_boot(fixture, other_boot);
    options.slots = 0;
    assert_int_equal(berth_open(&pool, "a", &options), 0);
    assert_int_equal(berth_slots(pool), 4);
    assert_int_equal(fstat(berth_fd(pool), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0660);
    assert_int_equal(berth_acquire(pool, &grant), 0);
    assert_true(grant.token > token);
    assert_int_equal(berth_close(pool), 0);
}

/* A second name, which others may give to a file that they may write to, changes nothing; nor does
 * it hide that the pool was removed. */
static void test_second_name(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file old, file;
    unsigned seat;
    char other[160];
    make_pool(fixture, "a");
    snprintf(other, sizeof other, "%s/elsewhere", fixture->store);
    assert_int_equal(link(path_of(fixture, "a.berth"), other), 0);
    assert_int_equal(open_pool(&old, "a", fixture), 0);
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    assert_int_equal(inode_of(file.fd), inode_of(old.fd));
    pool_file_close(&file);
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    assert_true(pool_file_is_gone(&old));
    assert_int_equal(pool_seat_take(&old, &seat), EIDRM);
    atomic_store(&old.control->removed, 0); /* a removal that was killed before it left its mark */
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    assert_true(inode_of(file.fd) != inode_of(old.fd));
    pool_file_close(&file);
    pool_file_close(&old);
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    assert_int_equal(unlink(other), 0);
}

/* What is no pool, or of another version, is removed by force alone, and not while it is locked. */
static void test_force(void **state)
{
    struct fixture *fixture = *state;
    static const unsigned char later[] = {0x7f, 0, 0, 0};
    make_pool(fixture, "a");
    const int fd = open(path_of(fixture, "a.berth"), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(os_write(fd, later, sizeof later, offsetof(struct pool_header, version)), 0);
    assert_refused(EPROTO, pool_file_remove("a", &fixture->options), "version 127");
    fixture->options.flags = BERTH_FORCE;
    const int holder = open(path_of(fixture, "a.berth"), O_RDWR | O_CLOEXEC);
    assert_int_equal(os_lock_take(holder, (struct os_range){.start = 77, .length = 1}), 0);
    assert_refused(EBUSY, pool_file_remove("a", &fixture->options), "open");
    close(holder);
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    assert_int_equal(pool_file_remove("a", &fixture->options), ENOENT);
    assert_int_equal(symlink("nowhere", path_of(fixture, "a.berth")), 0);
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    fixture->options.flags = 0;
    make_pool(fixture, "a");
    struct pool_file file;
    unsigned seat;
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    fixture->options.flags = BERTH_FORCE;
    assert_refused(EBUSY, pool_file_remove("a", &fixture->options),
                   "open"); /* a pool in use stays */
    fixture->options.flags = 0;
    pool_file_close(&file);
    close(fd);
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
}

static void make_of_version_1(const struct fixture *fixture)
{
    const uint32_t version = 1;
    const int fd = open(path_of(fixture, "a.berth"), O_RDWR);
    assert_int_equal(pwrite(fd, &version, sizeof version, offsetof(struct pool_header, version)),
                     sizeof version);
    close(fd);
}

/* A pool of an earlier version is made again, unless somebody has it open. */
static void test_earlier_version(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file, again;
    unsigned seat;
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    const uint64_t stamp = stamp_of(&file);
    make_of_version_1(fixture);
    assert_refused(EPROTO, open_pool(&again, "a", fixture), "when its present users have left");
    pool_file_close(&file);
    assert_int_equal(open_pool(&again, "a", fixture), 0);
    assert_true(stamp_of(&again) != stamp);
    pool_file_close(&again);
}

/* Where somebody has a seat, it is not of an earlier boot, whatever it says. */
static void test_other_boot_in_use(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file old, file;
    unsigned seat, another;
    assert_int_equal(enter_pool(&old, &seat, "a", fixture), 0);
    set_boot(fixture, other_boot);
    assert_int_equal(enter_pool(&file, &another, "a", fixture), 0);
    assert_int_equal(inode_of(file.fd), inode_of(old.fd));
    pool_file_close(&file);
    assert_int_equal(pool_file_view(&file, "a", &fixture->options), 0);
    pool_file_close(&file);
    pool_file_close(&old);
}

static void test_unknown_boot(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file old, file;
    assert_int_equal(open_pool(&old, "a", fixture), 0);
    set_boot(fixture, "");
    assert_int_equal(open_pool(&file, "a", fixture), 0);
    assert_int_equal(inode_of(file.fd), inode_of(old.fd));
    pool_file_close(&file);
    pool_file_close(&old);
}

/* ---- at the same time ---- */

enum { USERS = 4, REMOVERS = 2, ALL = USERS + REMOVERS };

struct race {
    struct fixture *fixture;
    _Atomic(uint64_t) inside[USERS]; /* the stamp of the file that this user has a seat in; or 0 */
    _Atomic(unsigned) numbered, ready;
    _Atomic(unsigned) entered, removed, busy, met, split, astray;
    _Atomic(bool) over;
};

/* With a seat: the name refers to this very file. */
static bool name_is_ours(const struct fixture *fixture, const struct pool_file *file)
{
    struct stat named, open;
    return stat(path_of(fixture, "a.berth"), &named) == 0 && fstat(file->fd, &open) == 0 &&
           named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

static void look_around(struct race *race, unsigned me, const struct pool_file *file, bool stay)
{
    const uint64_t stamp = stamp_of(file);
    atomic_store(&race->inside[me], stamp);
    if (stay) /* for the others to come */
        sched_yield();
    for (unsigned i = 0; i < USERS; i++) {
        uint64_t theirs = atomic_load(&race->inside[i]);
        if (i != me && theirs != 0)
            atomic_fetch_add(theirs == stamp ? &race->met : &race->split, 1);
    }
    if (!name_is_ours(race->fixture, file))
        atomic_fetch_add(&race->astray, 1);
    atomic_store(&race->inside[me], 0);
}

static int use_it(struct race *race, unsigned me)
{
    for (unsigned i = 0; !atomic_load(&race->over); i++) {
        struct pool_file file;
        unsigned seat;
        if (enter_pool(&file, &seat, "a", race->fixture) != 0)
            return 1;
        look_around(race, me, &file, i / 8 % 4 == me % 4);
        if (i % 2 == 0) /* both ways to go */
            pool_seat_leave(&file, seat);
        pool_file_close(&file);
        atomic_fetch_add(&race->entered, 1);
        const struct timespec some = {.tv_nsec = 50000};
        nanosleep(&some, NULL); /* now and then nobody is in */
    }
    return 0;
}

static int remove_it(struct race *race)
{
    while (!atomic_load(&race->over)) {
        int error = pool_file_remove("a", &race->fixture->options);
        if (error == 0)
            atomic_fetch_add(&race->removed, 1);
        else if (error == EBUSY)
            atomic_fetch_add(&race->busy, 1);
        else if (error != ENOENT)
            return 1;
    }
    return 0;
}

static int take_part(void *context)
{
    struct race *race = context;
    const unsigned me = atomic_fetch_add(&race->numbered, 1);
    atomic_fetch_add(&race->ready, 1);
    while (atomic_load(&race->ready) < ALL)
        sched_yield();
    return me < USERS ? use_it(race, me) : remove_it(race);
}

static bool was_a_race(const struct race *race)
{
    return race->entered > 100 && race->removed > 10 && race->met > 10;
}

static void test_removal_race(void **state)
{
    struct fixture *fixture = *state;
    struct race *race = shared_memory(sizeof *race);
    pid_t pid[ALL];
    fixture->options.seats = 16;
    race->fixture = fixture;
    for (unsigned i = 0; i < ALL; i++)
        pid[i] = start_child(take_part, race);
    /* For a second; longer where that was no race, and in make check-long. */
    const bool whole = scaled_full(100) > 100 || (SANITIZED && !some_is_enough());
    for (unsigned s = 0; s < 3 && (s == 0 || whole || !was_a_race(race)); s++) {
        const struct timespec some = {.tv_sec = 1};
        nanosleep(&some, NULL);
    }
    atomic_store(&race->over, true);
    for (unsigned i = 0; i < ALL; i++)
        assert_child_succeeds(pid[i]);
    print_message("entered %u times, met another %u times; removed %u times, busy %u times\n",
                  race->entered, race->met, race->removed, race->busy);
    assert_int_equal(race->split, 0);
    assert_int_equal(race->astray, 0);
    assert_true(was_a_race(race));
    munmap(race, sizeof *race);
}

/* The same with users and removers that are killed: the name is still right for those with a
 * seat. */
struct carnage {
    struct fixture *fixture;
    _Atomic(unsigned) entered, removed, astray;
};

static int use_for_ever(void *context)
{
    struct carnage *carnage = context;
    for (;;) {
        struct pool_file file;
        unsigned seat;
        if (enter_pool(&file, &seat, "a", carnage->fixture) != 0)
            return 1;
        if (!name_is_ours(carnage->fixture, &file))
            atomic_fetch_add(&carnage->astray, 1);
        atomic_fetch_add(&carnage->entered, 1);
        pool_file_close(&file);
    }
}

static int remove_for_ever(void *context)
{
    struct carnage *carnage = context;
    for (;;) {
        int error = pool_file_remove("a", &carnage->fixture->options);
        if (error == 0)
            atomic_fetch_add(&carnage->removed, 1);
        else if (error != EBUSY && error != ENOENT)
            return 1;
    }
}

static void test_killed_removers(void **state)
{
    struct fixture *fixture = *state;
    struct carnage *carnage = shared_memory(sizeof *carnage);
    fixture->options.seats = 16;
    carnage->fixture = fixture;
    enum { VICTIMS = 4 };
    pid_t pid[VICTIMS];
    for (unsigned i = 0; i < VICTIMS; i++)
        pid[i] = start_child(i % 2 == 0 ? use_for_ever : remove_for_ever, carnage);
    for (unsigned kills = 0; kills < (some_is_enough() ? 100 : 300); kills++) {
        const struct timespec some = {.tv_nsec = 200000 + 13000 * (kills % 53)};
        const unsigned i = kills % VICTIMS;
        nanosleep(&some, NULL);
        kill_child(pid[i]);
        pid[i] = start_child(i % 2 == 0 ? use_for_ever : remove_for_ever, carnage);
    }
    for (unsigned i = 0; i < VICTIMS; i++)
        kill_child(pid[i]);
    print_message("entered %u times, removed %u times\n", carnage->entered, carnage->removed);
    assert_int_equal(carnage->astray, 0);
    assert_true(carnage->entered > 100 && carnage->removed > 10);

    struct pool_file file;
    unsigned seat;
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    pool_file_close(&file);
    assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    munmap(carnage, sizeof *carnage);
}

/* ---- an earlier boot, found by several at once ---- */

struct awakening {
    struct fixture *fixture;
    _Atomic(unsigned) ready, in;
    uint64_t stamp[ALL];
};

static int wake_up(void *context)
{
    struct awakening *awakening = context;
    struct pool_file file;
    unsigned seat;
    const unsigned me = atomic_fetch_add(&awakening->ready, 1);
    while (atomic_load(&awakening->ready) < ALL)
        sched_yield();
    if (enter_pool(&file, &seat, "a", awakening->fixture) != 0)
        return 1;
    awakening->stamp[me] = stamp_of(&file);
    atomic_fetch_add(&awakening->in, 1);
    while (atomic_load(&awakening->in) < ALL)
        sched_yield();
    return name_is_ours(awakening->fixture, &file) ? 0 : 2;
}

static void test_earlier_boot_race(void **state)
{
    struct fixture *fixture = *state;
    struct awakening *awakening = shared_memory(sizeof *awakening);
    fixture->options.seats = 16;
    for (unsigned round = 0; round < (some_is_enough() ? 30 : 100); round++) {
        struct pool_file old;
        pid_t pid[ALL];
        make_pool(fixture, "a");
        assert_int_equal(open_pool(&old, "a", fixture), 0);
        const uint64_t before = stamp_of(&old);
        set_boot(fixture, other_boot);
        memset(awakening, 0, sizeof *awakening);
        awakening->fixture = fixture;
        for (unsigned i = 0; i < ALL; i++)
            pid[i] = start_child(wake_up, awakening);
        for (unsigned i = 0; i < ALL; i++)
            assert_child_succeeds(pid[i]);
        for (unsigned i = 0; i < ALL; i++) {
            assert_true(awakening->stamp[i] == awakening->stamp[0]);
            assert_true(awakening->stamp[i] == stamp_of(&old)); /* of the file that is there */
        }
        assert_true(stamp_of(&old) != before);
        assert_false(pool_file_is_gone(&old));
        pool_file_close(&old);
        assert_int_equal(pool_file_remove("a", &fixture->options), 0);
    }
    munmap(awakening, sizeof *awakening);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_remove),
        pool_test(test_earlier_version),
        pool_test(test_take_during_removal),
        pool_test(test_deleted_underneath),
        pool_test(test_earlier_boot),
        pool_test(test_library_after_boot),
        pool_test(test_other_boot_in_use),
        pool_test(test_renewal),
        pool_test(test_second_name),
        pool_test(test_force),
        pool_test(test_unknown_boot),
        pool_test(test_removal_race),
        pool_test(test_killed_removers),
        pool_test(test_earlier_boot_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
