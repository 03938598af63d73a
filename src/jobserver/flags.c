#include "jobserver/flags.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- MAKEFLAGS ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* What is said of a jobserver: its place, and how many jobs there are. */
static bool is_about_jobs(const char *word, size_t length)
{
    if (begins(word, "--jobserver-auth=") || begins(word, "--jobserver-fds=") ||
        begins(word, "--jobserver-style=") || begins(word, "--jobs=") ||
        (length == 6 && begins(word, "--jobs")))
        return true;
    return length >= 2 && begins(word, "-j") && strspn(word + 2, "0123456789") >= length - 2;
}

/* One word of `text`, and what follows it. A backslash keeps a blank in a word. */
static size_t word_at(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' && text[length] != ' ')
        length += text[length] == '\\' && text[length + 1] != '\0' ? 2 : 1;
    return length;
}

/* Copies the words up to "--", which assignments of variables follow; what follows stays there. */
static const char *put_rest(FILE *out, const char *before)
{
    const char *text = before;
    while (*text != '\0') {
        const size_t length = word_at(text);
        if (length == 2 && begins(text, "--"))
            return text;
        /* A first word without a dash is a bundle of letters, and has to stay first. */
        if (length > 0 && !is_about_jobs(text, length))
            fprintf(out, "%s%.*s", text == before && *text != '-' ? "" : " ", (int)length, text);
        text += length + (text[length] == ' ');
    }
    return text;
}

char *flags_make(const char *before, const struct pipes *pipes, unsigned jobs)
{
    char *flags = NULL;
    size_t size;
    FILE *out = open_memstream(&flags, &size);
    if (out == NULL)
        return NULL;
    const char *variables = put_rest(out, before != NULL ? before : "");
    fprintf(out, " -j%u --jobserver-auth=", jobs);
    if (pipes->form == PIPES_FIFO)
        fprintf(out, "fifo:%s", pipes->path);
    else
        fprintf(out, "%d,%d", pipes->client[0], pipes->client[1]);
    if (*variables != '\0')
        fprintf(out, " %s", variables);
    const bool written = !ferror(out);
    if (fclose(out) == 0 && written)
        return flags;
    free(flags);
    return NULL;
}

/* ---- arguments ---- */

enum flags_program flags_program(const char *path)
{
    static const struct {
        const char *name;
        enum flags_program program;
    } known[] = {
        {"make", FLAGS_MAKE},   {"gmake", FLAGS_MAKE}, {"gnumake", FLAGS_MAKE},
        {"ninja", FLAGS_NINJA}, {"samu", FLAGS_NINJA}, {"ninja-build", FLAGS_NINJA},
        {"cargo", FLAGS_CARGO},
    };
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i].name) == 0)
            return known[i].program;
    }
    return FLAGS_OTHER;
}

static bool is_number(const char *text)
{
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static unsigned number_in(const char *text)
{
    const unsigned long number = strtoul(text, NULL, 10);
    return number < 1000000 ? (unsigned)number : 1000000;
}

/* A bundle of letters: up to one that takes the rest of the word. Where -j is, or NULL. */
static char *find_j(enum flags_program program, char *word)
{
    const char *taking = program == FLAGS_MAKE ? "CEfIloOW" : "Cfkldtw";
    if (word[0] != '-' || word[1] == '-')
        return NULL;
    for (char *letter = word + 1; *letter != '\0'; letter++) {
        if (*letter == 'j')
            return letter;
        if (strchr(taking, *letter) != NULL || isdigit((unsigned char)*letter))
            return NULL;
    }
    return NULL;
}

/* Whether the word is an option that has its value in the next one. */
static bool takes_next(enum flags_program program, const char *word)
{
    static const char *const make_long[] = {
        "--directory",  "--file",       "--makefile", "--include-dir", "--old-file",
        "--assume-old", "--assume-new", "--what-if",  "--new-file",    "--eval"};
    const char *taking = program == FLAGS_MAKE ? "CEfIoW" : "Cfkldtw";
    const size_t length = strlen(word);
    for (unsigned i = 0; i < sizeof make_long / sizeof make_long[0]; i++) {
        if (program == FLAGS_MAKE && strcmp(word, make_long[i]) == 0)
            return true;
    }
    if (length < 2 || word[0] != '-' || word[1] == '-')
        return false;
    const char *first = strpbrk(word + 1, taking);
    return first != NULL && first[1] == '\0';
}

/* Takes it out of the word at `from`. How many words are left out: 0, 1, or 2 with the number. */
static unsigned take_from(enum flags_program program, char **from, unsigned *jobs)
{
    char *word = *from, *j = find_j(program, word);
    if (begins(word, "--jobs=") && is_number(word + 7)) {
        *jobs = number_in(word + 7);
        return 1;
    }
    if (j == NULL && strcmp(word, "--jobs") != 0)
        return 0;
    const char *digits = j != NULL ? j + 1 : "";
    const bool is_next = *digits == '\0' && from[1] != NULL && is_number(from[1]);
    const size_t length = strspn(digits, "0123456789");
    *jobs = is_next ? number_in(from[1]) : length > 0 ? number_in(digits) : 0;
    if (j == NULL || (j == word + 1 && digits[length] == '\0'))
        return is_next ? 2 : 1;
    memmove(j, digits + length, strlen(digits + length) + 1); /* other letters stay */
    if (is_next)
        memmove(from + 1, from, sizeof *from); /* and the number goes: the word takes its place */
    return is_next ? 1 : 0;
}

unsigned flags_take_jobs(enum flags_program program, char **argv)
{
    unsigned jobs = 0;
    char **to = argv;
    if ((program != FLAGS_MAKE && program != FLAGS_NINJA) || *argv == NULL)
        return 0;
    *to++ = *argv;
    for (char **from = argv + 1; *from != NULL;) {
        if (strcmp(*from, "--") == 0) {
            while (*from != NULL)
                *to++ = *from++;
            break;
        }
        if (takes_next(program, *from) && from[1] != NULL) {
            *to++ = *from++;
            *to++ = *from++;
            continue;
        }
        const unsigned left_out = take_from(program, from, &jobs);
        from += left_out;
        if (left_out == 0)
            *to++ = *from++;
    }
    *to = NULL;
    return jobs;
}
