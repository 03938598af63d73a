#include "jobserver/version.h"

#include "os/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts `program --version`, its output in a pipe. -1, or the end to read from. */
static int start(const char *program, pid_t *pid)
{
    char *const argv[] = {(char *)(uintptr_t)program, "--version", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawnp(pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* MAKEFLAGS of another jobserver would be in its way. */
static int start_without_flags(const char *program, pid_t *pid)
{
    const char *flags = getenv("MAKEFLAGS");
    char *kept = flags != NULL ? strdup(flags) : NULL;
    os_environment_unset("MAKEFLAGS");
    const int fd = start(program, pid);
    if (kept != NULL)
        os_environment_set("MAKEFLAGS", kept);
    free(kept);
    return fd;
}

static bool at_least(unsigned major, unsigned minor, unsigned first_major, unsigned first_minor)
{
    return major > first_major || (major == first_major && minor >= first_minor);
}

enum version_form version_read(enum flags_program program, const char *text)
{
    unsigned major, minor;
    switch (program) {
    case FLAGS_MAKE:
        if (sscanf(text, "GNU Make %u.%u", &major, &minor) != 2)
            return VERSION_UNKNOWN;
        /* Up to 4.1 the option was --jobserver-fds, and one from the environment that is not known
         * was ignored without a word. */
        return at_least(major, minor, 4, 4)   ? VERSION_BOTH
               : at_least(major, minor, 4, 2) ? VERSION_FDS
                                              : VERSION_NEITHER;
    case FLAGS_NINJA:
        /* Some were given a jobserver of another kind, and say so. */
        if (sscanf(text, "%u.%u", &major, &minor) != 2 || strstr(text, "jobserver") != NULL)
            return VERSION_UNKNOWN;
        return at_least(major, minor, 1, 13) ? VERSION_FIFO_ALONE : VERSION_NEITHER;
    case FLAGS_CARGO:
    case FLAGS_OTHER: break;
    }
    return VERSION_UNKNOWN;
}

enum version_form version_ask(enum flags_program program, const char *path, char text[VERSION_TEXT])
{
    pid_t pid;
    const int fd = start_without_flags(path, &pid);
    text[0] = '\0';
    if (fd < 0)
        return VERSION_NO_PROGRAM;
    FILE *said = fdopen(fd, "r");
    if (said == NULL || fgets(text, VERSION_TEXT, said) == NULL)
        text[0] = '\0';
    if (said != NULL)
        fclose(said);
    else
        close(fd);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    text[strcspn(text, "\n")] = '\0';
    return version_read(program, text);
}
