/*
 * Trees of `berth run` in which anybody is killed: nested runs, runs that are left behind, runs of
 * several slots. A separate board that does not depend on the library records which process works
 * in which slot, by locks which the kernel drops: at each level of a slot there is one command at
 * most, and all that are in a slot have the same token. At the end nothing is lost.
 *
 *     berth-torture-loans --berth PROGRAM [--seconds S] [--seed N] [--store STORE]
 *
 * STORE is where the pool is, instead of a folder of its own. In etcd a run that was killed may
 * have left its name there until its lease ends.
 *
 * The same program is the command in the slots: berth-torture-loans work BOARD SEED DEPTH.
 */
#define _GNU_SOURCE
#include "complaint.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SLOTS = 3,
    LEVELS = 32,
    MARKS = SLOTS * LEVELS,
    PIDS = 512,
    TREES = 4,
    DEEPEST = 4,
    PATIENCE_MS = 400, /* the dying close one file after the other */
};

struct board {
    _Atomic(uint64_t) token[MARKS];
    _Atomic(int) pid[PIDS]; /* of commands and of runs, for those who kill */
    _Atomic(unsigned) next;
    _Atomic(unsigned) worked, borrowed, left_behind, kills;
    struct complaints complaints;
    char self[256], berth[256], path[256];
};

static struct board *board;
static uint64_t dice;
static bool remote; /* the pool is in another store than a folder */

static unsigned draw(unsigned below)
{
    dice ^= dice >> 12;
    dice ^= dice << 25;
    dice ^= dice >> 27;
    return (unsigned)(dice * UINT64_C(2685821657736338717) >> 33) % below;
}

