/* berth log: what a detached run has written. */
#include "cli.h"
#include "job.h"
#include "suggest.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 100 };

/* Copies what there is. CLI_OK, or a status. */
static int copy(int fd)
{
    char block[16384];
    ssize_t length;
    while ((length = read(fd, block, sizeof block)) > 0) {
        if (fwrite(block, 1, (size_t)length, stdout) != (size_t)length)
            return cli_flush(CLI_OK);
    }
    if (length < 0)
        return cli_error(CLI_FAILED, "log: %s", strerror(errno));
    return cli_flush(CLI_OK);
}

/* Until the job is over: once more after that, for what came in between. */
static int follow(int folder, unsigned number, int fd)
{
    for (;;) {
        struct cli_job job;
        const bool over = cli_job_look(folder, number, &job) != 0 || job.state == CLI_JOB_ENDED ||
                          job.state == CLI_JOB_LOST;
        const int status = copy(fd);
        if (status != CLI_OK || over)
            return status;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    }
}

static int run(int argc, char **argv)
{
    static const struct option long_options[] = {{"follow", no_argument, NULL, 'f'},
                                                 {NULL, 0, NULL, 0}};
    bool follows = false;
    int option, folder;
    unsigned number;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "f", long_options, NULL)) != -1) {
        if (option != 'f')
            return cli_unknown_option(&cli_log, argv);
        follows = true;
    }
    if (optind + 1 != argc)
        return cli_usage(&cli_log, "a job is needed (berth jobs lists them)");
    if (!cli_job_number(argv[optind], &number))
        return cli_usage(&cli_log, "not a job: %s (berth jobs lists them)", argv[optind]);
    const int error = cli_jobs_folder("log", false, &folder);
    if (error != 0 && error != ENOENT)
        return CLI_FAILED;
    const int fd = error == 0 ? cli_job_log(folder, number) : -1;
    if (fd < 0) {
        if (error == 0)
            close(folder);
        return cli_error(CLI_OTHERWISE, "log: there is no job %u (berth jobs lists them)", number);
    }
    const int status = follows ? follow(folder, number, fd) : copy(fd);
    close(fd);
    close(folder);
    return status;
}

const struct cli_command cli_log = {
    .name = "log",
    .synopsis = "[-f] JOB",
    .about = "what a detached run has written",
    .run = run,
    .help = "  -f, --follow   go on until the job has ended\n"
            "\n"
            "Exit status: 0; 1 there is no such job; 2 bad usage; 125 berth itself failed.\n",
};
