/*
 * From a protocol file to a shared object. What the object is called is a hash of everything that
 * it is made from: the text after the preprocessor, in both expansions, the compiler and its flags,
 * and the command itself. So an object that is there already is the right one, whatever was edited
 * in between.
 */
#include "cli.h"
#include "check_gpu.h"
#include "own_file.h"

#include "own_text.h"

#include "notation/faults.h"
#include "os/places.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

extern char **environ;

enum { MOST_ARGUMENTS = 64, KEPT_DAYS = 30 };

/*
 * -O2 is needed: some slips are found by what the compiler learns about the flow of the code. A
 * variable of a section does not live from one step to the next; the first group of warnings finds
 * those that are expected to. Indices are looked at while the model runs (own_guard.c).
 */
static const char *const flags[] = {
    "-std=gnu17",
    "-O2",
    "-fPIC",
    "-D_GNU_SOURCE=",
    "-DSTEP_OWN",
    "-Wall",
    "-Wno-unused-label",
    "-Wno-unused-function",
    "-Wno-implicit-fallthrough",
    "-Wno-unused-but-set-variable",
    "-Wno-switch-unreachable",
    "-Werror=uninitialized",
    "-Werror=implicit-function-declaration",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Werror=return-type",
    "-Werror=overflow",
    "-Werror=switch",
    "-Werror=discarded-qualifiers",
};
static const char *const model_flags[] = {"-DSTEP_MODEL", "-fsanitize=bounds",
                                          "-fsanitize-recover=bounds"};
static const char *const native_flags[] = {"-DSTEP_NATIVE", "-w"};
static const char *const text_flags[] = {
    "-std=gnu17", "-D_GNU_SOURCE=", "-DSTEP_OWN", "-DSTEP_TEXT", "-w", "-E"};
/* What only one of the compilers knows. */
static const char *const gcc_flags[] = {"-Werror=maybe-uninitialized", "-Werror=jump-misses-init",
                                        "-Werror=switch-outside-range"};
static const char *const clang_flags[] = {
    "-Werror=sometimes-uninitialized", "-Werror=conditional-uninitialized", "-fno-finite-loops",
    "-Wno-unused-command-line-argument", "-Wno-unknown-warning-option"};

struct build {
    char compiler[PATH_MAX];
    bool is_clang;
    char headers[PATH_MAX], folder[PATH_MAX]; /* what is included; where files are made */
    bool keeps;                               /* the folder is the cache */
    const char *source;
};

struct arguments {
    char *list[MOST_ARGUMENTS];
    unsigned count;
};

static void add(struct arguments *arguments, const char *argument)
{
    if (arguments->count + 1 < MOST_ARGUMENTS) /* the tables above are all there is */
        arguments->list[arguments->count++] = (char *)(uintptr_t)argument;
}

#define ADD_ALL(arguments, table)                                                                  \
    for (size_t f = 0; f < sizeof(table) / sizeof((table)[0]); f++)                                \
    add(arguments, (table)[f])

/* ---- running the compiler ---- */

/* Starts it with its standard output, and its standard error if `quiet`, in `output` (NULL:
 * nowhere). */
static bool start(char *const *arguments, const char *output, bool quiet, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output == NULL ? "/dev/null" : output,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (quiet)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    const int error = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error == 0;
}

static bool finish(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* $CC, or the first of cc, gcc and clang that is there. */
static bool find_compiler(struct build *build)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *given = getenv("CC");
    char version[PATH_MAX], text[256] = "";
    snprintf(version, sizeof version, "%.*s/version.%d", PATH_MAX - 64, build->folder,
             (int)getpid());
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) {
        const char *name = given != NULL && *given != '\0' ? given : names[i];
        char *arguments[] = {(char *)(uintptr_t)name, "--version", NULL};
        pid_t pid;
        found = start(arguments, version, false, &pid) && finish(pid);
        snprintf(build->compiler, sizeof build->compiler, "%s", name);
        if (given != NULL && *given != '\0')
            break;
    }
    FILE *file = fopen(version, "re");
    if (file != NULL) {
        if (fgets(text, sizeof text, file) == NULL)
            text[0] = '\0';
        fclose(file);
    }
    unlink(version);
    build->is_clang = strstr(text, "clang") != NULL;
    return found;
}

