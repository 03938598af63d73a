/* A protocol that is not in the catalogue: one file of the user's, loaded by berth-lab. */
#ifndef BERTH_PROTOCOL_OWN_H
#define BERTH_PROTOCOL_OWN_H

#include "os/text_file.h"
#include "step/protocol.h"

struct protocol_own {
    const char *path; /* as it was given; NULL: there is none */
    const struct protocol_model *model;
    const struct protocol_native *native;
};
extern struct protocol_own protocol_own;

/* Adds the protocol of a user's file to the catalogue, under the name `path`. False: its data
 * contradict each other, and `text` says how (protocol_wrong). */
bool protocol_own_register(const char *path, const struct protocol_model *model,
                           const struct protocol_native *native, char *text, size_t size);

/* What is wrong with a protocol as data, whatever its code does: claims that contradict each other,
 * variants that do not agree with what the code calls them, and the like. NULL, or `text`. */
const char *protocol_wrong(const struct protocol_model *model, char *text, size_t size);

/* Whether two accesses have one label. That is in order where no variant makes both. */
bool protocol_labels_twice(const struct protocol_model *model);

/* The text of a file of the user's; NULL: it cannot be read. */
const struct text_file *protocol_own_source(const char *path);

#endif
