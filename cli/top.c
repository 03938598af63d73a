/*
 * berth top: a live view. The view itself is a program of its own, berth-top, which this one
 * becomes: it needs ncurses, and locales, and so the dynamic linker, whose cost berth run should
 * not pay.
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
        return cli_error(CLI_FAILED, "top: cannot find out where berth is: %s", strerror(errno));
    if (os_places_find(self, OS_PLACE_PROGRAMS, "berth-top", path)) {
        execv(path, argv);
        return cli_error(CLI_FAILED, "top: cannot run %s: %s", path, strerror(errno));
    }
    return cli_error(CLI_FAILED,
                     "top: %s is not installed (it is left out of a build without "
                     "ncursesw)",
                     path);
}

const struct cli_command cli_top = {
    .name = "top",
    .synopsis = "[POOL] [-d SECONDS] [--once]",
    .about = "a live view of who holds, who waits and how fast it goes",
    .run = run,
    .help = "  -d, --delay SECONDS   between two looks, 0.1 or more; default 1\n"
            "  --once                no screen: look twice, and print the second look as text,\n"
            "                        with the rates between the two; the default without a\n"
            "                        terminal\n"
            "  --store S             where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "Keys: q quits, ? helps, Tab and the arrows to the left and to the right choose a\n"
            "pool, the other arrows scroll.\n"
            "\n"
            "Exit status: 0; 1 there is no such pool; 2 bad usage; 125 berth itself failed.\n",
};
