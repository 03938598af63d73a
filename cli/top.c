/*
 * berth top: a live view. The view itself is a program of its own, berth-top, which this one becomes:
 * it needs ncurses, and locales, and so the dynamic linker, none of which berth run is to pay for.
 */
#include "cli.h"

static int run(int argc, char **argv)
{
    (void)argc;
    return cli_become(&cli_top, "berth-top", "ncursesw", argv);
}

const struct cli_command cli_top = {
    .name = "top",
    .synopsis = "[POOL] [-d SECONDS] [--once]",
    .about = "a live view of who holds, who waits and how fast it goes",
    .run = run,
    .help = "  -d, --delay SECONDS   between two looks, 0.1 or more; default 1\n"
            "  --once                no screen: two looks, and the second as text, with the rates\n"
            "                        between them; so it is where there is no terminal\n"
            "  --store S             where the pools live, instead of $BERTH_STORE\n"
            "\n"
            "Keys: q quits, ? helps, Tab and the arrows to the left and to the right choose a\n"
            "pool, the other arrows scroll.\n"
            "\n"
            "Exit status: 0; 1 there is no such pool; 2 bad usage; 125 berth itself failed.\n",
};
