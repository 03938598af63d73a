#include "notation/scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct scanner {
    const char *at, *headers;
    struct notation_tokens *tokens;
    unsigned file, line;
    bool left_out; /* the file that the text is from now */
};

bool notation_is(const struct notation_token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(token->at, text, token->length) == 0;
}

bool notation_same(const struct notation_token *a, const struct notation_token *b)
{
    return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

/* The number of the file that is called `name`, and is not left out; `files`: there is none. */
static unsigned find_file(const struct notation_tokens *tokens, const char *name, size_t length)
{
    unsigned f = 0;
    while (f < tokens->files &&
           (strlen(tokens->file[f]) != length || memcmp(tokens->file[f], name, length) != 0))
        f++;
    return f;
}

/* False: there is no memory. */
static bool add_file(struct notation_tokens *tokens, const char *name, size_t length)
{
    char **larger = realloc(tokens->file, (tokens->files + 1) * sizeof *larger);
    char *copy = strndup(name, length);
    if (larger != NULL)
        tokens->file = larger;
    if (larger == NULL || copy == NULL) {
        free(copy);
        return false;
    }
    tokens->file[tokens->files++] = copy;
    return true;
}

/* Reads a line marker, # 12 "file.h" 1 3; the 3 says that it is a system header. False: there is no
 * memory. */
static bool take_marker(struct scanner *scanner)
{
    static const char declarations[] = "step/bare_words.h";
    const char *end = strchr(scanner->at, '\n');
    const char *first = memchr(scanner->at, '"', end == NULL ? 0 : (size_t)(end - scanner->at));
    const char *last = first == NULL ? NULL : memchr(first + 1, '"', (size_t)(end - first) - 1);
    if (end == NULL || last == NULL) { /* #pragma and the like */
        scanner->at += strcspn(scanner->at, "\n");
        return true;
    }
    const size_t length = (size_t)(last - first) - 1, folder = strlen(scanner->headers);
    bool system = false;
    for (const char *flag = last; flag < end; flag++)
        system |= *flag == '3';
    const bool declares =
        length >= sizeof declarations - 1 &&
        memcmp(last - (sizeof declarations - 1), declarations, sizeof declarations - 1) == 0;
    /* A macro of a system header is marked like the header itself, in a file that is known. */
    scanner->file = find_file(scanner->tokens, first + 1, length);
    const bool known = scanner->file < scanner->tokens->files;
    scanner->left_out = !known && (system || first[1] == '<' ||
                                   (!declares && folder > 0 && length > folder &&
                                    memcmp(first + 1, scanner->headers, folder) == 0));
    scanner->line = (unsigned)strtoul(scanner->at + 1, NULL, 10) - 1;
    scanner->at = end;
    return known || scanner->left_out || add_file(scanner->tokens, first + 1, length);
}

static size_t length_of_string(const char *at)
{
    size_t length = 1;
    while (at[length] != '\0' && at[length] != at[0] && at[length] != '\n')
        length += at[length] == '\\' && at[length + 1] != '\0' ? 2 : 1;
    return at[length] == at[0] ? length + 1 : length;
}

static size_t length_of_sign(const char *at)
{
    static const char *const signs[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                        "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                        "*=",  "/=",  "%=",  "&=", "|=", "^="};
    for (size_t s = 0; s < sizeof signs / sizeof signs[0]; s++) {
        if (strncmp(at, signs[s], strlen(signs[s])) == 0)
            return strlen(signs[s]);
    }
    return 1;
}

static size_t length_of_word(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

/* 0x1p-3 and 1.5 are one token too. */
static size_t length_of_number(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.' ||
           ((at[length] == '-' || at[length] == '+') && length > 0 &&
            strchr("eEpP", at[length - 1]) != NULL && at[0] == '0' && (at[1] | 0x20) == 'x'))
        length++;
    return length;
}

static struct notation_token next_token(const struct scanner *scanner)
{
    const char *at = scanner->at;
    struct notation_token token = {
        .at = at, .file = scanner->file, .line = scanner->line, .kind = NOTATION_SIGN};
    if (isalpha((unsigned char)*at) || *at == '_') {
        token.kind = NOTATION_NAME;
        token.length = (unsigned)length_of_word(at);
    } else if (isdigit((unsigned char)*at)) {
        token.kind = NOTATION_NUMBER;
        token.length = (unsigned)length_of_number(at);
    } else if (*at == '"' || *at == '\'') {
        token.kind = NOTATION_STRING;
        token.length = (unsigned)length_of_string(at);
    } else {
        token.length = (unsigned)length_of_sign(at);
    }
    return token;
}

static bool keep(struct scanner *scanner, const struct notation_token *token)
{
    struct notation_tokens *tokens = scanner->tokens;
    if (scanner->left_out)
        return true;
    if (tokens->count == tokens->room) {
        const size_t room = tokens->room == 0 ? 4096 : 2 * tokens->room;
        struct notation_token *larger = realloc(tokens->token, room * sizeof *larger);
        if (larger == NULL)
            return false;
        tokens->token = larger;
        tokens->room = room;
    }
    tokens->token[tokens->count++] = *token;
    return true;
}

bool notation_scan(const char *text, const char *headers, struct notation_tokens *tokens)
{
    struct scanner scanner = {.at = text, .headers = headers, .tokens = tokens, .line = 1};
    bool start = true; /* of a line */
    *tokens = (struct notation_tokens){0};
    while (*scanner.at != '\0') {
        if (*scanner.at == '\n') {
            scanner.line++;
            start = true;
            scanner.at++;
        } else if (isspace((unsigned char)*scanner.at)) {
            scanner.at++;
        } else if (*scanner.at == '#' && start) {
            if (!take_marker(&scanner))
                return false;
        } else {
            const struct notation_token token = next_token(&scanner);
            start = false;
            scanner.at += token.length;
            if (!keep(&scanner, &token))
                return false;
        }
    }
    return true;
}

void notation_scan_free(struct notation_tokens *tokens)
{
    for (unsigned f = 0; f < tokens->files; f++)
        free(tokens->file[f]);
    free(tokens->file);
    free(tokens->token);
    *tokens = (struct notation_tokens){0};
}
