/* Seats: who has one, who is alive, and what a killed process leaves. */
#include "pool_support.h"

#include "os/range_lock.h"
#include "pool/seat.h"

#include <sched.h>
#include <time.h>

enum { SEATS = 4 };

/* ---- who has the pool open ---- */

struct numbers {
    unsigned number[16], count;
};

static int note_number(const berth_user *user, void *context)
{
    struct numbers *numbers = context;
    assert_in_range(numbers->count, 0, 15);
    numbers->number[numbers->count++] = user->number;
    return 0;
}

static int stop_at_second(const berth_user *user, void *context)
{
    note_number(user, context);
    return ((struct numbers *)context)->count == 2 ? 77 : 0;
}

/* The kernel names the lock that was taken first, wherever it lies. */
static void test_openers(void **state)
{
    static const unsigned taken[] = {700, 10, 1023, 300, 0, 11, 50, 701};
    static const unsigned sorted[] = {0, 10, 11, 50, 300, 700, 701, 1023};
    enum { OPENERS = sizeof taken / sizeof *taken };
    struct fixture *fixture = *state;
    struct pool_file file[OPENERS];
    struct numbers numbers = {.count = 0};
    fixture->options.seats = 1024;
    for (unsigned i = 0; i < OPENERS; i++) {
        assert_int_equal(open_pool(&file[i], "a", fixture), 0);
        assert_int_equal(os_lock_take(file[i].fd, pool_seat_range(taken[i])), 0);
    }
    assert_int_equal(berth_openers("a", &fixture->options, note_number, &numbers), 0);
    assert_int_equal(numbers.count, OPENERS);
    assert_memory_equal(numbers.number, sorted, sizeof sorted);

    numbers.count = 0;
    assert_int_equal(berth_openers("a", &fixture->options, stop_at_second, &numbers), 77);
    assert_int_equal(numbers.count, 2);
    for (unsigned i = 0; i < OPENERS; i++)
        pool_file_close(&file[i]);
    numbers.count = 0;
    assert_int_equal(berth_openers("a", &fixture->options, note_number, &numbers), 0);
    assert_int_equal(numbers.count, 0);
}

/* ---- orphaned seats ---- */

/* A process id means something in its own namespace alone. */
static void test_orphaned(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file, other;
    unsigned seat;
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    assert_int_equal(open_pool(&other, "a", fixture), 0);
    struct pool_seat *line = &file.seat[seat];
    const uint64_t here = atomic_load(&line->owner_namespace);
    assert_true(here != 0);
    assert_false(pool_seat_is_orphaned(&other, seat));
    atomic_store(&line->owner, INT_MAX); /* nobody */
    assert_true(pool_seat_is_orphaned(&other, seat));
    atomic_store(&line->owner_namespace, here + 1);
    assert_false(pool_seat_is_orphaned(&other, seat));
    atomic_store(&line->owner_namespace, 0);
    assert_false(pool_seat_is_orphaned(&other, seat));
    assert_true(pool_seat_is_orphaned(&other, file.geometry.seats));
    pool_file_close(&other);
    pool_file_close(&file);
}

/* ---- one process with several open files ---- */

static void test_all_seats(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file[SEATS], other;
    unsigned seat[SEATS], taken = 0, more;
    fixture->options.seats = SEATS;
    for (unsigned i = 0; i < SEATS; i++) {
        assert_int_equal(enter_pool(&file[i], &seat[i], "a", fixture), 0);
        assert_true(seat[i] < SEATS);
        taken |= 1U << seat[i];
        assert_int_equal(atomic_load(&file[0].seat[seat[i]].pid), getpid());
    }
    assert_int_equal(taken, (1U << SEATS) - 1);
    assert_refused(EUSERS, enter_pool(&other, &more, "a", fixture), "all 4 seats");
    assert_int_equal(other.fd, -1);

    /* A seat that was left is the one that is taken. */
    pool_seat_leave(&file[2], seat[2]);
    assert_int_equal(atomic_load(&file[0].seat[seat[2]].pid), 0);
    assert_int_equal(enter_pool(&other, &more, "a", fixture), 0);
    assert_int_equal(more, seat[2]);
    pool_file_close(&other);
    for (unsigned i = 0; i < SEATS; i++)
        pool_file_close(&file[i]);
}

