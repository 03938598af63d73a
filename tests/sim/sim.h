/*
 * A small Linux in one program, for the library to run on: processes with descriptors of their own,
 * threads, locks, futexes, mappings, signals and a clock that moves when the scheduler says so. All
 * of it happens on one real thread, and every decision comes from one source (choice.h), so that a
 * run is determined by its script and its seed. docs/SIMULATION.md has the overview.
 *
 *     memory.c     what each process sees at which address, and what it may touch
 *     tsan.c       every shared access of the library comes by here
 *     schedule.c   which thread moves; time
 *     process.c    spawn, fork, exec, kill, stop, signals, exit
 *     thread.c     the calls of <pthread.h>
 *     file.c       descriptors, open files, names
 *     lock.c       locks of open files on ranges of bytes
 *     wait.c       futexes, sleep, poll, descriptors of events and processes
 *     oracle.c     what berth.h promises, checked at each call and at each tick
 */
#ifndef BERTH_SIM_SIM_H
#define BERTH_SIM_SIM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    SIM_PROCESSES = 64,
    SIM_THREADS = 8, /* of one process */
    SIM_FDS = 64,
    SIM_FILES = 16, /* with memory of their own */
    SIM_VIEWS = 4,  /* addresses that one file can be mapped at in one process */
    SIM_INODES = 128,
    SIM_OFDS = 192,
    SIM_LOCKS = 512,
    SIM_ANONYMOUS = 32,
    SIM_KEYS = 8,
    SIM_GLOBALS = 16384,
};

#define SIM_FOREVER UINT64_MAX
#define SIM_MS UINT64_C(1000000)
#define SIM_SECOND UINT64_C(1000000000)
#define SIM_BEGINNING (1000 * SIM_SECOND) /* of CLOCK_MONOTONIC */

/* ---- files ---- */

struct sim_inode {
    bool used, directory;
    unsigned links, opens; /* names, and open files */
    unsigned mode, uid;
    size_t size;
    uint64_t number;
    int memory; /* which of the SIM_FILES, or -1 */
};

enum sim_kind { SIM_FILE, SIM_TEXT, SIM_PIDFD, SIM_NOTIFY };

/* An open file description. Descriptors refer to it, and so do mappings. */
struct sim_ofd {
    enum sim_kind kind;
    unsigned refs;
    int flags;
    struct sim_inode *inode;
    uint64_t count;      /* of what has been reported; position in a directory */
    unsigned pid, birth; /* of a process descriptor */
    int64_t position;
    uint64_t serial;           /* no two ever have the same */
    int signal;                /* F_SETSIG */
    unsigned owner;            /* F_SETOWN */
    struct sim_inode *noticed; /* of a descriptor that reports changes */
};

struct sim_fd {
    struct sim_ofd *ofd;
    bool cloexec;
};

struct sim_view {
    struct sim_ofd *ofd; /* NULL: not mapped */
    bool writable, dont_fork;
    size_t size;
};

struct sim_anonymous {
    char *at;
    size_t size;
    bool wipe, dont_fork;
};

/* ---- threads and processes ---- */

enum sim_state { SIM_NONE, SIM_READY, SIM_BLOCKED, SIM_ENDED };
enum sim_wait { SIM_ON_FUTEX, SIM_ON_SLEEP, SIM_ON_POLL, SIM_ON_JOIN, SIM_ON_LOCK, SIM_ON_MUTEX };
enum sim_woken { SIM_WOKEN, SIM_TIMED_OUT, SIM_INTERRUPTED };

struct sim_process;
struct sim_call; /* of the library: oracle.h */

struct sim_thread {
    enum sim_state state;
    struct sim_process *process;
    unsigned number; /* in its process, from 0 */
    void *sp;
    int error;         /* errno */
    const char *label; /* of the protocol's access that it is at */
    const void *last_point;
    /* waiting */
    enum sim_wait wait;
    uint64_t key, until, asleep; /* the order in which they went to sleep */
    bool interruptible;
    enum sim_woken woken;
    /* starting */
    void *(*start)(void *);
    void *argument;
    void *result;
    bool is_main;
    int forked; /* what its last fork gave */
    /* cancelling, signals, keys */
    bool can_be_cancelled; /* by sim.cancel_at */
    bool cancelled, cancel_disabled, cancel_at_once, unwinding;
    void *cleanup[16];
    unsigned cleanups;
    void *specific[SIM_KEYS];
    struct sim_call *call;
};

