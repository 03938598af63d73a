/* A system for other tools: its state graph, or its processes and variables. */
#ifndef BERTH_CLI_EXPORT_H
#define BERTH_CLI_EXPORT_H

#include "cli.h"

enum cli_export {
    CLI_EXPORT_NOTHING,
    CLI_EXPORT_DOT,     /* the state graph, for Graphviz */
    CLI_EXPORT_AUT,     /* the state graph, for CADP and mCRL2 */
    CLI_EXPORT_TLA,     /* the processes, for TLC */
    CLI_EXPORT_PROMELA, /* the processes, for Spin */
    CLI_EXPORT_C11,     /* the native text, for tools that check C programs */
};

bool cli_export_find(const char *name, enum cli_export *format);

/* Writes it to standard output. CLI_OK, or the status after a message. */
int cli_export_model(const struct protocol_choice *choice, const struct check_model *model,
                     enum cli_export format, const struct check_limits *limits);

/* export_c11.c: of a model that was not explored */
int cli_export_c11(const struct protocol_choice *choice, const struct step_params *params,
                   const struct check_model *check);

/* export_parts.c: the processes as tables; `graph` has all states, each by itself. */
int cli_export_parts(const struct protocol_choice *choice, const struct check_graph *graph,
                     enum cli_export format);

#endif
