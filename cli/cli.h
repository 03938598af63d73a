/* What the subcommands share. */
#ifndef BERTH_CLI_CLI_H
#define BERTH_CLI_CLI_H

#include "protocol/checked.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    CLI_OK = 0,
    CLI_OTHERWISE = 1,  /* the answer is not the one claimed */
    CLI_USAGE = 2,      /* bad usage */
    CLI_INCOMPLETE = 3, /* memory or time ran out first */
    CLI_FAILED = 125,   /* berth itself failed */
};

struct cli_command {
    const char *name;
    const char *synopsis; /* its arguments */
    const char *about;    /* one line */
    int (*run)(int argc, char **argv);
    /* The options; NULL: they are in another program (elsewhere.c), which `run` becomes. */
    const char *help;
    /* Prints the options that protocols declare, where the help has a form feed; NULL: it takes
     * none. */
    void (*print_paper_options)(void);
    /* The name of option i of these, "--timestamps"; false: there are fewer. */
    bool (*paper_option_name)(unsigned i, char *name, size_t size);
};

extern const struct cli_command cli_run, cli_create, cli_status, cli_top, cli_ls, cli_rm;
extern const struct cli_command cli_jobs, cli_log, cli_kill;
extern const struct cli_command cli_resize, cli_wait, cli_drain;
extern const struct cli_command cli_check, cli_protocols, cli_space, cli_refute, cli_search,
    cli_prove;
extern const struct cli_command cli_new;
extern const struct cli_command cli_trace, cli_explore, cli_stress, cli_bench;

/* A program that starts us with a standard stream closed must not have its messages land in the
 * next file that is opened, a pool for instance. Call it first; false: that cannot be done. */
bool cli_guard_streams(void);