static void rest(unsigned milliseconds)
{
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static int open_board(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -1;
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return board != MAP_FAILED ? fd : -1;
}

static void enter_pid(int pid)
{
    atomic_store(&board->pid[atomic_fetch_add(&board->next, 1) % PIDS], pid);
}

/* ---- what works in a slot ---- */

static bool lock(int fd, int command, unsigned mark, struct flock *lock)
{
    *lock = (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(1 << 20) + mark, .l_len = 1};
    return fcntl(fd, command, lock) == 0;
}

/* Marks slot and level as mine. The process that had it before may be dying. */
static void mark_mine(int fd, unsigned mark, uint64_t token)
{
    struct flock found;
    for (unsigned tries = 0; !lock(fd, F_OFD_SETLK, mark, &found); tries++) {
        if (tries == PATIENCE_MS) {
            complain(&board->complaints, "two are at level %u of slot %u", mark % LEVELS,
                     mark / LEVELS);
            return;
        }
        rest(1);
    }
    atomic_store(&board->token[mark], token);
}

static bool other_token(int fd, unsigned slot, uint64_t token, unsigned *level)
{
    for (*level = 0; *level < LEVELS; (*level)++) {
        struct flock found;
        const unsigned mark = slot * LEVELS + *level;
        if (lock(fd, F_OFD_GETLK, mark, &found) && found.l_type != F_UNLCK &&
            atomic_load(&board->token[mark]) != token)
            return true;
    }
    return false;
}

static void look_around(int fd, unsigned slot, unsigned mine, uint64_t token)
{
    unsigned level = 0;
    for (unsigned tries = 0; other_token(fd, slot, token, &level); tries++) {
        if (tries == PATIENCE_MS) {
            complain(&board->complaints, "slot %u: level %u by token %ju, and level %u by another",
                     slot, mine, (uintmax_t)token, level);
            return;
        }
        rest(1);
    }
}

/* The levels of my slots, as the environment tells: NAME/SLOT/LEVEL/... */
static unsigned level_of(const char *loans, unsigned slot)
{
    char text[32];
    snprintf(text, sizeof text, "p/%u/", slot);
    const char *found = strstr(loans != NULL ? loans : "", text);
    return found != NULL ? (unsigned)strtoul(found + strlen(text), NULL, 10) : 0;
}

static unsigned mark_all(int fd)
{
    char *slots = getenv("BERTH_SLOT"), *tokens = getenv("BERTH_TOKEN");
    unsigned count = 0;
    while (slots != NULL && tokens != NULL && *slots != '\0') {
        const unsigned slot = (unsigned)strtoul(slots, &slots, 10);
        const uint64_t token = strtoull(tokens, &tokens, 10);
        const unsigned level = level_of(getenv("BERTH_LOANS"), slot);
        if (slot >= SLOTS || level >= LEVELS) {
            complain(&board->complaints, "slot %u, level %u", slot, level);
            return count;
        }
        mark_mine(fd, slot * LEVELS + level, token);
        look_around(fd, slot, level, token);
        atomic_fetch_add(&board->borrowed, level > 0);
        slots += *slots == ',';
        tokens += *tokens == ',';
        count++;
    }
    return count;
}

/* Starts a run with this program in it. `slots`: this many of the pool. */
static pid_t start_run(unsigned depth, unsigned slots)
{
    char pool[8], seed[32], deep[16];
    const bool closed = depth == 0 && draw(6) == 0;
    snprintf(pool, sizeof pool, "p:%u", slots);
    snprintf(seed, sizeof seed, "%ju", (uintmax_t)(dice ^ draw(1 << 30)));
    snprintf(deep, sizeof deep, "%u%s", depth, closed ? "o" : "");
    draw(2);
    const pid_t pid = fork();
    if (pid > 0)
        enter_pid(pid);
    if (pid != 0)
        return pid;
    if (closed)
        execl(board->berth, "berth", "run", "-o", pool, "--", board->self, "work", board->path,
              seed, deep, (char *)NULL);
    else
        execl(board->berth, "berth", "run", pool, "--", board->self, "work", board->path, seed,
              deep, (char *)NULL);
    _exit(126);
}

/* A command: it works, or has others work in runs of their own, and waits for them or does not.
 * Where the run is -o, the slot goes with the run, and the command has nothing to say about it. */
static int work(const char *path, const char *seed, const char *depth)
{
    dice = strtoull(seed, NULL, 10) | 1;
    const bool closed = strchr(depth, 'o') != NULL;
    const unsigned deep = (unsigned)strtoul(depth, NULL, 10);
    close(STDIN_FILENO); /* of all files the first one is closed first, also of the killed */
    const int fd = open_board(path);
    if (fd != STDIN_FILENO)
        return 1;
    enter_pid(getpid());
    enter_pid(getppid());
    const unsigned slots = closed ? 1 : mark_all(fd);
    atomic_fetch_add(&board->worked, 1);
    rest(draw(40));
    const unsigned runs = deep < DEEPEST ? draw(4) : 0;
    for (unsigned i = 0; i < runs; i++) {
        start_run(deep + 1, 1 + draw(slots));
        rest(draw(20));
    }
    if (runs > 0 && draw(5) == 0) {
        atomic_fetch_add(&board->left_behind, 1);
        return 0;
    }
    while (wait(NULL) > 0 || errno == EINTR)
        continue;
    rest(draw(10));
    return 0;
}

/* ---- starting and killing ---- */

/* Whether the process descends from this one, or has been left to it. */
static bool is_ours(int pid)
{
    for (unsigned up = 0; up < 64 && pid > 1; up++) {
        char path[64], text[512];
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            return false;
        const size_t size = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[size] = '\0';
        const char *after = strrchr(text, ')');
        if (after == NULL || sscanf(after + 1, " %*c %d", &pid) != 1)
            return false;
        if (pid == getpid())
            return true;
    }
    return false;
}

static void kill_one_of(unsigned at)
{
    const int pid = atomic_exchange(&board->pid[at], 0);
    /* A process that was entered long ago may be gone, and its number another's. */
    if (pid > 1 && is_ours(pid) && kill(pid, SIGKILL) == 0)
        atomic_fetch_add(&board->kills, 1);
}

/* One of the latest. */
static void kill_one(void)
{
    const unsigned next = atomic_load(&board->next);
    kill_one_of((next + PIDS - 1 - draw(48)) % PIDS);
}

/* Waits for all that have ended; how many are left of the trees. */
static unsigned reap(pid_t tree[TREES])
{
    unsigned left = 0;
    pid_t pid;
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
        for (unsigned t = 0; t < TREES; t++)
            tree[t] = tree[t] == pid ? 0 : tree[t];
    }
    for (unsigned t = 0; t < TREES; t++)
        left += tree[t] != 0;
    return left;
}

