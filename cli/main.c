#include "cli.h"
#include "own.h"

#include <string.h>

static const struct cli_command *const commands[] = {
    &cli_run,     &cli_status,    &cli_top,    &cli_ls,     &cli_rm,     &cli_resize,
    &cli_wait,    &cli_protocols, &cli_new,    &cli_check,  &cli_prove,  &cli_trace,
    &cli_explore, &cli_space,     &cli_refute, &cli_search, &cli_stress, &cli_bench};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int overview(void)
{
    printf("usage: berth COMMAND [OPTION...]\n\n");
    for (unsigned c = 0; c < COMMANDS; c++)
        printf("  %-10s %s\n", commands[c]->name, commands[c]->about);
    printf("\nberth COMMAND --help says more; so does man berth.\n");
    return cli_flush(CLI_OK);
}

int main(int argc, char **argv)
{
    if (!cli_guard_streams())
        return CLI_FAILED;
    cli_become_twin(argc, argv);
    if (argc < 2)
        return cli_error(CLI_USAGE, "a command is missing (see berth --help)");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return overview();
    if (strcmp(argv[1], "--version") == 0) {
        printf("berth %s\n", BERTH_VERSION);
        return cli_flush(CLI_OK);
    }
    for (unsigned c = 0; c < COMMANDS; c++) {
        if (strcmp(argv[1], commands[c]->name) == 0) {
            if (argc > 2 && strcmp(argv[2], "--help") == 0)
                return cli_help(commands[c]);
            const int loaded = cli_own_load(argc, argv);
            if (loaded != CLI_OK)
                return loaded;
            return commands[c]->run(argc - 1, argv + 1);
        }
    }
    return cli_error(CLI_USAGE, "no such command: %s (see berth --help)", argv[1]);
}