static void test_alive(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file, other, viewed;
    unsigned seat;
    assert_int_equal(open_pool(&other, "a", fixture), 0);
    assert_int_equal(pool_file_view(&viewed, "a", &fixture->options), 0);
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    for (unsigned s = 0; s < BERTH_DEFAULT_SEATS; s++) {
        assert_int_equal(pool_seat_alive(&other, s), s == seat);
        assert_int_equal(pool_seat_alive(&viewed, s), s == seat); /* read-only will do */
        assert_false(pool_seat_alive(&file, s));                  /* its own is not seen */
    }
    assert_false(pool_seat_alive(&other, BERTH_DEFAULT_SEATS));
    assert_false(pool_seat_alive(&other, UINT_MAX));
    pool_seat_leave(&file, UINT_MAX); /* does nothing */
    pool_seat_leave(&file, seat);
    assert_false(pool_seat_alive(&other, seat));
    assert_int_equal(pool_seat_take(&file, &seat), 0);
    pool_file_close(&file); /* without leaving */
    assert_false(pool_seat_alive(&other, seat));
    pool_file_close(&viewed);
    pool_file_close(&other);
}

static void test_command_is_cleared(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file;
    unsigned seat;
    fixture->options.seats = 1;
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    strcpy(file.seat[0].command.bytes, "make all");
    pool_file_close(&file);
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    assert_string_equal(file.seat[0].command.bytes, "");
    pool_file_close(&file);
}

/* Anyone who may only read the file can lock bytes too, in the shared way, and so keep a seat as an
 * heir does. But that makes no living process look dead, and takes no seat away from its owner. */
static void test_reader_keeps_at_most(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file, other, viewed;
    unsigned seat;
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    assert_int_equal(open_pool(&other, "a", fixture), 0);
    assert_int_equal(pool_file_view(&viewed, "a", &fixture->options), 0);
    assert_int_equal(os_lock_share(viewed.fd, pool_seat_range(seat)), EAGAIN);
    assert_int_equal(os_lock_take(viewed.fd, pool_heirs_range(seat)), EBADF);
    const unsigned dead = seat == 0 ? 1 : 0;
    assert_false(pool_seat_alive(&other, dead));
    assert_int_equal(os_lock_share(viewed.fd, pool_heirs_range(dead)), 0);
    assert_true(pool_seat_alive(&other, dead));
    assert_int_equal(os_lock_drop(viewed.fd, pool_heirs_range(dead)), 0);
    assert_false(pool_seat_alive(&other, dead));
    /* As long as a removal's lock, from the end of the owner's byte on. */
    struct os_range long_one = POOL_ALL_SEATS;
    long_one.start = pool_heirs_range(seat).start;
    assert_int_equal(os_lock_share(viewed.fd, (struct os_range){.start = long_one.start}), 0);
    assert_true(pool_seat_alive(&other, seat));
    pool_file_close(&viewed);
    assert_true(pool_seat_alive(&other, seat));
    pool_file_close(&other);
    pool_file_close(&file);
}

/* A seat lives by its owner, or by an heir, which has its other byte; it is taken again after
 * both. */
static void test_heirs(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file, heir, other;
    unsigned seat, more;
    fixture->options.seats = 1;
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    assert_int_equal(pool_file_view(&heir, "a", &fixture->options), 0);
    assert_int_equal(open_pool(&other, "a", fixture), 0);
    assert_int_equal(os_lock_share(heir.fd, pool_heirs_range(seat)), 0);
    pool_file_close(&file);
    assert_true(pool_seat_alive(&other, seat));
    assert_int_equal(pool_seat_take(&other, &more), EUSERS);
    assert_int_equal(pool_file_remove("a", &fixture->options), EBUSY);
    pool_file_close(&heir);
    assert_false(pool_seat_alive(&other, seat));
    assert_int_equal(pool_seat_take(&other, &more), 0);
    pool_file_close(&other);
}

