#include "paper_options.h"

#include "protocol/own.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_OPTIONS = 128, VALUES_TEXT = 256 };

/* Each name once, whichever protocols declare it. */
struct names {
    const char *name[CLI_PAPER_OPTIONS];
    unsigned count;
};

static void add_names(struct names *names, const struct protocol *protocol)
{
    for (unsigned o = 0; o < protocol_options(protocol); o++) {
        unsigned i = 0;
        while (i < names->count && strcmp(names->name[i], protocol->options[o].name) != 0)
            i++;
        assert(i < CLI_PAPER_OPTIONS);
        names->name[i] = protocol->options[o].name;
        if (i == names->count)
            names->count++;
    }
}

static const struct names *all_names(void)
{
    static struct names names;
    if (names.count > 0)
        return &names;
    for (size_t p = 0; p < protocol_count; p++)
        add_names(&names, protocol_models[p]->protocol);
    if (protocol_own.model != NULL)
        add_names(&names, protocol_own.model->protocol);
    return &names;
}

const struct option *cli_paper_options(const struct cli_command *command,
                                       const struct option *options)
{
    static struct option table[MOST_OPTIONS];
    const struct names *names = all_names();
    unsigned count = 0;
    for (; options[count].name != NULL; count++) {
        assert(count + names->count + 1 < MOST_OPTIONS);
        table[count] = options[count];
    }
    const unsigned own = count;
    for (unsigned i = 0; i < names->count; i++) {
        for (unsigned o = 0; o < own; o++) {
            if (strcmp(table[o].name, names->name[i]) == 0) {
                cli_error(CLI_USAGE, "a protocol declares --%s, which berth %s has already",
                          names->name[i], command->name);
                return NULL;
            }
        }
        table[count++] =
            (struct option){names->name[i], required_argument, NULL, CLI_OPTION_OF_PAPER + (int)i};
    }
    table[count] = (struct option){NULL, 0, NULL, 0};
    return table;
}

void cli_take_paper_option(const struct cli_command *command, int option, const char *text,
                           struct cli_choices *choices)
{
    choices->command = command;
    choices->paper[option - CLI_OPTION_OF_PAPER] = text;
}

void cli_paper_values(const struct protocol_option *option, char *text, size_t size)
{
    const unsigned count = protocol_values(option);
    size_t length = 0;
    text[0] = '\0';
    for (unsigned v = 0; v < count && length < size; v++) {
        const char *before = v == 0 ? "" : v + 1 < count ? ", " : " or ";
        length += (size_t)snprintf(text + length, size - length, "%s%s", before, option->values[v]);
    }
}

static int apply(const struct protocol *protocol, const char *name, const char *text,
                 const struct cli_command *command, struct step_params *params)
{
    for (unsigned o = 0; o < protocol_options(protocol); o++) {
        const struct protocol_option *option = &protocol->options[o];
        if (strcmp(option->name, name) != 0)
            continue;
        for (unsigned v = 0; v < protocol_values(option); v++) {
            if (strcmp(option->values[v], text) == 0) {
                params->option[o] = (uint8_t)v;
                return CLI_OK;
            }
        }
        char values[VALUES_TEXT];
        cli_paper_values(option, values, sizeof values);
        return cli_usage(command, "no such %s: %s (%s)", name, text, values);
    }
    return cli_error(CLI_USAGE, "%s has no --%s", protocol->name, name);
}

int cli_apply_paper_options(const struct protocol *protocol, const struct cli_choices *choices,
                            struct step_params *params)
{
    const struct names *names = all_names();
    for (unsigned i = 0; i < names->count; i++) {
        if (choices->paper[i] == NULL)
            continue;
        const int status =
            apply(protocol, names->name[i], choices->paper[i], choices->command, params);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

const char *cli_paper_value(const struct protocol *protocol, const struct step_params *params,
                            unsigned option)
{
    return protocol->options[option].values[params->option[option]];
}

/* ---- help ---- */

/* One line with the values, which completions read, and one with the explanation. */
static void print_option(const struct protocol *protocol, const struct protocol_option *option)
{
    enum { TEXT = 19 }; /* the column that explanations start in */
    char values[VALUES_TEXT];
    cli_paper_values(option, values, sizeof values);
    const int width = printf("  --%s %s", option->name, option->argument);
    printf("%*s%s, for %s:\n%*s%s\n", width < TEXT - 2 ? TEXT - width : 2, "", values,
           protocol->name, TEXT, "", option->about);
}

static void print_options(const struct protocol *protocol)
{
    for (unsigned o = 0; o < protocol_options(protocol); o++)
        print_option(protocol, &protocol->options[o]);
}

void cli_print_paper_options(void)
{
    if (protocol_own.model != NULL)
        print_options(protocol_own.model->protocol);
    for (size_t p = 0; p < protocol_count; p++)
        print_options(protocol_models[p]->protocol);
}

bool cli_paper_option_name(unsigned i, char *name, size_t size)
{
    const struct names *names = all_names();
    if (i < names->count)
        snprintf(name, size, "--%s", names->name[i]);
    return i < names->count;
}
