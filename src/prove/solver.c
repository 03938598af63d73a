#include "prove/solver.h"

#include "prove/smt.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *prove_solver_name(enum prove_solver solver)
{
    return solver == PROVE_Z3 ? "z3" : "cvc5";
}

bool prove_solver_found(enum prove_solver solver)
{
    const char *path = getenv("PATH");
    char file[4096];
    for (const char *at = path == NULL ? "" : path; *at != '\0';) {
        const size_t length = strcspn(at, ":");
        const int used =
            snprintf(file, sizeof file, "%.*s/%s", (int)length, at, prove_solver_name(solver));
        if (length > 0 && used > 0 && (size_t)used < sizeof file && access(file, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* What is asked: about some obligations, one after the other; or about one, and what breaks it. */
struct question {
    enum prove_solver solver;
    const struct prove_obligation *obligation;
    unsigned count;
    prove_t also; /* or NULL */
    bool values;
    unsigned seconds; /* for each */
};

static bool write_question(FILE *stream, const struct question *question)
{
    if (!question->values)
        return prove_write_smt_list(stream, question->obligation, question->count, "(check-sat)");
    char check[80]; /* without the tactics that z3 would try first, it is four times as fast */
    snprintf(check, sizeof check, "(check-sat-using (try-for (then simplify smt) %u000))",
             question->seconds);
    return prove_write_smt(
        stream, question->obligation,
        &(struct prove_question){.also = question->also,
                                 .check = question->solver == PROVE_Z3 ? check : NULL,
                                 .values = true});
}

/* The question in a file without a name; -1: it could not be made. */
static int question_file(const struct question *question)
{
    const int fd = memfd_create("question", MFD_CLOEXEC);
    const int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");
    if (stream == NULL) {
        if (copy >= 0)
            close(copy);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    const bool asked = write_question(stream, question);
    const bool written = asked & (fclose(stream) == 0) && lseek(fd, 0, SEEK_SET) == 0;
    if (!written) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool start(const struct question *question, int in, int out, pid_t *pid)
{
    char limit[32], z3_limit[32];
    snprintf(limit, sizeof limit, "--tlimit-per=%u000", question->seconds);
    snprintf(z3_limit, sizeof z3_limit, "-t:%u000", question->seconds);
    char *const z3[] = {"z3", "-in", "-smt2", z3_limit, NULL};
    char *const cvc5[] = {"cvc5", "--lang=smt2", "--incremental", "-q", limit, "-", NULL};
    char *const *argv = question->solver == PROVE_Z3 ? z3 : cvc5;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    const bool started =
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) == 0 &&
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawnp(pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

/* All that the solver says; the caller frees it. NULL: nothing. */
static char *answer(int fd)
{
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text != NULL) {
        const ssize_t got = read(fd, text + used, room - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
        if (used + 1 == room) {
            char *grown = realloc(text, room *= 2);
            if (grown == NULL)
                break;
            text = grown;
        }
    }
    if (text != NULL)
        text[used] = '\0';
    return text;
}

/* What the solver says to a question that is in a file, which is closed. */
static char *converse(const struct question *question, int in)
{
    int ends[2];
    pid_t pid;
    char *text = NULL;
    if (in < 0)
        return NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        close(in);
        return NULL;
    }
    const bool started = start(question, in, ends[1], &pid);
    close(in);
    close(ends[1]);
    if (started) {
        text = answer(ends[0]);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    close(ends[0]);
    return text;
}

/* ((n 3) (|#HOLDING| 0) ((place me) 2) ...) */
static int64_t *values(struct prove_pool *pool, const char *text)
{
    int64_t *value = prove_alloc(pool, (pool->names + 64) * sizeof *value);
    const struct prove_list *list = prove_lists(pool, text);
    if (value == NULL || list == NULL)
        return NULL;
    for (const struct prove_list *each = list->first; each != NULL; each = each->next) {
        const struct prove_list *name = prove_nth(each, 0), *number = prove_nth(each, 1);
        const struct prove_list *function = prove_nth(name, 0), *of = prove_nth(name, 1);
        char applied[256];
        int64_t is;
        if (name == NULL || !prove_integer(number, &is))
            return NULL;
        if (name->atom == NULL &&
            (function == NULL || of == NULL || function->atom == NULL || of->atom == NULL))
            return NULL;
        if (name->atom == NULL)
            snprintf(applied, sizeof applied, "%s %s", function->atom, of->atom);
        value[prove_symbol(pool, name->atom == NULL ? applied : name->atom)] = is;
    }
    return value;
}

static struct prove_verdict ask(enum prove_solver solver, const struct prove_obligation *obligation,
                                prove_t also, unsigned seconds)
{
    struct prove_verdict verdict = {.answer = PROVE_UNKNOWN};
    const struct question question = {.solver = solver,
                                      .obligation = obligation,
                                      .count = 1,
                                      .also = also,
                                      .values = true,
                                      .seconds = seconds};
    char *text = converse(&question, question_file(&question));
    if (text != NULL && strncmp(text, "unsat\n", 6) == 0) {
        verdict.answer = PROVE_DISCHARGED;
    } else if (text != NULL && strncmp(text, "sat\n", 4) == 0) {
        verdict.value = values(obligation->system->pool, text + 4);
        verdict.answer = verdict.value != NULL ? PROVE_BROKEN : PROVE_UNKNOWN;
    }
    free(text);
    return verdict;
}

/* A list that some threads ask about, a few at a time. */
struct asking {
    pthread_mutex_t lock;
    const struct prove_obligations *list;
    struct question question;
    unsigned next;   /* the first that nobody has taken */
    unsigned failed; /* the first that is not discharged, so far; or their number */
};

enum { AT_ONCE = 32, ASKERS = 8 };

/* Takes some; -1: there are none left that matter. To write a question makes terms, so that only
 * one thread does it at a time. */
static int take(struct asking *asking, struct question *question, unsigned *first)
{
    int in = -1;
    pthread_mutex_lock(&asking->lock);
    if (asking->next < asking->failed) {
        const unsigned left = asking->list->count - asking->next;
        *first = asking->next;
        *question = asking->question;
        question->obligation = asking->list->all + asking->next;
        question->count = left < AT_ONCE ? left : AT_ONCE;
        if (question->obligation->kind == PROVE_AT_FIRST)
            question->count = 1; /* it assumes nothing that the others do */
        asking->next += question->count;
        in = question_file(question);
        if (in < 0)
            asking->failed = *first < asking->failed ? *first : asking->failed;
    }
    pthread_mutex_unlock(&asking->lock);
    return in;
}

static void *ask_some(void *context)
{
    struct asking *asking = context;
    struct question question;
    unsigned first;
    for (int in; (in = take(asking, &question, &first)) >= 0;) {
        unsigned discharged = 0;
        char *text = converse(&question, in);
        for (const char *at = text;
             at != NULL && discharged < question.count && strncmp(at, "unsat\n", 6) == 0; at += 6)
            discharged++;
        free(text);
        pthread_mutex_lock(&asking->lock);
        if (discharged < question.count && first + discharged < asking->failed)
            asking->failed = first + discharged;
        pthread_mutex_unlock(&asking->lock);
    }
    return NULL;
}

unsigned prove_ask_all(enum prove_solver solver, const struct prove_obligations *list,
                       unsigned seconds)
{
    struct asking asking = {.lock = PTHREAD_MUTEX_INITIALIZER,
                            .list = list,
                            .question = {.solver = solver, .seconds = seconds},
                            .failed = list->count};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t thread[ASKERS];
    unsigned threads = 0;
    while (threads + 1 < ASKERS && (long)threads + 1 < cores &&
           pthread_create(&thread[threads], NULL, ask_some, &asking) == 0)
        threads++;
    ask_some(&asking);
    while (threads > 0)
        pthread_join(thread[--threads], NULL);
    return asking.failed;
}

struct prove_verdict prove_ask(enum prove_solver solver, const struct prove_obligation *obligation,
                               unsigned seconds)
{
    struct prove_pool *pool = obligation->system->pool;
    if ((prove_is_true(obligation->goal) && obligation->for_all == NULL) ||
        obligation->assume->op == PROVE_FALSE)
        return (struct prove_verdict){.answer = PROVE_DISCHARGED};
    struct prove_verdict verdict = ask(solver, obligation, NULL, seconds);
    for (int64_t n = 1; verdict.answer == PROVE_BROKEN && n < verdict.value[obligation->system->n];
         n++) {
        prove_t few =
            prove_le(pool, prove_variable(pool, obligation->system->n), prove_number(pool, n));
        const struct prove_verdict smaller = ask(solver, obligation, few, seconds);
        if (smaller.answer == PROVE_BROKEN)
            return smaller;
        if (n == 8)
            break;
    }
    return verdict;
}