enum sim_life { SIM_FREE, SIM_ALIVE, SIM_DYING, SIM_ZOMBIE };

struct sim_process {
    enum sim_life life;
    unsigned pid, birth;
    const char *name;
    bool stopped, killable, keeps_zombie;
    unsigned live;    /* threads */
    bool had_threads; /* more than one, at any time */
    uint64_t continues_at;
    uint64_t tick, next_tick; /* of a periodic signal; 0: none */
    int exit_code;
    unsigned dying_fd;
    unsigned region; /* of memory; shared with those it is a fork of */
    size_t heap_used;
    char *image; /* its memory, where another one's is in the region */
    size_t image_size;
    void *frozen_sp[SIM_THREADS]; /* stacks that were inherited and nobody runs on */
    char globals[SIM_GLOBALS];
    struct sim_thread thread[SIM_THREADS];
    struct sim_fd fd[SIM_FDS];
    struct sim_view view[SIM_FILES][SIM_VIEWS];
    struct sim_anonymous anonymous[SIM_ANONYMOUS];
    unsigned keys;
    void (*key_end[SIM_KEYS])(void *);
};

struct sim_lock {
    struct sim_inode *inode;
    struct sim_ofd *ofd;
    bool exclusive;
    int64_t start, end; /* the first byte after it */
};

enum { SIM_FAULTS = 4096 };

/* System calls that can fail are counted; one of them does. */
struct sim_fault {
    unsigned at, choice; /* which one, from 1, and with which of its errors; 0: none */
    unsigned calls;
    unsigned char choices[SIM_FAULTS]; /* errors that each can give */
    unsigned birth;                    /* of the process in which one has failed; 0: none yet */
    int error;
    bool is_answered; /* a call of the library has failed because of that */
    bool over;        /* no more of them */
};

struct sim_name {
    char name[96];
    struct sim_inode *inode;
};

/* ---- the world ---- */

struct sim_world {
    uint64_t now; /* CLOCK_MONOTONIC, in nanoseconds */
    uint64_t steps, step_limit;
    int64_t slice; /* steps until somebody else may move */
    uint64_t next_timer;
    struct sim_thread *self; /* the thread that moves; NULL: the scheduler */
    struct sim_thread *last;
    unsigned births, processes; /* ever; and slots of `process` in use */
    uint64_t serials;
    void (*request)(struct sim_thread *); /* to be done while nobody moves */
    bool no_tmpfile, no_empty_path;
    bool removed_by_hand; /* a file has been */
    bool failed, verbose;
    char why[1024];
    struct sim_fault fault;
    bool cancels;                      /* programs run in threads that can be cancelled */
    unsigned cancel_at, cancel_points; /* at which cancellation point one is, from 1; 0: none */
    struct sim_process process[SIM_PROCESSES];
    struct sim_inode inode[SIM_INODES];
    struct sim_ofd ofd[SIM_OFDS];
    struct sim_lock lock[SIM_LOCKS];
    unsigned locks, ofds; /* slots of `ofd` that were ever used */
    struct sim_name name[SIM_INODES];
};
extern struct sim_world sim;

/* ---- schedule.c ---- */

enum { SIM_STEP_NS = 20, SIM_CALL_NS = 300 };

/* Before anything that others could see or change: somebody else may move here. */
void sim_point_at(const void *where);
#define SIM_POINT() sim_point_at(__builtin_return_address(0))

/* A system call is entered. */
void sim_enter(void);

/* Waits for sim_wake with this key, until the clock shows `until`. */
enum sim_woken sim_block(enum sim_wait wait, uint64_t key, uint64_t until, bool interruptible);
/* Wakes up to `most`; gives how many. */
unsigned sim_wake(enum sim_wait wait, uint64_t key, unsigned most);
void sim_interrupt(struct sim_thread *thread);       /* a signal handler has run on it */
void sim_give_way(void);                             /* the others first */
void sim_request(void (*what)(struct sim_thread *)); /* while nobody moves, do this about me */
void sim_never(void) __attribute__((noreturn));      /* the thread is over */
void sim_world_begin(void);
void sim_world_run(void);
void sim_crashes_are_caught(void); /* a real SIGSEGV is the simulated process's */

