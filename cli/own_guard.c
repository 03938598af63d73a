/*
 * Running the code of a file that has not been reviewed. An index outside of an array and a loop
 * without an access end in an error that names the process and the line, not in a wrong answer, a
 * crash or a command that never ends.
 *
 * The model expansion is compiled with -fsanitize=bounds; the function that it calls is here, so
 * that no sanitizer runtime is needed. A thread that spends seconds of its own time within one call
 * is in a loop: a watchdog sends it a signal. Both leave the call by siglongjmp. That is safe: the
 * code of a model allocates nothing, takes no lock and calls nothing (docs/CHECKER.md).
 *
 * What a step does depends on the state alone. The first states are expanded twice, with other
 * bytes on the stack, and once more after another state: a variable that has no value, or that
 * outlives a step, shows as a difference.
 */
#include "own_file.h"

#ifdef BERTH_LAB

#include "cli.h"

#include "os/backoff.h"
#include "protocol/own.h"
#include "step/frame.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 512, LOOK_MS = 100, REMEMBERED = 16 };
#define PATIENCE_S 0.5 /* of its own time; a step takes microseconds */

/* A thread that has called the model. `calls` is odd while it is in a call. */
struct guarded {
    pthread_t thread;
    bool used;
    _Atomic(uint64_t) calls;
    uint64_t suspect; /* the call that it was in when the watchdog looked; 0: none */
    double since;     /* and its time then */
};

static struct guarded threads[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static _Thread_local struct guarded *mine;
static _Thread_local sigjmp_buf *point; /* where to leave the call to; NULL: it is not guarded */
static _Thread_local char reason[256];

static const struct protocol_model *original;
static struct check_model raw; /* the callbacks of the original */

/* Moves that were left: to find out again that there is a loop would take as long as the first
 * time. */
static struct {
    uint64_t state[CHECK_MAX_WORDS];
    unsigned n; /* of the model that it is a state of */
    unsigned edge;
    struct check_note note;
    char reason[sizeof reason];
} remembered[REMEMBERED];
static _Atomic(unsigned) remember_count;

static void remember(const struct check_model *model, const uint64_t *state, unsigned edge,
                     const struct check_note *note)
{
    pthread_mutex_lock(&lock);
    const unsigned count = atomic_load(&remember_count);
    if (count < REMEMBERED) {
        memcpy(remembered[count].state, state, model->words * sizeof *state);
        memcpy(remembered[count].reason, reason, sizeof reason);
        remembered[count].n = model->n;
        remembered[count].edge = edge;
        remembered[count].note = *note;
        atomic_store(&remember_count, count + 1);
    }
    pthread_mutex_unlock(&lock);
}

/* Whether this move, or with `edge` UINT32_MAX any from the state, is known to be left. */
static bool is_remembered(const struct check_model *model, const uint64_t *state, unsigned edge,
                          struct check_note *note)
{
    const unsigned count = atomic_load_explicit(&remember_count, memory_order_acquire);
    for (unsigned r = 0; r < count; r++) {
        if (model->n == remembered[r].n && (edge == UINT32_MAX || edge == remembered[r].edge) &&
            check_same_state(remembered[r].state, state, model->words)) {
            memcpy(reason, remembered[r].reason, sizeof reason);
            if (note != NULL)
                *note = remembered[r].note;
            return true;
        }
    }
    return false;
}

/* ---- leaving a call ---- */

static _Noreturn void leave(void)
{
    if (point != NULL)
        siglongjmp(*point, 1);
    fprintf(stderr, "berth: %s\n", reason); /* a section over whole states has no step to name */
    _exit(CLI_USAGE);
}

/* What the compilers call; the layout is that of the undefined behaviour sanitizer. */
struct location {
    const char *file;
    uint32_t line, column;
};
struct out_of_bounds {
    struct location at;
    const void *array, *index;
};
void __ubsan_handle_out_of_bounds(void *known, void *index); /* the types that gcc has for it */
void __ubsan_handle_out_of_bounds(void *known, void *index)
{
    const struct out_of_bounds *data = known;
    snprintf(reason, sizeof reason, "uses index %lld, which is outside of the array, in %s line %u",
             (long long)(intptr_t)index, data->at.file, data->at.line);
    leave();
}

static void on_signal(int number)
{
    (void)number;
    if (mine == NULL || point == NULL || atomic_load(&mine->calls) != mine->suspect)
        return; /* it has left the call in the meantime */
    snprintf(reason, sizeof reason,
             "does not come to its next access: there is a loop without one in its local work");
    siglongjmp(*point, 1);
}

/* ---- the watchdog ---- */

static double time_of(pthread_t thread)
{
    clockid_t clock;
    struct timespec now;
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &now) != 0)
        return 0;
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void look_at(struct guarded *guarded)
{
    const uint64_t calls = atomic_load(&guarded->calls);
    if (calls % 2 == 0) {
        guarded->suspect = 0;
    } else if (guarded->suspect != calls) {
        guarded->suspect = calls;
        guarded->since = time_of(guarded->thread);
    } else if (time_of(guarded->thread) - guarded->since > PATIENCE_S) {
        pthread_kill(guarded->thread, SIGRTMIN + 5);
    }
}