/* Process ids in the file are claims. With all of them wrong, seats are still had, and only those
 * that are free. */
static void test_pids_are_hints(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file[SEATS], other;
    unsigned seat[SEATS], taken = 0, more;
    fixture->options.seats = SEATS;
    assert_int_equal(open_pool(&other, "a", fixture), 0);
    for (unsigned i = 0; i < SEATS; i++) {
        for (unsigned s = 0; s < SEATS; s++) /* each looks like the opposite */
            atomic_store(&other.seat[s].pid, taken & 1U << s ? 0 : 1);
        assert_int_equal(enter_pool(&file[i], &seat[i], "a", fixture), 0);
        assert_false(taken & 1U << seat[i]);
        taken |= 1U << seat[i];
    }
    assert_int_equal(pool_seat_take(&other, &more), EUSERS);
    pool_file_close(&other);
    for (unsigned i = 0; i < SEATS; i++)
        pool_file_close(&file[i]);
}

/* ---- processes ---- */

struct sitter {
    struct fixture *fixture;
    int report; /* the seat is written to it */
    bool exec;
};

/* Takes a seat, says which, and stays. */
static int sit(void *context)
{
    const struct sitter *sitter = context;
    struct pool_file file;
    unsigned seat;
    if (enter_pool(&file, &seat, "a", sitter->fixture) != 0)
        return 1;
    if (sitter->exec) {
        if (fcntl(file.fd, F_SETFD, 0) != 0)
            return 2;
        char *const command[] = {"sh", "-c", "echo >&$0; exec sleep 1000", NULL, NULL};
        char number[16];
        snprintf(number, sizeof number, "%d", sitter->report);
        char *const arguments[] = {command[0], command[1], command[2], number, NULL};
        if (fcntl(sitter->report, F_SETFD, 0) != 0 ||
            write(sitter->report, &seat, sizeof seat) != sizeof seat)
            return 3;
        execv("/bin/sh", arguments);
        return 4;
    }
    if (write(sitter->report, &seat, sizeof seat) != sizeof seat)
        return 3;
    for (;;)
        pause();
}

static pid_t start_sitter(struct fixture *fixture, unsigned *seat, bool exec)
{
    int report[2];
    assert_int_equal(pipe2(report, O_CLOEXEC), 0);
    struct sitter sitter = {fixture, report[1], exec};
    pid_t pid = start_child(sit, &sitter);
    close(report[1]);
    assert_int_equal(read(report[0], seat, sizeof *seat), sizeof *seat);
    char newline;
    if (exec) /* the shell is there */
        assert_int_equal(read(report[0], &newline, 1), 1);
    close(report[0]);
    return pid;
}

static void test_killed_owner(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file;
    unsigned seat[SEATS], mine;
    fixture->options.seats = SEATS;
    assert_int_equal(open_pool(&file, "a", fixture), 0);
    for (unsigned round = 0; round < 50; round++) {
        pid_t pid[SEATS];
        for (unsigned i = 0; i < SEATS; i++) {
            pid[i] = start_sitter(fixture, &seat[i], false);
            assert_true(pool_seat_alive(&file, seat[i]));
        }
        assert_int_equal(pool_seat_take(&file, &mine), EUSERS);
        const unsigned victim = round % SEATS;
        kill_child(pid[victim]);
        assert_false(pool_seat_alive(&file, seat[victim])); /* at once */
        assert_int_equal(atomic_load(&file.seat[seat[victim]].pid), pid[victim]);
        assert_int_equal(pool_seat_take(&file, &mine), 0); /* and no other */
        assert_int_equal(mine, seat[victim]);
        assert_int_equal(atomic_load(&file.seat[mine].pid), getpid());
        pool_seat_leave(&file, mine);
        for (unsigned i = 0; i < SEATS; i++) {
            if (i != victim)
                kill_child(pid[i]);
        }
    }
    pool_file_close(&file);
}

static void test_stopped_owner(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file;
    unsigned seat;
    int status;
    assert_int_equal(open_pool(&file, "a", fixture), 0);
    pid_t pid = start_sitter(fixture, &seat, false);
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(pool_seat_alive(&file, seat));
    kill_child(pid);
    assert_false(pool_seat_alive(&file, seat));
    pool_file_close(&file);
}

