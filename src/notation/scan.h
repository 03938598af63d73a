/*
 * The text of a protocol file after the preprocessor, as tokens. The words of the notation are in
 * it as they were written (step/bare_words.h); what comes from system headers, and from those of
 * the notation, is left out.
 */
#ifndef BERTH_NOTATION_SCAN_H
#define BERTH_NOTATION_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum notation_kind {
    NOTATION_NAME, /* a keyword, too */
    NOTATION_NUMBER,
    NOTATION_STRING,
    NOTATION_SIGN, /* such as -> or == */
};

struct notation_token {
    enum notation_kind kind;
    const char *at; /* in the text that was scanned */
    unsigned length;
    unsigned file, line;
};

struct notation_tokens {
    struct notation_token *token;
    size_t count, room;
    char **file; /* the names of the files */
    unsigned files;
};

/* Scans `text`, which has to stay there. `headers` is the folder of the notation's headers. False:
 * there is no memory. */
bool notation_scan(const char *text, const char *headers, struct notation_tokens *tokens);
void notation_scan_free(struct notation_tokens *tokens);

bool notation_is(const struct notation_token *token, const char *text);
bool notation_same(const struct notation_token *a, const struct notation_token *b);

#endif
