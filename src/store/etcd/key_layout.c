#include "store/etcd/key_layout.h"

#include <stdio.h>
#include <string.h>

void layout_copy(char *to, size_t room, const char *from)
{
    const size_t length = strnlen(from, room - 1);
    memmove(to, from, length);
    to[length] = '\0';
}

void layout_in(const struct layout *layout, char folder, const char *rest, layout_key key)
{
    snprintf(key, LAYOUT_KEY, "%suse/%s/%c/%s", layout->prefix, layout->name, folder, rest);
}

void layout_slot(const struct layout *layout, unsigned slot, layout_key key)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%04u", slot);
    layout_in(layout, LAYOUT_SLOTS, digits, key);
}

void layout_used(const struct layout *layout, unsigned slot, layout_key key)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%04u", slot);
    layout_in(layout, LAYOUT_USED, digits, key);
}

void layout_mark(const struct layout *layout, layout_key key)
{
    snprintf(key, LAYOUT_KEY, "%s.berth", layout->prefix);
}

void layout_door(const struct layout *layout, layout_key key)
{
    snprintf(key, LAYOUT_KEY, "%s.door", layout->prefix);
}

void layout_pool(const struct layout *layout, layout_key key)
{
    snprintf(key, LAYOUT_KEY, "%spools/%s", layout->prefix, layout->name);
}

void layout_end(const char *key, layout_key end)
{
    const size_t length = strnlen(key, LAYOUT_KEY - 1);
    memcpy(end, key, length);
    end[length] = '\0';
    if (length > 0)
        end[length - 1]++; /* no key of ours ends in 0xff */
}
