/*
 * Text that somebody else wrote: another user of a pool, a process, a server, the owner of a file.
 * Such bytes are kept in a type of their own, which cannot be printed or compared as a string; the
 * functions here are the only way from it to text.
 */
#ifndef BERTH_OS_FOREIGN_H
#define BERTH_OS_FOREIGN_H

#include <stddef.h>

/* They may be any bytes, change at any moment, and end at the first 0, or nowhere. */
struct os_foreign {
    const char *bytes;
    size_t size;
};

/* Of an array of bytes in a struct of its own. */
#define OS_FOREIGN(array) ((struct os_foreign){(array).bytes, sizeof(array).bytes})

/* The length of the character of UTF-8 at `text`, of which `size` bytes are there, and its number;
 * 0: it is none. */
size_t os_character(const char *text, size_t size, unsigned *code);

/* Writes `text` to `clean`, which has `room` bytes, as something that a terminal shows in one line
 * and does not obey: valid UTF-8, without control characters and without those that are not seen or
 * change the order of others. A character that was cut off at the end of `text` is left out. The
 * result is never longer than `text`, and may be written over it. */
void os_clean(char *clean, size_t room, struct os_foreign text);

#endif
