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
    const char *help; /* the options */
};

extern const struct cli_command cli_run, cli_status, cli_ls, cli_rm, cli_resize, cli_wait;
extern const struct cli_command cli_check, cli_protocols, cli_space, cli_stress, cli_bench;

/* One line on standard error, "berth: ...", and `status` for the caller to return. */
int cli_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with a hint at `berth COMMAND --help`. */
int cli_usage(const struct cli_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int cli_help(const struct cli_command *command);

/* Numbers in arguments: false unless the whole of `text` is a number in the range. */
bool cli_number(const char *text, unsigned long least, unsigned long most, unsigned *number);
bool cli_bytes(const char *text, uint64_t *bytes); /* with K, M, G or T */
bool cli_seconds(const char *text, double *seconds);
bool cli_timestamps(const char *text, enum step_timestamps *timestamps);
const char *cli_timestamps_name(enum step_timestamps timestamps);
bool cli_fault(const char *text, enum step_fault *fault);
const char *cli_fault_name(enum step_fault fault);

/* All cores, symmetry, and nine tenths of the memory that is free. */
void cli_default_limits(struct check_limits *limits, struct check_budget *budget);

/* Prints and drops `object`; "version": 1 is put first. Returns CLI_OK, or CLI_FAILED with a line
 * when standard output cannot be written. */
int cli_print_json(json_t *object);
/* As `status`, unless standard output could not be written. */
int cli_flush(int status);

/* A file that appears whole or not at all. */
struct cli_file {
    FILE *stream;
    char *path, *temporary;
};
bool cli_file_open(struct cli_file *file, const char *path);
bool cli_file_commit(struct cli_file *file);
void cli_file_abandon(struct cli_file *file);

/* The result of a check: report.c */
json_t *cli_report_json(const struct protocol_checked *checked);
void cli_report_text(const struct protocol_checked *checked);
/* Writes the witnesses to `path`, as text, or as JSON if it ends in .json. False: errno says why. */
bool cli_report_witnesses(const struct protocol_checked *checked, const char *path);

/* Witnesses: witness.c */
void cli_witness_text(FILE *stream, const struct protocol_checked *checked,
                      const struct check_result *result);
json_t *cli_witness_json(const struct protocol_checked *checked, const struct check_result *result);

#endif
