/* berth help agents: for programs that start programs, such as coding agents. */
#include "cli.h"

int cli_help_agents(void)
{
    fputs(
        "For programs that start programs: run what is heavy in turn with everybody else.\n"
        "\n"
        "  berth run POOL -- COMMAND      waits for a slot, runs COMMAND; its exit status is\n"
        "                                 COMMAND's. -n: do not wait, -w 10m: that long; then 75\n"
        "  berth run --tree=end ...       ends what COMMAND has left behind, before the slot\n"
        "  berth run --limit 30m ...      ends COMMAND and all it started after that time: 124\n"
        "  berth run -d POOL -- COMMAND   prints a job's number and returns\n"
        "  berth wait JOB                 its exit status;  berth log JOB: its output;\n"
        "  berth jobs --json              all jobs;  berth kill JOB: ends one\n"
        "  berth status --json [POOL]     who holds a slot and who waits, in order\n"
        "  berth ls --json                the pools;  an undeclared name makes a new one: use\n"
        "                                 --existing, or read what is said on standard error\n"
        "\n"
        "A wait says after a second, and after 2, 4, 8 minutes, who is ahead and who holds (-q: not).\n"
        "Do not kill what holds a slot because it takes long: look with berth status first.\n"
        "A berth run inside the command of another one of the same pool uses its slot: no deadlock.\n"
        "Statuses of berth itself: 75 no slot in time, 121 slot lost (etcd), 124 limit,\n"
        "125 berth failed, 126 and 127 COMMAND cannot be run, 2 bad usage; 128+N: signal N.\n"
        "Messages are lines on standard error that begin with \"berth: \". JSON keeps its members.\n",
        stdout);
    return cli_flush(CLI_OK);
}