static void compile_arguments(const struct build *build, struct arguments *arguments, bool model,
                              const char *include)
{
    *arguments = (struct arguments){0};
    add(arguments, build->compiler);
    ADD_ALL(arguments, flags);
    if (build->is_clang)
        ADD_ALL(arguments, clang_flags);
    else
        ADD_ALL(arguments, gcc_flags);
    if (model)
        ADD_ALL(arguments, model_flags);
    else
        ADD_ALL(arguments, native_flags);
    add(arguments, "-I");
    add(arguments, include);
}

/* ---- the name of the object ---- */

static bool hash_file(XXH3_state_t *state, const char *path)
{
    char buffer[1 << 16];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        XXH3_128bits_update(state, buffer, got);
    const bool whole = !ferror(file);
    fclose(file);
    return whole;
}

static bool hash_command(XXH3_state_t *state)
{
    struct stat self;
    if (stat("/proc/self/exe", &self) != 0)
        return false;
    XXH3_128bits_update(state, BERTH_VERSION, strlen(BERTH_VERSION));
    XXH3_128bits_update(state, &self.st_size, sizeof self.st_size);
    XXH3_128bits_update(state, &self.st_mtim, sizeof self.st_mtim);
    return true;
}

/* Runs the preprocessor over both expansions; the messages of the first are the user's to read. */
static int name_object(const struct build *build, char *object, size_t size)
{
    struct arguments arguments;
    char text[2][PATH_MAX];
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    bool done = hash_command(&state);
    for (unsigned e = 0; e < 2 && done; e++) {
        pid_t pid;
        snprintf(text[e], sizeof text[e], "%.*s/text.%d.%u", PATH_MAX - 64, build->folder,
                 (int)getpid(), e);
        compile_arguments(build, &arguments, e == 0, build->headers);
        add(&arguments, "-E");
        add(&arguments, build->source);
        for (unsigned a = 0; a < arguments.count; a++)
            XXH3_128bits_update(&state, arguments.list[a], strlen(arguments.list[a]) + 1);
        done = start(arguments.list, text[e], false, &pid) && finish(pid) &&
               hash_file(&state, text[e]);
        unlink(text[e]);
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    snprintf(object, size, "%s/%016llx%016llx.so", build->folder, (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    return done ? CLI_OK : cli_error(CLI_USAGE, "%s does not compile", build->source);
}

/* ---- folders ---- */

bool cli_own_folder(const char *name, char *path, size_t size)
{
    char self[PATH_MAX], found[PATH_MAX];
    if (!os_places_self(self) || !os_places_find(self, OS_PLACE_DATA, name, found))
        return false;
    const int written = snprintf(path, size, "%s", found);
    return written > 0 && (size_t)written < size;
}

/* Whether no other user but root can put another file into the place of what lies in the folder; in
 * one with the sticky bit, such as /tmp, only those whose it is can. */
static bool is_kept(const char *folder)
{
    struct stat status;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
           (status.st_uid == geteuid() || status.st_uid == 0) &&
           ((status.st_mode & 022) == 0 || (status.st_mode & S_ISVTX) != 0);
}

/* The same of each folder on the way from the root to `folder`. */
static bool is_kept_on_the_way(const char *folder)
{
    char *path = realpath(folder, NULL);
    bool kept = path != NULL && is_kept("/");
    for (char *slash = path; kept && slash != NULL;) {
        slash = strchr(slash + 1, '/');
        if (slash != NULL)
            *slash = '\0';
        kept = is_kept(path);
        if (slash != NULL)
            *slash = '/';
    }
    free(path);
    return kept;
}

/* Code is loaded from there: no other user may be able to write into it, or to rename it. With
 * sudo, which keeps HOME, the home is another user's. */
static bool is_ours(const char *folder)
{
    struct stat status;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 022) == 0 && access(folder, W_OK) == 0 && is_kept_on_the_way(folder);
}

/* The cache of the user, or else a folder for this run alone. */
static bool find_folder(struct build *build)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    char base[PATH_MAX - 64] = "";
    if (cache != NULL && cache[0] == '/')
        snprintf(base, sizeof base, "%s", cache);
    else if (home != NULL && home[0] == '/')
        snprintf(base, sizeof base, "%s/.cache", home);
    if (base[0] != '\0') {
        mkdir(base, 0700); /* what matters is whether it is there afterwards */
        snprintf(build->folder, sizeof build->folder, "%s/berth", base);
        mkdir(build->folder, 0700);
        build->keeps = is_ours(build->folder);
    }
    if (build->keeps)
        return true;
    const char *temporary = secure_getenv("TMPDIR");
    snprintf(build->folder, sizeof build->folder, "%.*s/berth-lab.XXXXXX", PATH_MAX - 64,
             temporary != NULL && is_kept_on_the_way(temporary) ? temporary : "/tmp");
    return mkdtemp(build->folder) != NULL;
}

/* Removes objects that have not been used for a while. */
static void prune(const struct build *build)
{
    DIR *folder = opendir(build->folder);
    const time_t then = time(NULL) - (time_t)KEPT_DAYS * 24 * 3600;
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct stat status;
        if (entry->d_name[0] != '.' &&
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode) && status.st_mtime < then)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
}

