/*
 * Protocol files outside the tree: `berth check ./lock.c`. The file is compiled by the C compiler
 * of the machine, in both expansions, into a shared object that is kept by its content; berth-lab,
 * the dynamic twin of the command, loads it, and from then on it is a protocol like any other.
 */
#ifndef BERTH_CLI_OWN_FILE_H
#define BERTH_CLI_OWN_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* What the help of the commands says that take such a file. */
#define CLI_OWN_FILE_HELP                                                                          \
    "A protocol can be a file, ./lock.c: it is compiled, and its code runs as you. Name\n"         \
    "none that you would not run, not even with --help.\n"

struct cli_command;
struct protocol_model;
struct step_model;
struct step_params;

/* The argument that names a protocol file, such as "./lock.c" or "locks/a.c/broken", of a command
 * that takes one; NULL: there is none. `length` is that of the path without the variant. argv[1] is
 * the command. */
const char *cli_own_argument(const struct cli_command *command, int argc, char **argv,
                             size_t *length);

/* Compiles and loads the file that the arguments name, if they do: its code is run. CLI_OK, or the
 * status after a message. Only in berth-lab. */
int cli_own_load(const struct cli_command *command, int argc, char **argv);

/* own_build.c: compiles `path` into a shared object, whose path is written to `object`; *keep: it
 * stays where it is. CLI_OK, or the status after a message. */
int cli_own_build(const char *path, char *object, size_t size, bool *keep);

/* The file as rules, for `berth prove`, by a C++ compiler; to be freed. NULL: *why says what is
 * missing, or wrong with the file. */
char *cli_own_rules(const char *path, const char **why);

/* own_build.c: the text of a protocol file after the preprocessor, with the words of the notation
 * left as they are; `headers` is the folder that those of the notation are in. The caller frees it.
 * NULL: the preprocessor has said why, or cannot be run. */
char *cli_own_text(const char *path, char *headers, size_t size);

/* own_guard.c: a model that runs the code of `model` and survives it. */
void cli_own_guard(const struct protocol_model *model, struct protocol_model *guarded);
const char *cli_own_make(struct step_model *model, const struct step_params *params);

/* A folder that comes with the command: `name` below "share/berth" beside the command in the build
 * tree, or where it is installed. */
bool cli_own_folder(const char *name, char *path, size_t size);

#endif
