#include "random_table.h"

/* A local state that a step from a state of this region may lead to: R->T/C, T->T/C, C->E/R,
 * E->E/R; past the doorway there is no way back into it. A process that quits goes from T to R or
 * E. */
static uint8_t random_target(const struct table *table, struct dice *dice, unsigned from,
                             bool quits)
{
    const uint8_t *region = table->region;
    for (;;) {
        unsigned to = dice_below(dice, table->locals);
        bool fits = false;
        switch (region[from]) {
        case CHECK_REMAINDER:
        case CHECK_DOORWAY:
            fits = check_trying((enum check_region)region[to]) || region[to] == CHECK_CRITICAL;
            break;
        case CHECK_WAITING:
            fits = region[to] == CHECK_WAITING || region[to] == CHECK_CRITICAL;
            break;
        default: fits = region[to] == CHECK_EXIT || region[to] == CHECK_REMAINDER; break;
        }
        if (quits && check_trying((enum check_region)region[from]))
            fits = region[to] == CHECK_EXIT || region[to] == CHECK_REMAINDER;
        if (fits)
            return (uint8_t)to;
    }
}

static struct entry random_entry(const struct table *table, struct dice *dice, unsigned from)
{
    return (struct entry){(uint8_t)dice_below(dice, table->values),
                          random_target(table, dice, from, false)};
}

void random_fill(struct table *table, struct dice *dice, bool alike)
{
    for (unsigned p = 0; p < table->check.n; p++) {
        for (unsigned v = 0; v < table->values; v++) {
            for (unsigned x = 0; x < table->locals; x++)
                table->next[p][v][x] =
                    alike && p > 0 ? table->next[0][v][x] : random_entry(table, dice, x);
        }
    }
}

/* Changes a few entries; `alike`: for all processes. */
static void random_change(struct table *table, struct dice *dice, unsigned changes, bool alike)
{
    for (unsigned c = 0; c < changes; c++) {
        unsigned v = dice_below(dice, table->values), x = dice_below(dice, table->locals);
        unsigned first = dice_below(dice, table->check.n);
        struct entry entry = random_entry(table, dice, x);
        for (unsigned p = 0; p < table->check.n; p++) {
            if (alike || p == first)
                table->next[p][v][x] = entry;
        }
    }
}

void random_regions(struct table *table, struct dice *dice, bool doorway, bool exits, unsigned most)
{
    uint8_t *region = table->region;
    unsigned count = 0;
    region[count++] = CHECK_REMAINDER;
    region[count++] = CHECK_WAITING;
    region[count++] = CHECK_CRITICAL;
    if (doorway)
        region[count++] = CHECK_DOORWAY;
    if (exits)
        region[count++] = CHECK_EXIT;
    while (count < most) {
        static const uint8_t more[] = {CHECK_WAITING,   CHECK_WAITING,  CHECK_WAITING,
                                       CHECK_REMAINDER, CHECK_CRITICAL, CHECK_DOORWAY,
                                       CHECK_EXIT};
        uint8_t one = more[dice_below(dice, 7)];
        if ((one != CHECK_DOORWAY || doorway) && (one != CHECK_EXIT || exits))
            region[count++] = one;
    }
    table->locals = count;
}

/* The other outcome of a step, or that it does not ask; `alike`: for all processes. */
static void random_choice(struct table *table, struct dice *dice, bool alike)
{
    const unsigned v = dice_below(dice, table->values), x = dice_below(dice, table->locals);
    const unsigned first = dice_below(dice, table->check.n);
    const bool asks = dice_below(dice, 3) != 0;
    const struct entry entry = {(uint8_t)dice_below(dice, table->values),
                                random_target(table, dice, x, dice_below(dice, 2) == 0)};
    for (unsigned p = 0; p < table->check.n; p++) {
        if (!alike && p != first)
            continue;
        table->asks[p][v][x] = asks;
        table->other[p][v][x] = entry;
    }
}

static void random_quits(struct table *table, struct dice *dice, bool alike)
{
    const unsigned v = dice_below(dice, table->values), x = dice_below(dice, table->locals);
    if (!check_trying((enum check_region)table->region[x]))
        return;
    struct entry entry = {(uint8_t)dice_below(dice, table->values),
                          random_target(table, dice, x, true)};
    for (unsigned p = 0; p < (alike ? table->check.n : 1); p++)
        table->next[p][v][x] = entry;
}

