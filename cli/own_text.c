#include "own_text.h"

#include "cli.h"
#include "own_file.h"

#include "notation/picture.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int cli_own_read(const char *path, struct cli_own_reading *reading)
{
    struct notation_tokens tokens = {0};
    char headers[PATH_MAX];
    *reading = (struct cli_own_reading){.text = cli_own_text(path, headers, sizeof headers)};
    if (reading->text == NULL)
        return cli_error(CLI_USAGE, "%s does not compile", path);
    if (notation_scan(reading->text, headers, &tokens) && notation_read(&tokens, &reading->file))
        return CLI_OK;
    notation_scan_free(&tokens);
    cli_own_read_free(reading);
    return cli_error(CLI_FAILED, "there is no memory to read %s", path);
}

void cli_own_read_free(struct cli_own_reading *reading)
{
    notation_file_free(&reading->file);
    free(reading->text);
}

static int draw(const struct cli_own_reading *reading, const char *path, FILE *stream)
{
    const struct notation_token *section = NULL;
    if (notation_draw(&reading->file, stream, &section))
        return CLI_OK;
    return cli_error(CLI_FAILED, "%s: the section %.*s cannot be drawn", path,
                     section == NULL ? 0 : (int)section->length,
                     section == NULL ? "" : section->at);
}

int cli_own_draw(const char *path, const char *output)
{
    struct cli_own_reading reading;
    struct cli_file file;
    int status = cli_own_read(path, &reading);
    if (status != CLI_OK)
        return status;
    if (!cli_file_open(&file, output)) {
        status = cli_error(CLI_USAGE, "cannot write %s: %s", output, strerror(errno));
    } else if ((status = draw(&reading, path, file.stream)) != CLI_OK) {
        cli_file_abandon(&file);
    } else if (!cli_file_commit(&file)) {
        status = cli_error(CLI_FAILED, "cannot write %s: %s", output, strerror(errno));
    }
    cli_own_read_free(&reading);
    return status;
}

/* Whether a word at this token is what expands to the symbol: STEP_ALIVE is that of ALIVE, and
 * STEP_MAY_leave of MAY(leave). */
static bool is_word_of(const struct notation_tokens *tokens, size_t t, const char *symbol)
{
    static const char start[] = "STEP_";
    const struct notation_token *token = &tokens->token[t];
    if (strncmp(symbol, start, sizeof start - 1) != 0 ||
        strncmp(symbol + sizeof start - 1, token->at, token->length) != 0)
        return false;
    const char *rest = symbol + sizeof start - 1 + token->length;
    if (*rest == '\0')
        return true;
    return *rest == '_' && t + 2 < tokens->count && notation_is(&tokens->token[t + 2], rest + 1);
}

bool cli_own_missing(const char *path, const char *symbol, char *text, size_t size)
{
    struct cli_own_reading reading;
    bool found = false;
    if (cli_own_read(path, &reading) != CLI_OK)
        return false;
    const struct notation_tokens *tokens = &reading.file.tokens;
    for (size_t t = 0; t < tokens->count && !found; t++) {
        const struct notation_token *token = &tokens->token[t];
        found = token->kind == NOTATION_NAME && is_word_of(tokens, t, symbol);
        if (found)
            snprintf(text, size,
                     "%s, line %u: %.*s needs #define %s above #include \"step/step.h\": "
                     "what native code asks",
                     tokens->file[token->file], token->line, (int)token->length, token->at, symbol);
    }
    cli_own_read_free(&reading);
    return found;
}
