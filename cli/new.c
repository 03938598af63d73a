/* berth new: a protocol file to start from. */
#include "cli.h"

#include "new.h"

#include "protocol/source.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };

/* `name` as a C name. */
static bool c_name(const char *name, char *text)
{
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < MOST; i++) {
        const char c = name[i];
        if (!isalnum((unsigned char)c) && c != '-' && c != '_')
            return false;
        text[i] = c == '-' ? '_' : c;
    }
    text[i] = '\0';
    return i > 0 && name[i] == '\0' && !isdigit((unsigned char)name[0]);
}

/* Writes the template, with @WORD@ replaced. */
static void put_template(FILE *stream, const char *text, const char *name, const char *plain)
{
    const struct {
        const char *word, *value, *end;
    } words[] = {{"@NAME@", name, ""},
                 {"@PLAIN@", plain, ""},
                 {"@TITLE@", plain, ""},
                 {"@FILE@", plain, ".c"}};
    for (const char *c = text; *c != '\0';) {
        bool replaced = false;
        for (size_t w = 0; w < sizeof words / sizeof words[0] && !replaced; w++) {
            const size_t length = strlen(words[w].word);
            if (strncmp(c, words[w].word, length) != 0)
                continue;
            fprintf(stream, "%s%s", words[w].value, words[w].end);
            c += length;
            replaced = true;
        }
        if (!replaced)
            fputc(*c++, stream);
    }
}

/* The source of a protocol of the catalogue, if it is one file. */
static int find_like(const char *like, const char **text)
{
    struct protocol_choice choice;
    if (!protocol_find(like, &choice))
        return cli_error(CLI_USAGE, "no such protocol: %s (berth protocols lists them)", like);
    const struct text_file *source = protocol_source_find(choice.protocol->file);
    if (source == NULL)
        return cli_error(CLI_FAILED, "the source of %s is not there", like);
    for (const char *line = source->text; line != NULL; line = strchr(line + 1, '\n')) {
        const char *include = strstr(line, "#include \"");
        if (include == NULL)
            break;
        if (strncmp(include, "#include \"step/", 15) != 0)
            return cli_error(CLI_USAGE, "%s is made of more than one file; try peterson or bakery",
                             like);
        line = include;
    }
    *text = source->text;
    return CLI_OK;
}

/* A file that is there already is left alone. */
static int write_file(const char *path, const char *text, const char *name, const char *plain,
                      bool is_template)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (stream == NULL) {
        const int error = errno;
        if (descriptor >= 0) {
            close(descriptor);
            unlink(path);
        }
        return cli_error(CLI_USAGE, "cannot write %s: %s", path, strerror(error));
    }
    if (is_template)
        put_template(stream, text, name, plain);
    else
        fputs(text, stream);
    const bool written = !ferror(stream);
    if (fclose(stream) != 0 || !written)
        return cli_error(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
    printf("%s: berth check ./%s\n", path, path);
    return cli_flush(CLI_OK);
}

static int run(int argc, char **argv)
{
    const char *like = NULL, *given = NULL;
    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "--like") == 0 && a + 1 < argc)
            like = argv[++a];
        else if (strncmp(argv[a], "--like=", 7) == 0)
            like = argv[a] + 7;
        else if (argv[a][0] == '-' || given != NULL)
            return cli_usage(&cli_new, "unexpected argument: %s", argv[a]);
        else
            given = argv[a];
    }
    if (given == NULL)
        return cli_usage(&cli_new, "a name is missing");
    char name[MOST], plain[MOST], path[MOST + 8];
    snprintf(plain, sizeof plain, "%.*s", (int)(strlen(given) - (cli_ends_in(given, ".c") ? 2 : 0)),
             given);
    if (!c_name(plain, name))
        return cli_usage(&cli_new, "not a name of letters, digits, - and _: %s", given);
    snprintf(path, sizeof path, "%s.c", plain);
    const char *text = new_files[0].text;
    const int status = like == NULL ? CLI_OK : find_like(like, &text);
    return status != CLI_OK ? status : write_file(path, text, name, plain, like == NULL);
}

const struct cli_command cli_new = {
    .name = "new",
    .synopsis = "NAME [--like PROTOCOL]",
    .about = "write a protocol file to begin with, NAME.c",
    .run = run,
    .help = "  --like PROTOCOL  a copy of this one of the catalogue, not the commented first lock\n"
            "\n"
            "The file checks at once: berth check ./NAME.c\n"
            "\n"
            "Exit status: 0 it was written, 2 bad usage, or the file is there already, 125 berth\n"
            "itself failed.\n",
};
