#include "os/foreign.h"

#include <stdbool.h>
#include <string.h>

/* A byte that begins a character tells how many there are; 1 for any other. */
static size_t length_by(unsigned char lead)
{
    return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 1;
}

size_t os_character(const char *text, size_t size, unsigned *code)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char lead = (unsigned char)text[0];
    const size_t length = length_by(lead);
    if (length > size || (length == 1 && lead >= 0x80))
        return 0;
    *code = length == 1 ? lead : lead & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        const unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (next & 0x3f);
    }
    const bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

/* Whether what is left of a text is the beginning of a character: it was cut there. */
static bool is_cut_off(const char *text, size_t size)
{
    if (size >= length_by((unsigned char)text[0]))
        return false;
    for (size_t i = 1; i < size; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return false;
    }
    return true;
}

/* Control characters (ECMA-48); and of Unicode's format characters those without a form, marks of
 * direction, separators of lines, and tags. */
static bool is_hidden(unsigned code)
{
    static const struct {
        unsigned first, last;
    } ranges[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},      {0x61c, 0x61c},
                  {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                  {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    }
    return false;
}

void os_clean(char *clean, size_t room, struct os_foreign text)
{
    /* Another process may be writing: nothing is read twice that is then relied upon. */
    const size_t size = strnlen(text.bytes, text.size);
    size_t used = 0;
    for (size_t at = 0; at < size && used + 1 < room;) {
        char bytes[4];
        unsigned code = 0;
        const size_t left = size - at < sizeof bytes ? size - at : sizeof bytes;
        memcpy(bytes, text.bytes + at, left);
        const size_t length = os_character(bytes, left, &code);
        if (length > room - 1 - used || (length == 0 && is_cut_off(bytes, left)))
            break;
        if (length == 0 || is_hidden(code)) {
            clean[used++] = length > 0 && code < 0x80 ? ' ' : '?';
        } else {
            memcpy(clean + used, bytes, length);
            used += length;
        }
        at += length > 0 ? length : 1;
    }
    clean[used] = '\0';
}