/* The run has failed: nobody moves any more. Where a thread says so, it does not return. */
void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The process does what would crash it. */
void sim_crash(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For the history. */
void sim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- fault.c ---- */

void sim_fault_begin(unsigned at, unsigned choice);
/* 0, or the error with which this call fails. */
int sim_fault(const char *call, const int *errors, unsigned count);
/* For a call that gives `result` where it fails, and the error in errno. */
#define SIM_MAY_FAIL(result, ...)                                                                  \
    do {                                                                                           \
        static const int sim_errors[] = {__VA_ARGS__};                                             \
        const int sim_error = sim_fault(__func__, sim_errors, sizeof sim_errors / sizeof(int));    \
        if (sim_error != 0) {                                                                      \
            errno = sim_error;                                                                     \
            return result;                                                                         \
        }                                                                                          \
    } while (0)

/* ---- process.c ---- */

struct sim_process *sim_spawn(const char *name, void (*program)(void *), void *argument);
struct sim_process *sim_find(unsigned pid);
/* For the programs of the simulation, in their own process. */
int sim_fork(void);
void sim_exec(const char *name, void (*program)(void *), void *argument) __attribute__((noreturn));
void sim_exit(int code) __attribute__((noreturn));
void sim_sleep(uint64_t nanoseconds);
int sim_start_thread(void *(*start)(void *), void *argument);
void sim_join_thread(int thread);
void sim_cancel_thread(int thread);
void sim_reap(unsigned pid); /* waits for the end, and takes the zombie away */
/* By the scheduler or a program, to any process. */
void sim_kill(struct sim_process *process);
void sim_stop(struct sim_process *process, uint64_t until);
void sim_continue(struct sim_process *process);
void sim_signal(struct sim_process *process);
void sim_die_a_little(struct sim_process *process); /* a step of its dying */
struct sim_thread *sim_new_thread(struct sim_process *process, void *(*start)(void *),
                                  void *argument);
void sim_end_thread(struct sim_thread *thread);

/* ---- memory.c ---- */

void sim_memory_setup(void);
void sim_memory_begin(void);
char *sim_file_memory(int memory); /* a file's bytes, for the kernel */
size_t sim_file_room(void);
void sim_file_clear(int memory);
void sim_file_grows(int memory, size_t size); /* it has had this size */
int sim_region_take(void);
void *sim_stack_top(const struct sim_thread *thread);
void sim_memory_enter(struct sim_process *process); /* before one of its threads moves */
void sim_memory_fork(struct sim_process *parent, struct sim_process *child);
void sim_memory_leave(struct sim_process *process); /* it has no memory any more */
void *sim_heap_take(size_t size, size_t alignment);
void sim_heap_free(void *block);
bool sim_heap_is_live(const void *at);
size_t sim_heap_live_blocks(void);
uint64_t sim_futex_key(const void *address);
/* How the access of the current thread is to be treated; crashes the process where it may not. */
enum sim_reach { SIM_PRIVATE, SIM_SHARED };
enum sim_reach sim_reach(const void *address, size_t size, bool writes);
void *sim_view_address(int memory, unsigned view);
bool sim_view_of(const void *address, int *memory, unsigned *view);

/* ---- file.c ---- */

void sim_files_begin(void);
struct sim_ofd *sim_ofd_new(enum sim_kind kind, struct sim_inode *inode, int flags);
void sim_ofd_drop(struct sim_ofd *ofd);
int sim_fd_new(struct sim_ofd *ofd, int from, bool cloexec);
struct sim_ofd *sim_fd_get(int fd);
void sim_process_unmap(struct sim_process *process, unsigned memory, unsigned view);
unsigned sim_open_fds(const struct sim_process *process);
unsigned sim_open_views(const struct sim_process *process);
struct sim_inode *sim_lookup(const char *name);
void sim_unlink(const char *name); /* by hand, as rm does */
void sim_notify_unlinked(struct sim_inode *inode);

/* ---- lock.c ---- */

void sim_locks_drop(struct sim_ofd *ofd);
struct flock;
int sim_lock_control(struct sim_ofd *ofd, int command, struct flock *lock);

/* ---- wait.c ---- */

void sim_poll_changed(void);

/* ---- thread.c ---- */

void sim_cancellation_point(void);
/* Where a thread that can be cancelled at any instruction is cancelled. */
void sim_cancel_if_at_once(void);

/* glibc tells by this variable whether a process has ever had a second thread. */
extern char sim___libc_single_threaded;

#endif