static void *watch(void *unused)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&lock);
        for (unsigned t = 0; t < THREADS; t++) {
            if (threads[t].used)
                look_at(&threads[t]);
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void release(void *slot)
{
    pthread_mutex_lock(&lock);
    ((struct guarded *)slot)->used = false;
    pthread_mutex_unlock(&lock);
}

static void begin(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
    pthread_t watchdog;
    sigset_t all, before;
    sigemptyset(&action.sa_mask);
    sigfillset(&all);
    if (pthread_key_create(&key, release) != 0 || sigaction(SIGRTMIN + 5, &action, NULL) != 0)
        return;
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the others */
    if (pthread_create(&watchdog, NULL, watch, NULL) == 0)
        pthread_detach(watchdog);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A slot for this thread; without one, it is not watched. */
static void claim(void)
{
    static _Thread_local bool tried;
    if (tried)
        return;
    tried = true;
    pthread_once(&once, begin);
    pthread_mutex_lock(&lock);
    for (unsigned t = 0; t < THREADS && mine == NULL; t++) {
        if (threads[t].used)
            continue;
        threads[t].used = true;
        threads[t].thread = pthread_self();
        threads[t].suspect = 0;
        mine = &threads[t];
    }
    pthread_mutex_unlock(&lock);
    if (mine != NULL)
        pthread_setspecific(key, mine);
}

/* ---- calls ---- */

static inline void enter(sigjmp_buf *here)
{
    if (mine == NULL)
        claim();
    point = here;
    if (mine != NULL)
        atomic_store_explicit(&mine->calls, (mine->calls + 1) | 1, memory_order_relaxed);
}

static inline void done(void)
{
    if (mine != NULL)
        atomic_store_explicit(&mine->calls, mine->calls + 1, memory_order_relaxed);
    point = NULL;
}

/* ---- the same twice ---- */

enum { EXPANDED_TWICE = 4000, STACK = 1 << 16 };

static _Atomic(unsigned) expanded; /* states of the model that was made last */

/* Leaves `pattern` where the next call has its variables. */
static __attribute__((noinline)) void scribble(int pattern)
{
    unsigned char below[STACK];
    memset(below, pattern, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

/* The first edge along which two expansions of a state differ; UINT32_MAX: there is none. */
static unsigned differing_edge(const struct check_model *model, const struct check_moves *a,
                               const uint64_t *out_a, const struct check_moves *b,
                               const uint64_t *out_b)
{
    for (unsigned e = 0; e < model->n * model->kinds && !a->error && !b->error; e++) {
        const bool changes = a->change >> e & 1;
        if (((a->exist ^ b->exist) >> e & 1) || changes != (b->change >> e & 1) ||
            (changes &&
             !check_same_state(out_a + e * model->words, out_b + e * model->words, model->words)))
            return e;
    }
    return a->error != b->error ? 0 : UINT32_MAX;
}

/* Whether expanding `state` again leads elsewhere; then the move is remembered as one that must not
 * be made. */
static bool leads_elsewhere(const struct check_model *model, const uint64_t *state,
                            const struct check_moves *moves, const uint64_t *out, int pattern)
{
    static _Thread_local uint64_t again[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    uint64_t next[CHECK_MAX_WORDS];
    struct check_note note = {.label = "", .cell = -1};
    scribble(pattern);
    const struct check_moves second = raw.expand(model, state, again);
    const unsigned edge = differing_edge(model, moves, out, &second, again);
    if (edge == UINT32_MAX)
        return false;
    raw.describe(model, state, edge, next, &note);
    note.cell = -1;
    snprintf(reason, sizeof reason,
             "does not do the same twice: a variable has no value there, or is no part of the "
             "state");
    remember(model, state, edge, &note);
    return true;
}

/* The second of the other expansions comes after that of another state. */
static bool is_fickle(const struct check_model *model, const uint64_t *state,
                      const struct check_moves *moves, const uint64_t *out)
{
    static _Thread_local uint64_t other[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    uint64_t initial[CHECK_MAX_WORDS];
    if (atomic_fetch_add(&expanded, 1) >= EXPANDED_TWICE)
        return false;
    if (leads_elsewhere(model, state, moves, out, 0))
        return true;
    model->initial(model, initial);
    raw.expand(model, initial, other);
    return leads_elsewhere(model, state, moves, out, 0xaa);
}

static struct check_moves expand(const struct check_model *model, const uint64_t *state,
                                 uint64_t *out)
{
    sigjmp_buf here;
    if (is_remembered(model, state, UINT32_MAX, NULL))
        return (struct check_moves){.error = true};
    if (sigsetjmp(here, 0) != 0) {
        done();
        return (struct check_moves){.error = true};
    }
    enter(&here);
    struct check_moves moves = raw.expand(model, state, out);
    if (atomic_load_explicit(&expanded, memory_order_relaxed) < EXPANDED_TWICE)
        moves.error |= is_fickle(model, state, &moves, out);
    done();
    return moves;
}

static bool describe(const struct check_model *model, const uint64_t *state, unsigned edge,
                     uint64_t *out, struct check_note *note)
{
    sigjmp_buf here;
    if (is_remembered(model, state, edge, note)) {
        note->slip = reason;
        return false;
    }
    if (sigsetjmp(here, 0) != 0) {
        done();
        note->slip = reason;
        note->cell = -1; /* a place in the frame, as yet */
        remember(model, state, edge, note);
        return false;
    }
    enter(&here);
    const bool made = raw.describe(model, state, edge, out, note);
    done();
    return made;
}

/* Two accesses may have one label only if no run makes both: a walk finds out. NULL, or what is
 * wrong, in model->error. */
static const char *find_label_twice(struct step_model *model)
{
    enum { STEPS = 20000, LABELS = 128 };
    static struct {
        const char *label;
        unsigned line;
    } seen[LABELS];
    const struct check_model *check = &model->check;
    uint64_t state[CHECK_MAX_WORDS], next[CHECK_MAX_WORDS], random = 1;
    unsigned count = 0;
    check->initial(check, state);
    for (unsigned s = 0; s < STEPS; s++) {
        struct check_note note = {.label = ""};
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const unsigned edge = (unsigned)(random >> 33) % (check->n * check->kinds);
        if (!check->describe(check, state, edge, next, &note) || note.file == NULL)
            continue;
        memcpy(state, next, check->words * sizeof *state);
        unsigned i = 0;
        while (i < count && strcmp(seen[i].label, note.label) != 0)
            i++;
        if (i == count && count < LABELS) {
            seen[count].label = note.label;
            seen[count++].line = note.line;
        } else if (i < count && seen[i].line != note.line) {
            snprintf(model->error, sizeof model->error,
                     "two accesses are labelled %s, in lines %u and %u", note.label, seen[i].line,
                     note.line);
            model->wrong = true;
            return model->error;
        }
    }
    return NULL;
}

const char *cli_own_make(struct step_model *model, const struct step_params *params)
{
    sigjmp_buf here;
    if (sigsetjmp(here, 0) != 0) {
        done();
        model->wrong = true;
        return reason;
    }
    enter(&here);
    const char *error = original->make(model, params);
    done();
    if (error != NULL)
        return error;
    raw = model->check;
    atomic_store(&expanded, 0);
    model->check.expand = expand;
    model->check.describe = describe;
    return protocol_labels_twice(original) ? find_label_twice(model) : NULL;
}

/* What sections over states ask about has to be there. */
void berth_own_process(uint64_t p, uint64_t n, const char *file, unsigned line);
void berth_own_process(uint64_t p, uint64_t n, const char *file, unsigned line)
{
    snprintf(reason, sizeof reason, "%s, line %u: asks about process %lld, and there are %llu",
             file, line, (long long)p, (unsigned long long)n);
    leave();
}
void berth_own_element(const char *name, const char *file, unsigned line);
void berth_own_element(const char *name, const char *file, unsigned line)
{
    snprintf(reason, sizeof reason, "%s, line %u: %s has an index outside of the array", file, line,
             name);
    leave();
}

/* The native expansion waits by way of the program. */
void berth_own_yield(void);
void berth_own_yield(void)
{
    os_yield();
}
void berth_own_wait(_Atomic(uint64_t) *cell, uint64_t seen, unsigned round);
void berth_own_wait(_Atomic(uint64_t) *cell, uint64_t seen, unsigned round)
{
    os_wait_slowly(cell, seen, round);
}

void cli_own_guard(const struct protocol_model *model, struct protocol_model *guarded)
{
    original = model;
    *guarded = *model;
    guarded->make = cli_own_make;
}

#endif
