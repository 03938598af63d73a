/*
 * measure RESULT COMMAND [ARG...]: runs the command and writes one line to the file RESULT: its
 * user and system CPU seconds together, its peak resident set in KiB, and its exit status (128+N
 * where signal N ended it). Both checkers are measured by this program, so both are measured in the
 * same way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: measure RESULT COMMAND [ARG...]\n");
        return 2;
    }
    pid_t child = fork();
    if (child < 0) {
        perror("measure: fork");
        return 2;
    }
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) != child) {
        perror("measure: wait4");
        return 2;
    }
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    FILE *result = fopen(argv[1], "w");
    if (result == NULL) {
        perror(argv[1]);
        return 2;
    }
    fprintf(result, "%.6f %ld %d\n", seconds(used.ru_utime) + seconds(used.ru_stime),
            used.ru_maxrss, code);
    return fclose(result) == 0 ? 0 : 2;
}
