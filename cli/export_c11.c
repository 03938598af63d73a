/*
 * The native text of a protocol as one C11 file, with a client: threads that go through the
 * critical section and check that they are alone. It includes nothing but headers of C and
 * pthreads, so that tools that check C programs under weak memory orders can read it (docs/C11.md).
 *
 * The preprocessor of the machine's compiler takes the notation out. It finds no headers of C, but
 * empty files of their names: so their names stay in the text, which includes them itself.
 */
#include "export.h"
#include "own_file.h"

#include "protocol/own.h"
#include "protocol/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const c_headers[] = {"stdatomic.h", "stdbool.h", "stddef.h", "stdint.h",
                                        "stdlib.h",    "string.h",  "limits.h", "assert.h"};

/* Waiting is looking again: a tool knows such loops. */
static const char backoff[] = "#define os_wait(cell, seen, round) ((void)(seen), (void)(round))\n"
                              "#define os_relax_again(round) ((void)(round))\n";

enum { MOST_FILES = 512 };

struct
    folder { /* a temporary one, and what has been put there, the folders before what is in them */
    char path[64];
    char *made[MOST_FILES];
    unsigned count;
};

/* Adds the file `name`, and the folders that it is in. */
static bool put(struct folder *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", folder->path, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    for (char *slash = path + strlen(folder->path) + 1; (slash = strchr(slash, '/')) != NULL;
         slash++) {
        *slash = '\0';
        if (mkdir(path, 0700) == 0 && folder->count < MOST_FILES)
            folder->made[folder->count++] = strdup(path);
        *slash = '/';
    }
    FILE *file = fopen(path, "we");
    if (file == NULL || folder->count == MOST_FILES)
        return false;
    folder->made[folder->count++] = strdup(path);
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

static void empty(struct folder *folder)
{
    while (folder->count > 0) {
        char *path = folder->made[--folder->count];
        if (path != NULL && unlink(path) != 0)
            rmdir(path);
        free(path);
    }
    rmdir(folder->path);
}

/* What the compiler is to find in place of the headers of C; and the source, if it is in the
 * catalogue. */
static bool fill(struct folder *folder)
{
    snprintf(folder->path, sizeof folder->path, "/tmp/berth-c11.XXXXXX");
    if (mkdtemp(folder->path) == NULL)
        return false;
    bool filled = put(folder, "c/os/backoff.h", backoff);
    for (size_t h = 0; h < sizeof c_headers / sizeof c_headers[0]; h++) {
        char name[64];
        snprintf(name, sizeof name, "c/%s", c_headers[h]);
        filled = filled && put(folder, name, "");
    }
    for (size_t s = 0; s < protocol_sources_count && protocol_own.path == NULL; s++) {
        const struct text_file *source = &protocol_sources[s];
        if (strstr(source->path, "..") == NULL)
            filled = filled && put(folder, source->path, source->text);
    }
    return filled;
}

/* Runs the preprocessor; its output is in the folder's file "text". */
static bool preprocess(const struct folder *folder, const char *headers, const char *source)
{
    const char *given = getenv("CC"), *compiler = given != NULL && *given != '\0' ? given : "cc";
    char stubs[PATH_MAX], sources[PATH_MAX], output[PATH_MAX];
    snprintf(stubs, sizeof stubs, "-I%s/c", folder->path);
    snprintf(sources, sizeof sources, "-I%s/src", folder->path);
    snprintf(output, sizeof output, "%s/text", folder->path);
    char include[PATH_MAX];
    snprintf(include, sizeof include, "-I%.*s", PATH_MAX - 8, headers);
    const char *arguments[] = {
        compiler, "-E",    "-P",    "-std=c11", "-nostdinc", "-DSTEP_NATIVE", "-DSTEP_EMBEDDED",
        stubs,    include, sources, source,     "-o",        output,          NULL};
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, compiler, NULL, NULL, (char **)(uintptr_t)arguments, environ) != 0)
        return false;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void put_heading(const char *name, const struct step_params *params)
{
    printf(
        "/*\n"
        " * %s, n = %u, l = %u: written by berth check --export c11.\n"
        " *\n"
        " * cc -std=gnu11 -pthread, or a tool that checks C programs under weak memory orders. Every\n"
        " * access has the order BERTH_ORDER: memory_order_seq_cst unless -DBERTH_ORDER=... says\n"
        " * otherwise. -DBERTH_ROUNDS=2 lets each thread in twice.\n"
        " */\n",
        name, (unsigned)params->n, (unsigned)params->l);
    for (size_t h = 0; h < sizeof c_headers / sizeof c_headers[0]; h++)
        printf("#include <%s>\n", c_headers[h]);
    printf("#include <pthread.h>\n\n"
           "#ifndef BERTH_ROUNDS\n#define BERTH_ROUNDS 1\n#endif\n"
           "#ifdef BERTH_ORDER /* of loads, stores, and both at once */\n"
           "#define BERTH_ORDER_OF(strong, weak) \\\n"
           "    (BERTH_ORDER == memory_order_relaxed ? memory_order_relaxed : \\\n"
           "     BERTH_ORDER == memory_order_seq_cst ? memory_order_seq_cst : (weak))\n"
           "#undef atomic_load\n#undef atomic_store\n"
           "#undef atomic_compare_exchange_strong\n#undef atomic_compare_exchange_weak\n"
           "#define atomic_load(cell) \\\n"
           "    atomic_load_explicit(cell, BERTH_ORDER_OF(0, memory_order_acquire))\n"
           "#define atomic_store(cell, value) \\\n"
           "    atomic_store_explicit(cell, value, BERTH_ORDER_OF(0, memory_order_release))\n"
           "#define atomic_compare_exchange_strong(cell, old, value) \\\n"
           "    atomic_compare_exchange_strong_explicit( \\\n"
           "        cell, old, value, BERTH_ORDER_OF(0, memory_order_acq_rel), \\\n"
           "        BERTH_ORDER_OF(0, memory_order_acquire))\n"
           "#define atomic_compare_exchange_weak(cell, old, value) \\\n"
           "    atomic_compare_exchange_strong(cell, old, value)\n"
           "#endif\n\n");
}