/* Death, to the remainder or to a state of its own, sometimes with an effect on V. */
static void random_deaths(struct table *table, struct dice *dice, struct random_wish wish)
{
    const unsigned v = dice_below(dice, table->values);
    const uint8_t after = (uint8_t)dice_below(dice, table->values);
    const unsigned only = dice_below(dice, 2 * table->locals);
    if (wish.kills)
        table_allow_kills(table);
    else
        table_allow_death(table);
    for (unsigned x = 0; x < table->locals; x++) {
        if (only >= table->locals || x == only)
            table->after_death[v][x] = after;
    }
    /* Then a fault does more than to its own process. */
    table->check.local_moves = after == v;
}

/* The numbers of slots: now and then one that is taken, or that there is none of. */
static void random_slots(struct table *table, struct dice *dice, bool alike)
{
    for (unsigned c = dice_below(dice, 3); c > 0; c--) {
        const unsigned v = dice_below(dice, table->values), x = dice_below(dice, table->locals);
        const uint8_t slot = (uint8_t)dice_below(dice, table->check.l + 1);
        const unsigned first = dice_below(dice, table->check.n);
        for (unsigned p = 0; p < table->check.n; p++) {
            if (alike || p == first)
                table->slot[p][v][x] = slot;
        }
    }
    if (dice_below(dice, 3) == 0) {
        table->check.slots = table_slots;
        for (unsigned v = 0; v < table->values; v++)
            table->slots[v] = (uint8_t)dice_below(dice, table->check.l + 1);
    }
}

/* It mostly leaves V alone, or there would be little order among the workers. */
static void random_supervisor(struct table *table, struct dice *dice)
{
    table_add_supervisor(table);
    const unsigned p = table->check.n - 1;
    for (unsigned v = 0; v < table->values; v++) {
        for (unsigned x = 0; x < table->locals; x++)
            table->next[p][v][x] = (struct entry){
                (uint8_t)(dice_below(dice, 3) > 0 ? v : dice_below(dice, table->values)),
                (uint8_t)dice_below(dice, dice_below(dice, 2) + 1)};
    }
}

void random_table(struct table *table, struct dice *dice, struct random_wish wish)
{
    const unsigned n = wish.n, words = 1 + dice_below(dice, 3);
    const unsigned l = 1 + dice_below(dice, n > 2 ? 2 : 1);
    switch (dice_below(dice, wish.alike ? 3 : 4)) {
    case 0:
        table_begin(table, n, 2 + dice_below(dice, n > 2 ? 1 : 3), 0, words);
        random_regions(table, dice, wish.doorway, wish.exits,
                       n > 2 ? (wish.alike ? 3 : 4) : 4 + dice_below(dice, 3));
        table->first_value = dice_below(dice, table->values);
        random_fill(table, dice, wish.alike);
        break;
    case 1:
        table_semaphore(table, n, l, wish.exits, words);
        random_change(table, dice, dice_below(dice, 5), wish.alike);
        break;
    case 2:
        table_pool(table, n, words);
        random_change(table, dice, dice_below(dice, 5), wish.alike);
        break;
    default:
        table_queue(table, n, l, wish.doorway, wish.exits, words);
        random_change(table, dice, dice_below(dice, 6), false);
        break;
    }
    table->check.l = l;
    table->check.k = 1 + dice_below(dice, n);
    table->check.anonymous = wish.alike;
    table->check.own_steps = wish.own_steps;
    if (wish.quits)
        random_quits(table, dice, wish.alike);
    if (wish.choices) {
        table_allow_choices(table);
        for (unsigned c = dice_below(dice, 5); c > 0; c--)
            random_choice(table, dice, wish.alike);
    }
    if (wish.deaths || wish.kills)
        random_deaths(table, dice, wish);
    random_slots(table, dice, wish.alike);
    table->check.local_moves = table->check.local_moves && !wish.bars;
    for (unsigned p = 0; p < n; p++) {
        for (unsigned v = 0; v < table->values && wish.bars; v++)
            table->barred[p][v] =
                wish.alike && p > 0 ? table->barred[0][v] : dice_below(dice, 4) == 0;
        for (unsigned x = 0; x < table->locals; x++)
            table->competes[p][x] =
                wish.alike && p > 0 ? table->competes[0][x] : dice_below(dice, 2) == 0;
    }
    if (dice_below(dice, 2) == 0) {
        table->check.active = table_active;
    }
    if (wish.supervisor)
        random_supervisor(table, dice);
}
