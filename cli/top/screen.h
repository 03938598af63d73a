/* The screen of berth top: what is on it, what the keys do to that, and the terminal beneath. */
#ifndef BERTH_CLI_TOP_SCREEN_H
#define BERTH_CLI_TOP_SCREEN_H

#include "top.h"

/* How a person has arranged the view. */
struct screen {
    struct top *top;
    bool help;
    bool scroll_slots;         /* the arrows scroll the slots, and not the queue */
    size_t slots_at, queue_at; /* first lines */
    struct top_layout layout;  /* as drawn last */
};

/* screen.c */
void screen_draw(struct screen *screen);

/* keys.c */
enum screen_wish { SCREEN_GO_ON, SCREEN_LOOK, SCREEN_QUIT };
enum screen_wish screen_key(struct screen *screen, int key);

/* terminal.c: true if a screen can be drawn; otherwise a message says why. */
bool terminal_open(void);
/* The view, until the user quits; gives the exit status. A signal that ends it ends the program,
 * after the terminal has been restored. */
int terminal_run(struct top *top);

#endif