static void put_client(const struct step_params *params)
{
    printf("\n/* ---- the client ---- */\n\n"
           "static struct step_shared berth_shared;\n"
           "static const struct step_params berth_params = {\n"
           "    .n = %u, .l = %u, .k = %u, .variant = %u, .limit = %u};\n",
           (unsigned)params->n, (unsigned)params->l, (unsigned)params->k, params->variant,
           (unsigned)params->limit);
    printf(params->l == 1
               ? "static volatile int berth_inside; /* not atomic: a lock orders its accesses */\n"
               : "static _Atomic(int) berth_inside;\n");
    printf(
        "\nstatic void *berth_thread(void *number)\n{\n"
        "    const word me = (word)(uintptr_t)number;\n"
        "    struct step_local local = {0};\n"
        "    for (int round = 0; round < BERTH_ROUNDS; round++) {\n"
        "        if (step_acquire(&berth_shared, &local, &berth_params, me) == STEP_TO_REMAINDER)\n"
        "            continue;\n");
    if (params->l == 1)
        printf("        berth_inside = (int)me + 1;\n"
               "        assert(berth_inside == (int)me + 1);\n");
    else
        printf(
            "        const int inside =\n"
            "            1 + atomic_fetch_add_explicit(&berth_inside, 1, memory_order_relaxed);\n"
            "        assert(inside <= %u);\n"
            "        atomic_fetch_sub_explicit(&berth_inside, 1, memory_order_relaxed);\n",
            (unsigned)params->l);
    printf("        step_exit(&berth_shared, &local, &berth_params, me);\n"
           "    }\n    return NULL;\n}\n\n"
           "int main(void)\n{\n"
           "    pthread_t thread[%u];\n",
           (unsigned)params->n);
}

static void put_main(const struct step_params *params, bool has_initial)
{
    if (has_initial)
        printf("    step_set_initial(&berth_params, &berth_shared);\n");
    printf("    for (uintptr_t i = 0; i < %u; i++) {\n"
           "        if (pthread_create(&thread[i], NULL, berth_thread, (void *)i) != 0)\n"
           "            abort();\n    }\n"
           "    for (int i = 0; i < %u; i++)\n"
           "        pthread_join(thread[i], NULL);\n"
           "    return 0;\n}\n",
           (unsigned)params->n, (unsigned)params->n);
}

/* What the exported text cannot have: it is alone, and nobody dies in it. NULL: nothing of it. */
static const char *refuse(const struct protocol_choice *choice, const struct step_params *params,
                          const struct check_model *check)
{
    if (check->supervisors > 0)
        return "a supervisor is no thread that enters";
    if (check->has_choice)
        return "it makes choices, which the program around it would have to make";
    if (check->one_variable)
        return "all of its variables are one, which is no C11 atomic";
    if (check->clash != NULL || choice->protocol->is_object)
        return "it is not a lock that the client could test";
    if (params->fault == STEP_FAULT_KILL)
        return "it asks whether a process is alive";
    if (params->memory != STEP_SC || params->registers != STEP_ATOMIC)
        return "the tool that reads it has its own memory model";
    return NULL;
}

/* Copies the preprocessor's output; *has_initial: it has an INITIAL section. */
static bool copy_text(const struct folder *folder, bool *has_initial)
{
    char path[PATH_MAX], *line = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/text", folder->path);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (getline(&line, &size, file) > 0) {
        *has_initial |= strstr(line, "step_set_initial(") != NULL;
        fputs(line, stdout);
    }
    free(line);
    fclose(file);
    unlink(path);
    return true;
}

int cli_export_c11(const struct protocol_choice *choice, const struct step_params *params,
                   const struct check_model *check)
{
    static struct folder folder;
    char headers[PATH_MAX], source[PATH_MAX], name[128];
    const char *refusal = refuse(choice, params, check);
    protocol_full_name(choice, name, sizeof name);
    if (refusal != NULL)
        return cli_error(CLI_USAGE, "%s cannot be exported as C11: %s", name, refusal);
    if (!cli_own_folder("include", headers, sizeof headers))
        return cli_error(CLI_FAILED, "the headers of the notation are not installed beside berth");
    bool has_initial = false, done = fill(&folder);
    if (protocol_own.path != NULL)
        snprintf(source, sizeof source, "%s", protocol_own.path);
    else
        snprintf(source, sizeof source, "%s/%s", folder.path, choice->protocol->file);
    done = done && preprocess(&folder, headers, source);
    if (done) {
        put_heading(name, params);
        done = copy_text(&folder, &has_initial);
        put_client(params);
        put_main(params, has_initial);
    }
    empty(&folder);
    return done ? cli_flush(CLI_OK)
                : cli_error(CLI_FAILED, "the C compiler could not read %s", name);
}
