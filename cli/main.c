#include "cli.h"
#include "own_file.h"
#include "suggest.h"

#include <string.h>

static const struct cli_command *const commands[] = {
    &cli_run,       &cli_create, &cli_status, &cli_top,    &cli_ls,    &cli_rm,
    &cli_resize,    &cli_wait,   &cli_drain,  &cli_jobs,   &cli_log,   &cli_kill,
    &cli_protocols, &cli_new,    &cli_check,  &cli_prove,  &cli_trace, &cli_explore,
    &cli_space,     &cli_refute, &cli_search, &cli_stress, &cli_bench};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int overview(void)
{
    printf("usage: berth COMMAND [OPTION...]\n\n");
    for (unsigned c = 0; c < COMMANDS; c++)
        printf("  %-10s %s\n", commands[c]->name, commands[c]->about);
    printf(
        "\nberth help COMMAND says more; so does man berth. berth help agents: for programs that\n"
        "start programs.\n");
    return cli_flush(CLI_OK);
}

static const struct cli_command *find(const char *name)
{
    for (unsigned c = 0; c < COMMANDS; c++) {
        if (strcmp(name, commands[c]->name) == 0)
            return commands[c];
    }
    return NULL;
}

static int no_such_command(const char *name)
{
    static const struct {
        const char *word, *instead;
    } elsewhere[] = {{"version", "berth --version"},
                     {"-V", "berth --version"},
                     {"-v", "berth --version"},
                     {"list", "berth ls, or berth jobs"},
                     {"ps", "berth status, or berth jobs"},
                     {"queue", "berth status"},
                     {"cancel", "berth kill"},
                     {"exec", "berth run"},
                     {"stop", "berth drain, or berth kill"},
                     {"completion", "the files in completions/, which packages install"}};
    struct cli_suggestion suggestion = {.word = name};
    for (unsigned i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
        if (strcmp(name, elsewhere[i].word) == 0)
            return cli_error(CLI_USAGE, "no such command: %s; that is %s", name,
                             elsewhere[i].instead);
    }
    for (unsigned c = 0; c < COMMANDS; c++)
        cli_suggest(&suggestion, commands[c]->name);
    cli_suggest(&suggestion, "help");
    return cli_error(CLI_USAGE, "no such command: %s%s (see berth --help)", name,
                     cli_suggested(&suggestion));
}

static bool is_help(const char *text)
{
    return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0;
}

/* Anywhere among the arguments; but berth run has a command whose options are its own. */
static bool asks_for_help(const struct cli_command *command, int argc, char **argv)
{
    if (command == &cli_run)
        return false;
    for (int a = 0; a < argc && strcmp(argv[a], "--") != 0; a++) {
        if (is_help(argv[a]))
            return true;
    }
    return false;
}

static int help_elsewhere(const struct cli_command *command)
{
    char *argv[] = {"berth", (char *)command->name, "--help", NULL};
    return command->run(2, argv + 1);
}

/* The help of a command about protocols names the options that the given file declares. A file that
 * cannot be loaded leaves a message, and the help does without its options. */
static int help_with_file(const struct cli_command *command, int argc, char **argv)
{
    if (command->print_paper_options != NULL)
        (void)cli_own_load(command, argc, argv);
    return cli_help(command);
}

static int help(int argc, char **argv)
{
    const struct cli_command *command = argc > 0 ? find(argv[0]) : NULL;
    if (argc == 0 || is_help(argv[0]) || strcmp(argv[0], "help") == 0)
        return overview();
    if (strcmp(argv[0], "agents") == 0)
        return cli_help_agents();
    if (command == NULL)
        return no_such_command(argv[0]);
    return command->help != NULL ? cli_help(command) : help_elsewhere(command);
}

int main(int argc, char **argv)
{
    if (!cli_guard_streams())
        return CLI_FAILED;
    const struct cli_command *command = argc > 1 ? find(argv[1]) : NULL;
    if (command == NULL || command->help != NULL)
        cli_become_twin(argc, argv);
    if (argc < 2)
        return cli_error(CLI_USAGE, "a command is missing (see berth --help)");
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(argv[1], "--version") == 0) {
        printf("berth %s\n", BERTH_VERSION);
        return cli_flush(CLI_OK);
    }
    if (command == NULL)
        return no_such_command(argv[1]);
    if (command->help != NULL && asks_for_help(command, argc - 2, argv + 2))
        return help_with_file(command, argc, argv);
    const int loaded = command->help != NULL ? cli_own_load(command, argc, argv) : CLI_OK;
    return loaded != CLI_OK ? loaded : command->run(argc - 1, argv + 1);
}
