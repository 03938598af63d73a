/* Text that other processes wrote, made fit to be shown. */
#include "pool_command.h"

#include <string.h>

/* A string's final 0 is not a continuation byte, so nothing is read beyond it. */
size_t cli_character(const unsigned char *text, unsigned *code)
{
    size_t length = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text[0] >= 0xf8 || (text[0] & lead[length]) != lead[length])
        return 0;
    *code = length == 1 ? text[0] : text[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

/* Whether the text ends in the middle of a character: it was cut there. */
static bool cut_short(const char *text)
{
    unsigned char lead = (unsigned char)*text;
    size_t length = strlen(text), whole = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return false;
    }
    return lead >= 0xc0 && lead < 0xf8 && length < whole;
}

void cli_clean(char clean[BERTH_COMMAND_MAX], const char *text, bool for_terminal)
{
    size_t used = 0;
    size_t room = BERTH_COMMAND_MAX - 1;
    while (*text != '\0' && used < room) {
        unsigned code = 0;
        size_t length = cli_character((const unsigned char *)text, &code);
        bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
        if (length > room - used || (length == 0 && cut_short(text)))
            break;
        if (length == 0 || (for_terminal && control)) {
            clean[used++] = length > 0 && strchr("\t\n\v\f\r", (int)code) != NULL ? ' ' : '?';
        } else {
            memcpy(clean + used, text, length);
            used += length;
        }
        text += length > 0 ? length : 1;
    }
    clean[used] = '\0';
}