/* ---- the file as text ---- */

static char *read_whole(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

char *cli_own_text(const char *path, char *headers, size_t size)
{
    struct build build = {.source = path};
    struct arguments arguments = {0};
    char output[PATH_MAX];
    pid_t pid;
    char *text = NULL;
    if (!cli_own_folder("include", build.headers, sizeof build.headers) || !find_folder(&build))
        return NULL;
    snprintf(headers, size, "%s", build.headers);
    snprintf(output, sizeof output, "%.*s/words.%d", PATH_MAX - 64, build.folder, (int)getpid());
    if (find_compiler(&build)) {
        add(&arguments, build.compiler);
        ADD_ALL(&arguments, text_flags);
        add(&arguments, "-I");
        add(&arguments, build.headers);
        add(&arguments, path);
        if (start(arguments.list, output, false, &pid) && finish(pid))
            text = read_whole(output);
        unlink(output);
    }
    if (!build.keeps)
        rmdir(build.folder);
    return text;
}

/* Looks for what the compiler does not see, and the checker could not know. */
static int look_at_text(const char *path)
{
    struct cli_own_reading reading;
    struct notation_fault fault;
    int status = cli_own_read(path, &reading);
    if (status != CLI_OK)
        return status;
    if (notation_find_fault(&reading.file, &fault))
        status = fault.line == 0
                     ? cli_error(CLI_USAGE, "%s: %s", path, fault.text)
                     : cli_error(CLI_USAGE, "%s, line %u: %s", fault.file, fault.line, fault.text);
    cli_own_read_free(&reading);
    return status;
}

/* ---- compiling ---- */

static int compile(const struct build *build, const char *object)
{
    struct arguments arguments;
    char part[2][PATH_MAX], made[PATH_MAX];
    bool done = true;
    part[0][0] = part[1][0] = '\0';
    for (unsigned e = 0; e < 2 && done; e++) {
        pid_t pid;
        snprintf(part[e], sizeof part[e], "%.*s/part.%d.%u.o", PATH_MAX - 64, build->folder,
                 (int)getpid(), e);
        compile_arguments(build, &arguments, e == 0, build->headers);
        add(&arguments, "-c");
        add(&arguments, build->source);
        add(&arguments, "-o");
        add(&arguments, part[e]);
        done = start(arguments.list, NULL, false, &pid) && finish(pid);
    }
    snprintf(made, sizeof made, "%.*s/made.%d.so", PATH_MAX - 64, build->folder, (int)getpid());
    /* The program has protocols too, and exports their names: a file that is called like one of
     * them means itself. */
    if (done) {
        char *link[] = {(char *)(uintptr_t)build->compiler,
                        "-shared",
                        "-Wl,-Bsymbolic",
                        "-o",
                        made,
                        part[0],
                        part[1],
                        NULL};
        pid_t pid;
        done = start(link, NULL, false, &pid) && finish(pid) && rename(made, object) == 0;
    }
    for (unsigned e = 0; e < 2 && part[e][0] != '\0'; e++)
        unlink(part[e]);
    unlink(made);
    return done ? CLI_OK : cli_error(CLI_USAGE, "%s does not compile", build->source);
}

int cli_own_build(const char *path, char *object, size_t size, bool *keep)
{
    struct build build = {.source = path};
    if (access(path, R_OK) != 0)
        return cli_error(CLI_USAGE, "cannot read %s: %s", path, strerror(errno));
    if (!cli_own_folder("include", build.headers, sizeof build.headers))
        return cli_error(CLI_FAILED, "the headers of the notation are not installed beside berth");
    if (!find_folder(&build))
        return cli_error(CLI_FAILED, "no folder to compile in: %s: %s", build.folder,
                         strerror(errno));
    *keep = build.keeps;
    int status = CLI_OK;
    if (!find_compiler(&build))
        status = cli_error(CLI_FAILED, "a C compiler is needed, and %s cannot be run",
                           build.compiler[0] != '\0' ? build.compiler : "cc");
    if (status == CLI_OK)
        status = name_object(&build, object, size);
    if (status == CLI_OK && build.keeps && access(object, R_OK) == 0) {
        utimensat(AT_FDCWD, object, NULL, 0); /* it is in use */
        return CLI_OK;
    }
    if (status == CLI_OK)
        status = look_at_text(path);
    if (status == CLI_OK)
        status = compile(&build, object);
    if (build.keeps)
        prune(&build);
    else if (status != CLI_OK)
        rmdir(build.folder);
    return status;
}

/* ---- for a GPU ---- */

/* clang alone knows the target; $CC may be another. The messages of the C compiler were for the
 * user to read, and what it took, clang takes. */
char *cli_own_kernels(const char *path, unsigned words, const char **why)
{
    static const char *const device_flags[] = {"--target=nvptx64-nvidia-cuda",
                                               "-march=sm_70",
                                               "-Xclang",
                                               "-target-feature",
                                               "-Xclang",
                                               "+ptx63",
                                               "-std=gnu17",
                                               "-O2",
                                               "-S",
                                               "-ffreestanding",
                                               "-nostdlibinc",
                                               "-w",
                                               "-DSTEP_OWN",
                                               "-DSTEP_MODEL",
                                               "-DSTEP_BARE",
                                               "-DSTEP_DEVICE",
                                               "-fno-finite-loops",
                                               "-fno-unroll-loops"};
    struct build build = {.source = path};
    struct arguments arguments = {0};
    char output[PATH_MAX];
    char *text = NULL;
    pid_t pid;
    *why = "the headers of the notation are not installed beside berth";
    if (!cli_own_folder("include", build.headers, sizeof build.headers))
        return NULL;
    *why = "there is no folder to compile in";
    if (!find_folder(&build))
        return NULL;
    snprintf(output, sizeof output, "%.*s/kernels.%d.ptx", PATH_MAX - 64, build.folder,
             (int)getpid());
    add(&arguments, "clang");
    ADD_ALL(&arguments, device_flags);
    if (words <= 2)
        add(&arguments, words == 1 ? "-DSTEP_STATE_WORDS=1" : "-DSTEP_STATE_WORDS=2");
    add(&arguments, "-I");
    add(&arguments, build.headers);
    add(&arguments, path);
    add(&arguments, "-o");
    add(&arguments, output);
    *why = "clang, with the target nvptx64, is needed to compile the file for a GPU";
    if (start(arguments.list, NULL, false, &pid) && finish(pid))
        text = read_whole(output);
    unlink(output);
    if (!build.keeps)
        rmdir(build.folder);
    return text;
}

/* ---- as rules ---- */

/* $CXX, or the first of g++, c++ and clang++ that is there; NULL: there is none. */
static const char *find_cxx(void)
{
    static const char *const names[] = {"g++", "c++", "clang++"};
    const char *given = getenv("CXX");
    const bool is_given = given != NULL && *given != '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *name = is_given ? given : names[i];
        char *arguments[] = {(char *)(uintptr_t)name, "--version", NULL};
        pid_t pid;
        if (start(arguments, NULL, true, &pid) && finish(pid))
            return name;
        if (is_given)
            break;
    }
    return NULL;
}