static void test_exec_keeps_seat(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file;
    unsigned seat;
    assert_int_equal(open_pool(&file, "a", fixture), 0);
    pid_t pid = start_sitter(fixture, &seat, true);
    assert_true(pool_seat_alive(&file, seat));
    assert_int_equal(atomic_load(&file.seat[seat].pid), pid);
    kill_child(pid);
    assert_false(pool_seat_alive(&file, seat));
    pool_file_close(&file);
}

static int wait_to_be_killed(void *context)
{
    (void)context;
    while (pause() != 0)
        ;
    return 0;
}

/* A child has a copy of the descriptor; the seat lives as long as it has. */
static void test_fork_keeps_seat(void **state)
{
    struct fixture *fixture = *state;
    struct pool_file file, other;
    unsigned seat;
    assert_int_equal(open_pool(&other, "a", fixture), 0);
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    pid_t pid = start_child(wait_to_be_killed, NULL);
    pool_file_close(&file);
    assert_true(pool_seat_alive(&other, seat));
    kill_child(pid);
    assert_false(pool_seat_alive(&other, seat));

    /* To close the copy is to give up nothing. */
    assert_int_equal(enter_pool(&file, &seat, "a", fixture), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        pool_file_close(&file);
        _exit(0);
    }
    assert_child_succeeds(pid);
    assert_true(pool_seat_alive(&other, seat));
    pool_file_close(&file);
    pool_file_close(&other);
}

/* ---- many at once ---- */

enum { CROWD = 12, CROWD_SEATS = 8 };

struct crowd {
    struct fixture *fixture;
    _Atomic(int) owner[CROWD_SEATS]; /* by process id */
    _Atomic(unsigned) had, refused, doubles;
    _Atomic(bool) stop;
};

static int come_and_go(void *context)
{
    struct crowd *crowd = context;
    while (!atomic_load(&crowd->stop)) {
        struct pool_file file;
        unsigned seat;
        int nobody = 0, error = enter_pool(&file, &seat, "a", crowd->fixture);
        if (error == EUSERS)
            atomic_fetch_add(&crowd->refused, 1);
        if (error == EUSERS)
            continue;
        if (error != 0)
            return 1;
        if (!atomic_compare_exchange_strong(&crowd->owner[seat], &nobody, getpid()))
            atomic_fetch_add(&crowd->doubles, 1);
        sched_yield();
        atomic_store(&crowd->owner[seat], 0);
        atomic_fetch_add(&crowd->had, 1);
        pool_seat_leave(&file, seat);
        pool_file_close(&file);
    }
    return 0;
}

/* More processes than seats: no seat is ever had twice. */
static void test_crowd(void **state)
{
    struct fixture *fixture = *state;
    struct crowd *crowd = shared_memory(sizeof *crowd);
    pid_t pid[CROWD];
    fixture->options.seats = CROWD_SEATS;
    crowd->fixture = fixture;
    for (unsigned i = 0; i < CROWD; i++)
        pid[i] = start_child(come_and_go, crowd);
    const struct timespec second = {.tv_sec = 1};
    nanosleep(&second, NULL);
    atomic_store(&crowd->stop, true);
    for (unsigned i = 0; i < CROWD; i++)
        assert_child_succeeds(pid[i]);
    print_message("%u seats taken, %u times none\n", crowd->had, crowd->refused);
    assert_int_equal(crowd->doubles, 0);
    assert_true(crowd->had > 100 && crowd->refused > 10);
    munmap(crowd, sizeof *crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_orphaned),
        pool_test(test_openers),
        pool_test(test_all_seats),
        pool_test(test_alive),
        pool_test(test_command_is_cleared),
        pool_test(test_heirs),
        pool_test(test_reader_keeps_at_most),
        pool_test(test_pids_are_hints),
        pool_test(test_killed_owner),
        pool_test(test_stopped_owner),
        pool_test(test_exec_keeps_seat),
        pool_test(test_fork_keeps_seat),
        pool_test(test_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
