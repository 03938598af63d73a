/*
 * berth jobserver: one jobserver for all builds of a machine. The server is a program of its own,
 * berth-jobserver, which this one becomes: it needs libfuse3.
 */
#include "cli.h"

#include "os/places.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int run(int argc, char **argv)
{
    (void)argc;
    char self[PATH_MAX], path[PATH_MAX];
    if (!os_places_self(self))
        return cli_error(CLI_FAILED, "jobserver: cannot find out where berth is: %s",
                         strerror(errno));
    if (os_places_find(self, OS_PLACE_PROGRAMS, "berth-jobserver", path)) {
        execv(path, argv);
        return cli_error(CLI_FAILED, "jobserver: cannot run %s: %s", path, strerror(errno));
    }
    return cli_error(CLI_FAILED,
                     "jobserver: %s is not installed (it is left out of a build without libfuse3)",
                     path);
}

const struct cli_command cli_jobserver = {
    .name = "jobserver",
    .synopsis = "POOL [--mount PATH] [-j SLOTS]",
    .about = "serve a pool's slots to all builds of a machine, as tokens of GNU make's jobserver",
    .run = run,
    .help =
        "  --mount PATH    where; without it $XDG_RUNTIME_DIR/berth-jobserver/POOL\n"
        "  -j, --slots N   make the pool with N slots, if it does not exist\n"
        "  --store S       where the pools live, instead of $BERTH_STORE\n"
        "\n"
        "It mounts a file system (FUSE) with one name, PATH/tokens, prints the MAKEFLAGS that lead\n"
        "clients there, and serves until it is ended by INT, TERM or HUP. make from 4.4 on, ninja\n"
        "from 1.13 on, cargo and others take their tokens there; each has an account, and what it\n"
        "had comes back when it dies. Older clients: berth run --jobserver.\n"
        "\n"
        "Exit status: 0; 1 there is no such pool; 2 bad usage; 125 berth itself failed.\n",
};
