/* Writes what the input says into a pool's words: mostly such as a pool could nearly have. */
#ifndef BERTH_FUZZ_WRITE_WORDS_H
#define BERTH_FUZZ_WRITE_WORDS_H

#include "input.h"

#include "pool/file.h"

/* One record of the input; `file` need not be more than the pointers and the geometry. */
void words_write(const struct pool_file *file, struct input *input);

#endif
