#include "export.h"

#include "schedule_replay.h"

#include <string.h>

bool cli_export_find(const char *name, enum cli_export *format)
{
    static const char *const names[] = {"", "dot", "aut", "tla", "promela", "c11"};
    for (unsigned f = 1; f < sizeof names / sizeof names[0]; f++) {
        if (strcmp(names[f], name) == 0) {
            *format = (enum cli_export)f;
            return true;
        }
    }
    return false;
}

/* "P0 take", and what it did to the cells. */
static void edge_text(const struct check_model *model, unsigned edge, const struct check_note *note,
                      const uint64_t *before, const uint64_t *after, char *text, size_t size)
{
    int used = snprintf(text, size, "P%u %s", edge % model->n, note->label);
    for (unsigned c = 0; c < model->cells && used > 0 && (size_t)used < size; c++) {
        char name[64];
        const uint64_t now = check_get(after, model->cell[c].field);
        if (now == check_get(before, model->cell[c].field))
            continue;
        cli_cell_name(model, (int)c, name, sizeof name);
        used +=
            snprintf(text + used, size - (size_t)used, " %s:=%llu", name, (unsigned long long)now);
    }
}

static void state_text(const struct check_model *model, const uint64_t *state, char *text,
                       size_t size)
{
    static const char letters[] = "RDTCEX";
    size_t used = 0;
    for (unsigned p = 0; p < check_workers(model) && used + 2 < size; p++)
        text[used++] = letters[check_region_of(model, state, p)];
    text[used] = '\0';
    for (unsigned c = 0; c < model->cells && used < size; c++) {
        char name[64];
        cli_cell_name(model, (int)c, name, sizeof name);
        const int more = snprintf(text + used, size - used, " %s=%llu", name,
                                  (unsigned long long)check_get(state, model->cell[c].field));
        used += more > 0 ? (size_t)more : 0;
    }
}

/* One line for each transition, busy waits included. */
static void put_edges(const struct check_graph *graph, enum cli_export format)
{
    const struct check_model *model = graph->model;
    for (uint32_t id = 0; id < graph->count; id++) {
        const uint64_t *state = check_graph_key(graph, id);
        for (unsigned e = 0; e < graph->edges; e++) {
            uint64_t next[CHECK_MAX_WORDS];
            struct check_note note = {.label = "", .cell = -1};
            char text[256];
            if (!model->describe(model, state, e, next, &note))
                continue;
            edge_text(model, e, &note, state, next, text, sizeof text);
            const uint32_t to = check_graph_find(graph, next);
            if (format == CLI_EXPORT_AUT)
                printf("(%u, \"%s\", %u)\n", id, text, to);
            else
                printf("  s%u -> s%u [label=\"%s\"];\n", id, to, text);
        }
    }
}

static void put_dot(const struct protocol_choice *choice, const struct check_graph *graph)
{
    char text[512];
    protocol_full_name(choice, text, sizeof text);
    printf("digraph \"%s\" {\n  node [shape=box];\n", text);
    for (uint32_t id = 0; id < graph->count; id++) {
        state_text(graph->model, check_graph_key(graph, id), text, sizeof text);
        printf("  s%u [label=\"%s\"%s];\n", id, text, id == graph->initial ? ", penwidth=3" : "");
    }
    put_edges(graph, CLI_EXPORT_DOT);
    printf("}\n");
}

int cli_export_model(const struct protocol_choice *choice, const struct check_model *model,
                     enum cli_export format, const struct check_limits *limits)
{
    struct check_limits plain = *limits;
    struct check_space space;
    struct check_graph graph;
    plain.symmetry = false;
    if (!check_explore(&space, model, &plain))
        return cli_error(CLI_INCOMPLETE, "there is no memory to begin with");
    const enum check_end end = space.end;
    const uint64_t transitions = space.transitions;
    if (end != CHECK_COMPLETE || !check_graph_freeze(&graph, &space, &plain, false)) {
        check_space_close(&space);
        return cli_error(CLI_INCOMPLETE, "only what can be explored to its end can be exported");
    }
    int status = CLI_OK;
    switch (format) {
    case CLI_EXPORT_DOT: put_dot(choice, &graph); break;
    case CLI_EXPORT_AUT:
        printf("des (%u, %llu, %llu)\n", graph.initial, (unsigned long long)transitions,
               (unsigned long long)graph.count);
        put_edges(&graph, CLI_EXPORT_AUT);
        break;
    case CLI_EXPORT_TLA:
    case CLI_EXPORT_PROMELA:
    case CLI_EXPORT_C11:
    case CLI_EXPORT_NOTHING:
    default: status = cli_export_parts(choice, &graph, format); break;
    }
    check_graph_close(&graph);
    return cli_flush(status);
}
