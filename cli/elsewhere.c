/*
 * The laboratory, which is everything about protocols, is in berth-lab: the checker and the
 * catalogue are most of berth, and are not needed to hand out slots. In the other programs these
 * stand for its commands: they have the name and the one-line description, and exec berth-lab for
 * the rest. The test packages/programs compares the lines with those of the commands themselves.
 */
#include "bench_report.h"
#include "cli.h"

static int laboratory(int argc, char **argv)
{
    (void)argc;
    cli_become("berth-lab", argv - 1); /* argv begins with the subcommand here */
    return cli_error(CLI_FAILED,
                     "%s: the laboratory is not installed: berth-lab is missing "
                     "(the Debian package berth-lab)",
                     argv[0]);
}

#define ELSEWHERE(command, text)                                                                   \
    const struct cli_command cli_##command = {.name = #command, .about = text, .run = laboratory}

ELSEWHERE(protocols, "list the algorithms, their variants and what each claims");
ELSEWHERE(new, "write a protocol file to begin with, NAME.c");
ELSEWHERE(check, "explore a protocol exhaustively and compare what it does with what it claims");
ELSEWHERE(prove, "prove what a protocol claims for every number of processes");
ELSEWHERE(trace, "make one run of a protocol and show it, as a page, JSON or text");
ELSEWHERE(explore, "play the scheduler of a protocol, in a browser");
ELSEWHERE(space, "values of the shared variables: reached, claimed, and the lower bound");
ELSEWHERE(refute, "run the proofs of the lower bounds against a protocol with too few values");
ELSEWHERE(search,
          "enumerate all protocols of two processes with few values, and count what they have");
ELSEWHERE(stress, "run a protocol's native code on real threads and processes, with real kills");
#ifndef BERTH_TWIN /* which has the part that needs the store: bench_etcd.c */
ELSEWHERE(bench, BENCH_ABOUT);
#endif
