/* Words, numbers and names of a table's text, and where in it an error is. */
#ifndef BERTH_REFUTE_READER_H
#define BERTH_REFUTE_READER_H

#include "refute/table.h"

struct reader {
    const char *file, *at, *end;
    unsigned line;
    char word[TABLE_NAME]; /* the last one read */
    char *error;
    size_t error_size;
};

enum token { WORD, END_OF_LINE, BAD };

/* Writes "FILE:LINE: ..." to the error; false, for the caller to return. */
bool reader_fail(struct reader *reader, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next word of the line. The end of the line is not passed. */
enum token reader_word(struct reader *reader);
/* The same where there has to be one, or none. */
bool reader_expect(struct reader *reader, const char *what);
bool reader_end(struct reader *reader);
bool reader_number(struct reader *reader, const char *what, unsigned least, unsigned most,
                   unsigned *number);

/* Names with their numbers, found by hashing. */
struct names {
    table_name *name;
    uint16_t *slot; /* number + 1; 0: free */
    unsigned count, most, slots;
};

enum { NAME_NONE = UINT16_MAX };

bool names_open(struct names *names, unsigned most);
unsigned names_find(const struct names *names, const char *name); /* NAME_NONE: there is none */
bool names_add(struct names *names, const char *name);            /* false: there are too many */

#endif