/* One line on standard error, "berth: ...", and `status` for the caller to return. */
int cli_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with a hint at `berth COMMAND --help`. */
int cli_usage(const struct cli_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int cli_help(const struct cli_command *command);

/* agents.c: what a program that starts programs has to know, on one screen. */
int cli_help_agents(void);

/* Becomes another program of berth's, with these arguments. Returns if there is none, or cannot. */
void cli_become(const char *program, char **argv);
/* Where the arguments or the environment name an etcd store: becomes the command's twin, which has
 * it. Returns otherwise; and if there is no twin, to let the library say so. */
void cli_become_twin(int argc, char **argv);
/* The same, for the store that a pool is declared in; `argv` is that of a subcommand. */
void cli_become_twin_for(const char *store, char **argv);

/* Numbers in arguments: false unless the whole of `text` is a number in the range. */
bool cli_number(const char *text, unsigned long least, unsigned long most, unsigned *number);
bool cli_bytes(const char *text, uint64_t *bytes); /* with K, M, G or T */
bool cli_seconds(const char *text, double *seconds);
bool cli_ends_in(const char *text, const char *end);
/* Whether a run can be written to this file: by its ending, .html, .json or .txt; or it has
 * none. */
bool cli_witness_file(const char *path);
bool cli_fault(const char *text, enum step_fault *fault);
const char *cli_fault_name(enum step_fault fault);

/* paper_options.c: what a command has that takes the options which protocols declare. */
void cli_print_paper_options(void);
bool cli_paper_option_name(unsigned i, char *name, size_t size);
#define CLI_TAKES_PAPER_OPTIONS                                                                    \
    .print_paper_options = cli_print_paper_options, .paper_option_name = cli_paper_option_name

/* What a protocol may be run on (choices.c). The options have the same numbers in every command. */
enum {
    CLI_OPTION_RANKER = 1024,
    CLI_OPTION_GRAPH,
    CLI_OPTION_READS,
    CLI_OPTION_OF_PAPER, /* the first that a protocol declares (paper_options.h) */
    CLI_PAPER_OPTIONS = 64,
    CLI_OPTION_LAST_CHOICE = CLI_OPTION_OF_PAPER + CLI_PAPER_OPTIONS - 1,
};
#define CLI_CHOICE_OPTIONS                                                                         \
    {"ranker", required_argument, NULL, CLI_OPTION_RANKER},                                        \
        {"graph", required_argument, NULL, CLI_OPTION_GRAPH},                                      \
        {"reads", required_argument, NULL, CLI_OPTION_READS},
#define CLI_CHOICE_HELP                                                                            \
    "  --ranker R       0, a, c or s, for a protocol that uses a ranker\n"                         \
    "  --graph G        ring, path, complete, or a file with an edge on each line, for a\n"        \
    "                   protocol with neighbours\n"                                                \
    "  --reads R        packed, state-rank or rank-state: how state and rank are read\n"           \
    "\f"
struct cli_choices {
    bool ranker_given, graph_given, reads_given;
    enum step_ranker ranker;
    enum step_graph graph;
    enum step_reads reads;
    const char *paper[CLI_PAPER_OPTIONS]; /* NULL: not given */
    const struct cli_command *command;    /* that they were given to */
    uint16_t neighbours[STEP_MAX_VERTICES];
    unsigned vertices; /* more than the largest in an edge */
};
/* Both give CLI_OK, or a status after saying what is wrong. */
int cli_take_choice(const struct cli_command *command, int option, const char *text,
                    struct cli_choices *choices);
int cli_apply_choices(const struct protocol *protocol, const struct cli_choices *choices,
                      struct step_params *params);
void cli_print_choices(const struct protocol *protocol, const struct step_params *params);
void cli_add_choices(json_t *object, const struct protocol *protocol,
                     const struct step_params *params);

/* All cores, symmetry, and nine tenths of the memory that is free. */
void cli_default_limits(struct check_limits *limits, struct check_budget *budget);

/* Prints why there is no model, and gives the status: the file is wrong, or its states do not
 * fit. */
int cli_cannot_make(const struct protocol_choice *choice, const struct step_model *model,
                    const char *error);

/* Whether standard output is a terminal that may have colours. */
bool cli_colours(void);

/* json.c: prints and drops `object`; "version": 1 is put first. Returns CLI_OK, or CLI_FAILED with
 * a line when standard output cannot be written. */
int cli_print_json(json_t *object);
/* As `status`, unless standard output could not be written. */
int cli_flush(int status);

/* A file that appears whole or not at all; anything but a plain file, such as a pipe, is written to
 * directly. */
struct cli_file {
    FILE *stream;
    char *path, *temporary; /* NULL: written to as it is */
};
bool cli_file_open(struct cli_file *file, const char *path); /* false: errno says why; so below */
/* Whether it can be written, to report an error now and not after hours. No file stays behind,
 * however the command ends. */
bool cli_file_can_open(const char *path);
bool cli_file_commit(struct cli_file *file);
void cli_file_abandon(struct cli_file *file);

/* The result of a check: report.c */
json_t *cli_report_json(const struct protocol_checked *checked);
/* With `explain`, the witnesses of what is not claimed too. The verdict is the last line. */
void cli_report_text(const struct protocol_checked *checked, bool explain);
/* Writes the witnesses to `path`: JSON if it ends in .json, a page if in .html, else text. False:
 * errno says why. */
bool cli_report_witnesses(const struct protocol_checked *checked, const char *path);

/* Witnesses, and other runs: witness_text.c */
/* "P1"; or of a supervisor, "S", "B1". */
void cli_process_name(const struct check_model *model, unsigned p, char *text, size_t size);
void cli_cell_name(const struct check_model *model, int c, char *text, size_t size);
void cli_run_text(FILE *stream, const struct check_model *model, const struct check_witness *run);
json_t *cli_run_json(const struct check_model *model, const struct check_witness *run);
void cli_witness_text(FILE *stream, const struct check_model *model,
                      const struct check_result *result);
json_t *cli_witness_json(const struct check_model *model, const struct check_result *result);

#endif
