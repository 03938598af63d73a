#include "screen.h"

#include <ncurses.h>

static void choose(struct screen *screen, size_t step)
{
    struct top *top = screen->top;
    if (top->count < 2)
        return;
    top->selected = (top->selected + step) % top->count;
    screen->slots_at = screen->queue_at = 0;
}

/* A position beyond the end is corrected when it is drawn. */
static void scroll_by(struct screen *screen, int key)
{
    size_t *at = screen->scroll_slots ? &screen->slots_at : &screen->queue_at;
    const unsigned rows = screen->scroll_slots ? screen->layout.slots : screen->layout.queue;
    const size_t page = rows > 1 ? rows - 1 : 1;
    switch (key) {
    case KEY_UP:
    case 'k': *at -= *at > 0; break;
    case KEY_DOWN:
    case 'j': *at += 1; break;
    case KEY_PPAGE: *at -= *at < page ? *at : page; break;
    case KEY_NPAGE: *at += page; break;
    case KEY_HOME: *at = 0; break;
    case KEY_END: *at = BERTH_MAX_SEATS; break;
    default: break;
    }
}

enum screen_wish screen_key(struct screen *screen, int key)
{
    enum { CTRL_L = 12 };
    if (key == KEY_RESIZE)
        return SCREEN_GO_ON;
    if (key == 'q' || key == 'Q')
        return SCREEN_QUIT;
    if (screen->help) {
        screen->help = false;
        return SCREEN_GO_ON;
    }
    switch (key) {
    case '?':
    case 'h': screen->help = true; break;
    case '\t':
    case KEY_RIGHT: choose(screen, 1); break;
    case KEY_BTAB:
    case KEY_LEFT: choose(screen, screen->top->count - 1); break;
    case 's': screen->scroll_slots = !screen->scroll_slots; break;
    case ' ': return SCREEN_LOOK;
    case CTRL_L: clearok(curscr, TRUE); break;
    default: scroll_by(screen, key);
    }
    return SCREEN_GO_ON;
}