static int run_and_wait(const char *const argv[])
{
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0) {
        execv(board->berth, (char *const *)argv);
        _exit(126);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* All that is left ends without help; then all slots can be acquired at once. */
static void settle(pid_t tree[TREES])
{
    for (unsigned tries = 0; reap(tree) > 0 || waitpid(-1, NULL, WNOHANG) == 0; tries++) {
        if (tries == 2000) {
            complain(&board->complaints, "after 20 s somebody is still there: stuck");
            return;
        }
        rest(10);
    }
    char all[8];
    snprintf(all, sizeof all, "p:%u", SLOTS);
    if (run_and_wait((const char *const[]){"berth", "run", "-w", "5", all, "--", "true", NULL}) !=
        0)
        complain(&board->complaints, "a slot is lost");
    unsigned tries = 0, most = remote ? 100 : 0;
    while (run_and_wait((const char *const[]){"berth", "rm", "p", NULL}) != 0) {
        if (tries++ == most) {
            complain(&board->complaints, "somebody still has the pool open");
            break;
        }
        rest(100);
    }
}

static void round_of(double seconds)
{
    pid_t tree[TREES] = {0};
    char slots[8];
    snprintf(slots, sizeof slots, "%u", 1 + draw(SLOTS));
    if (run_and_wait((const char *const[]){"berth", "run", "-j", slots, "p", "--", "true", NULL}) !=
        0)
        complain(&board->complaints, "there is no pool");
    const unsigned most = (unsigned)atoi(slots), pace = 1 + draw(30);
    struct timespec now, start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        reap(tree);
        for (unsigned t = 0; t < TREES; t++) {
            if (tree[t] == 0)
                tree[t] = start_run(0, 1 + draw(most));
        }
        if (draw(3) > 0)
            kill_one();
        rest(draw(pace));
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9 <
             seconds);
    if (draw(2) == 0) {
        for (unsigned i = 0; i < PIDS; i++)
            kill_one();
    }
    if (most < SLOTS && run_and_wait((const char *const[]){"berth", "resize", "p", "3", NULL}) != 0)
        complain(&board->complaints, "it cannot be resized");
    settle(tree);
}

static int make_board(const char *directory, const char *self, const char *berth)
{
    char path[256];
    snprintf(path, sizeof path, "%s/board", directory);
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)sizeof *board) != 0 || open_board(path) < 0)
        return -1;
    close(fd);
    snprintf(board->path, sizeof board->path, "%s", path);
    return realpath(self, board->self) != NULL && realpath(berth, board->berth) != NULL ? 0 : -1;
}

static int drive(const char *self, const char *berth, const char *where, double seconds,
                 uint64_t seed)
{
    char directory[] = "/tmp/berth-loans-XXXXXX", store[64];
    if (mkdtemp(directory) == NULL || make_board(directory, self, berth) != 0 ||
        prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        perror("berth-torture-loans");
        return 2;
    }
    snprintf(store, sizeof store, "%s/store", directory);
    mkdir(store, 0700);
    remote = where != NULL;
    setenv("BERTH_STORE", remote ? where : store, 1);
    unsetenv("BERTH_LOANS");
    dice = seed | 1;
    printf("seed %ju\n", (uintmax_t)seed);
    fflush(stdout);
    unsigned rounds = 0;
    for (double left = seconds; left > 0 && !complaint_found(&board->complaints);
         left -= 2, rounds++)
        round_of(left < 2 ? left : 2);
    printf("%u rounds, %u commands, %u in borrowed slots, %u left others behind, %u kills\n",
           rounds, atomic_load(&board->worked), atomic_load(&board->borrowed),
           atomic_load(&board->left_behind), atomic_load(&board->kills));
    if (atomic_load(&board->borrowed) == 0 || atomic_load(&board->kills) == 0)
        complain(&board->complaints, "nothing was borrowed, or nobody killed");
    const bool failed = complaint_print(&board->complaints, stdout);
    if (failed && getenv("TORTURE_KEEP") != NULL)
        return 1;                       /* so that it can be looked at */
    for (unsigned i = 0; i < PIDS; i++) /* those that are stuck */
        kill_one_of(i);
    char remove[128];
    snprintf(remove, sizeof remove, "rm -rf %s", directory);
    if (system(remove) != 0)
        perror("berth-torture-loans");
    return failed;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"berth", required_argument, NULL, 'b'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"seed", required_argument, NULL, 'r'},
                                            {"store", required_argument, NULL, 'S'},
                                            {NULL, 0, NULL, 0}};
    const char *berth = NULL, *store = NULL;
    double seconds = 6;
    uint64_t seed = (uint64_t)time(NULL) << 16 ^ (uint64_t)getpid();
    if (argc == 5 && strcmp(argv[1], "work") == 0)
        return work(argv[2], argv[3], argv[4]);
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'b')
            berth = optarg;
        else if (option == 's')
            seconds = strtod(optarg, NULL);
        else if (option == 'r')
            seed = strtoull(optarg, NULL, 10);
        else if (option == 'S')
            store = optarg;
        else
            return 2;
    }
    if (berth == NULL) {
        fprintf(stderr, "berth-torture-loans: --berth PROGRAM is missing\n");
        return 2;
    }
    return drive("/proc/self/exe", berth, store, seconds, seed);
}
