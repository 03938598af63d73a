/*
 * The page that shows runs: share/page, with the runs and the protocol's source in it, in one file
 * that needs no network.
 *
 * The data is one JSON object. What is said often is said once, in tables: `strings`, and `places`,
 * a list of [label, file, line] with label and file as numbers in `strings`; line 0: nowhere. A
 * step is
 *
 *     [edge, place, access, cell, value, region, locals, enabled, broken, waits, others]
 *
 * as enum check_access and check_region have them; value and locals are numbers in `strings`. After
 * the step, `enabled` is the set of enabled processes (-1: not known), `broken` that of the entries
 * of `checks` that do not hold; `waits` is 1 if nothing at all changed. `others` (left out where it
 * is empty) is what changed elsewhere, as triples: 0, cell, value or 1, process, locals. An edge e
 * is a move of process e % n, of kind e / n.
 */
#ifndef BERTH_CLI_PAGE_H
#define BERTH_CLI_PAGE_H

#include "cli.h"
#include "os/text_file.h"
#include "outlook.h"

extern const struct text_file page_files[];
extern const size_t page_files_count;

/* The data of a page in the making. */
struct cli_page {
    const struct protocol_choice *choice;
    const struct step_model *model;
    const struct cli_outlook *outlook;
    json_t *strings, *string_numbers; /* string_numbers: the index of each string in `strings` */
    json_t *places, *place_numbers;
    json_t *runs;
};

void cli_page_begin(struct cli_page *page, const struct protocol_choice *choice,
                    const struct step_model *model, const struct cli_outlook *outlook);
/* Adds a run: a witness of `line`, or (NULL) just a run. With `moves`, what can be done at its
 * end. */
void cli_page_add(struct cli_page *page, const struct check_witness *run,
                  const struct protocol_line *line, bool moves);
/* The whole data, with the sources if `sources`; NULL: no memory. Start the page again then. */
json_t *cli_page_end(struct cli_page *page, bool sources);

/* Writes the page with this data, which is dropped. False: no memory. */
bool cli_page_write(FILE *stream, json_t *data);

#endif
