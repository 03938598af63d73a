/* What a protocol may be run on: --ranker, --graph, --reads, and the options that it declares. */
#include "paper_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const rankers[] = {"0", "a", "c", "s"};
static const char *const graphs[] = {"complete", "ring", "path"};
static const char *const reads[] = {"packed", "state-rank", "rank-state"};

static bool find(const char *const *names, size_t count, const char *text, unsigned *found)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(names[i], text) == 0) {
            *found = i;
            return true;
        }
    }
    return false;
}

#define FIND(names, text, found) find(names, sizeof(names) / sizeof((names)[0]), text, found)

static const char *ranker_name(enum step_ranker ranker)
{
    return rankers[ranker];
}

static const char *graph_name(enum step_graph graph)
{
    return graph == STEP_GRAPH_GIVEN ? "given" : graphs[graph];
}

static const char *reads_name(enum step_reads kind)
{
    return reads[kind];
}

/* One edge on a line, as two numbers; # begins a comment. */
static const char *parse_edge(const char *line, struct cli_choices *choices)
{
    unsigned long end[2];
    const char *rest = line;
    for (unsigned e = 0; e < 2; e++) {
        char *after;
        rest += strspn(rest, " \t");
        if (*rest < '0' || *rest > '9')
            return "a line is not two numbers";
        errno = 0;
        end[e] = strtoul(rest, &after, 10);
        if (errno != 0 || end[e] >= STEP_MAX_VERTICES)
            return "vertices are numbered from 0 to 15";
        rest = after;
    }
    if (rest[strspn(rest, " \t")] != '\0')
        return "a line is not two numbers";
    if (end[0] == end[1])
        return "nobody is its own neighbour";
    choices->neighbours[end[0]] |= (uint16_t)(1U << end[1]);
    choices->neighbours[end[1]] |= (uint16_t)(1U << end[0]);
    for (unsigned e = 0; e < 2; e++)
        choices->vertices = end[e] >= choices->vertices ? (unsigned)end[e] + 1 : choices->vertices;
    return NULL;
}

static int read_graph(const struct cli_command *command, const char *path,
                      struct cli_choices *choices)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return cli_usage(command, "no such graph: %s (complete, ring, path, or a file: %s)", path,
                         strerror(errno));
    char line[256];
    const char *wrong = NULL;
    unsigned number = 0;
    while (wrong == NULL && fgets(line, sizeof line, file) != NULL) {
        number++;
        if (strchr(line, '\n') == NULL && !feof(file))
            wrong = "it is no line of text, or too long";
        line[strcspn(line, "#\n")] = '\0';
        if (wrong == NULL && line[strspn(line, " \t\r")] != '\0')
            wrong = parse_edge(line, choices);
    }
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error != 0)
        return cli_error(CLI_USAGE, "cannot read %s: %s", path, strerror(error));
    if (wrong != NULL)
        return cli_error(CLI_USAGE, "%s, line %u: %s", path, number, wrong);
    return CLI_OK;
}

int cli_take_choice(const struct cli_command *command, int option, const char *text,
                    struct cli_choices *choices)
{
    unsigned found;
    if (option >= CLI_OPTION_OF_PAPER) {
        cli_take_paper_option(command, option, text, choices);
        return CLI_OK;
    }
    switch (option) {
    case CLI_OPTION_RANKER:
        if (!FIND(rankers, text, &found))
            return cli_usage(command, "no such ranker: %s (0, a, c or s)", text);
        choices->ranker_given = true;
        choices->ranker = (enum step_ranker)found;
        return CLI_OK;
    case CLI_OPTION_READS:
        if (!FIND(reads, text, &found))
            return cli_usage(command, "no such reads: %s (packed, state-rank or rank-state)", text);
        choices->reads_given = true;
        choices->reads = (enum step_reads)found;
        return CLI_OK;
    case CLI_OPTION_GRAPH:
    default:
        choices->graph_given = true;
        if (FIND(graphs, text, &found)) {
            choices->graph = (enum step_graph)found;
            return CLI_OK;
        }
        choices->graph = STEP_GRAPH_GIVEN;
        memset(choices->neighbours, 0, sizeof choices->neighbours);
        choices->vertices = 0;
        return read_graph(command, text, choices);
    }
}

int cli_apply_choices(const struct protocol *protocol, const struct cli_choices *choices,
                      struct step_params *params)
{
    const bool given[] = {choices->ranker_given, choices->graph_given, choices->reads_given};
    const bool taken[] = {protocol->takes_ranker, protocol->takes_graph, protocol->takes_reads};
    static const char *const names[] = {"ranker", "graph", "reads"};
    for (unsigned i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i] && !taken[i])
            return cli_error(CLI_USAGE, "%s has no --%s", protocol->name, names[i]);
    }
    const int status = cli_apply_paper_options(protocol, choices, params);
    if (status != CLI_OK)
        return status;
    if (choices->ranker_given)
        params->ranker = choices->ranker;
    if (choices->reads_given)
        params->reads = choices->reads;
    if (choices->graph_given)
        params->graph = choices->graph;
    if (params->graph == STEP_GRAPH_GIVEN) {
        params->neighbours = choices->neighbours;
        if (choices->vertices > params->n)
            return cli_error(CLI_USAGE, "the graph has a vertex %u, and n is %u",
                             choices->vertices - 1, params->n);
    }
    return CLI_OK;
}

/* What it is run on, in the order of the options. */
static json_t *chosen_json(const struct protocol *protocol, const struct step_params *params)
{
    json_t *chosen = json_object();
    if (protocol->takes_ranker)
        json_object_set_new(chosen, "ranker", json_string(ranker_name(params->ranker)));
    if (protocol->takes_graph)
        json_object_set_new(chosen, "graph", json_string(graph_name(params->graph)));
    if (protocol->takes_reads)
        json_object_set_new(chosen, "reads", json_string(reads_name(params->reads)));
    for (unsigned o = 0; o < protocol_options(protocol); o++)
        json_object_set_new(chosen, protocol->options[o].name,
                            json_string(cli_paper_value(protocol, params, o)));
    return chosen;
}

void cli_print_choices(const struct protocol *protocol, const struct step_params *params)
{
    json_t *chosen = chosen_json(protocol, params), *value;
    const char *name;
    json_object_foreach(chosen, name, value) printf(" %s=%s", name, json_string_value(value));
    json_decref(chosen);
}

void cli_add_choices(json_t *object, const struct protocol *protocol,
                     const struct step_params *params)
{
    json_t *chosen = chosen_json(protocol, params);
    json_object_update_missing(object, chosen); /* no option takes the place of a member */
    if (json_object_size(chosen) > 0)
        json_object_set(object, "options", chosen);
    json_decref(chosen);
}
