/* `berth check --gpu`: where the kernels are, and what is said about it. */
#ifndef BERTH_CLI_CHECK_GPU_H
#define BERTH_CLI_CHECK_GPU_H

#include "cli.h"
#include "protocol_or_table.h"

/* From now on a GPU is asked first, for this system. */
void cli_gpu_prepare(const struct cli_system *system, struct check_limits *limits);
/* What was done there, if anything. */
void cli_gpu_report_json(const struct protocol_checked *checked, json_t *report);
void cli_gpu_report_text(const struct protocol_checked *checked);

/* own_build.c: the kernels of a protocol file of the user's, as PTX, for states of this many words.
 * The caller frees the text; NULL: *why says why there is none. */
char *cli_own_kernels(const char *path, unsigned words, const char **why);

#endif