char *cli_own_rules(const char *path, const char **why)
{
    struct build build = {.source = path};
    char script[PATH_MAX], output[PATH_MAX];
    char *text = NULL;
    size_t size = 0;
    pid_t pid;
    const char *cxx = find_cxx();
    *why = "a C++ compiler is needed to read a protocol as rules: on Debian it is the package g++";
    if (cxx == NULL)
        return NULL;
    *why = "what reads protocols as rules is not installed beside berth";
    if (!cli_own_folder("include", build.headers, sizeof build.headers) ||
        !cli_own_folder("rules", script, sizeof script))
        return NULL;
    *why = "there is no folder to compile in";
    if (!find_folder(&build))
        return NULL;
    snprintf(output, sizeof output, "%.*s/rules.%d", PATH_MAX - 64, build.folder, (int)getpid());
    char *arguments[] = {
        "/bin/sh", script, (char *)(uintptr_t)cxx, build.headers, (char *)(uintptr_t)path,
        output,    NULL};
    *why = "the file cannot be read as rules";
    if (start(arguments, NULL, true, &pid) && finish(pid)) {
        FILE *file = fopen(output, "re");
        if (file != NULL && getdelim(&text, &size, '\0', file) < 0) {
            free(text);
            text = NULL;
        }
        if (file != NULL)
            fclose(file);
    }
    unlink(output);
    if (!build.keeps)
        rmdir(build.folder);
    return text;
}
