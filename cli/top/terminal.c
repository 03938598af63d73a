/*
 * The terminal and the signals. Signals are let in while we wait for keys and at no other time, so
 * a handler has only to say that it was called, and nothing is missed between a look and a wait.
 * Whatever ends or stops the program, the terminal is restored first.
 */
#include "screen.h"

#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static volatile sig_atomic_t ended_by, stopped, resumed;

static FILE *keys; /* where they come from */
static SCREEN *drawn;

/* ---- signals ---- */

static void take_note(int signal)
{
    switch (signal) {
    case SIGTSTP: stopped = 1; break;
    case SIGCONT: resumed = 1; break;
    case SIGWINCH:
        break; /* the size is looked up before each drawing; this ends the wait for keys */
    default: ended_by = signal;
    }
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

/* What we were started with as ignored stays so. */
static void handle_if_wanted(int signal, sigset_t *set)
{
    struct sigaction before;
    if (sigaction(signal, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
        return;
    handle(signal, take_note);
    sigaddset(set, signal);
}

/* *outside: the mask for waiting. */
static void catch_signals(sigset_t *outside)
{
    sigset_t set;
    sigemptyset(&set);
    for (unsigned i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        handle_if_wanted(deadly[i], &set);
    handle_if_wanted(SIGTSTP, &set);
    handle(SIGCONT, take_note);
    handle(SIGWINCH, take_note);
    sigaddset(&set, SIGCONT);
    sigaddset(&set, SIGWINCH);
    sigprocmask(SIG_BLOCK, &set, outside);
}

/* As if there had been no handler. */
static void suffer(int signal)
{
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, signal);
    handle(signal, SIG_DFL);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &one, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- the terminal ---- */

/* Keys come from standard input; where that is something else, from the terminal itself. */
static bool find_keys(void)
{
    if (isatty(STDIN_FILENO))
        keys = stdin;
    else
        keys = fopen("/dev/tty", "re");
    return keys != NULL;
}

/* Whether the terminal is a known one, and not just a printer. */
static bool can_draw(void)
{
    int found = 0;
    if (getenv("TERM") == NULL || setupterm(NULL, STDOUT_FILENO, &found) != OK)
        return false;
    const bool can = tigetstr("cup") != NULL && tigetstr("clear") != NULL;
    del_curterm(cur_term); /* newterm makes its own */
    return can;
}

bool terminal_open(void)
{
    if (!find_keys()) {
        cli_error(CLI_OK, "top: there is no terminal to read keys from: one look instead");
        return false;
    }
    if (!can_draw()) {
        const char *name = getenv("TERM");
        wchar_t wide[64];
        top_clean(wide, name != NULL ? name : "", 63);
        cli_error(CLI_OK,
                  "top: no screen can be drawn on the terminal \"%ls\" (TERM): one look instead",
                  wide);
        return false;
    }
    return true;
}

static bool begin(void)
{
    drawn = newterm(NULL, stdout, keys);
    if (drawn == NULL)
        return false;
    cbreak();
    noecho();
    nonl();
    nodelay(stdscr, TRUE);
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    return true;
}

static void end(void)
{
    endwin();
    delscreen(drawn);
}

/* Other programs may have used the terminal since, and its size may have changed. In the background
 * the kernel stops us here until we are in the foreground again. */
static void come_back(void)
{
    resumed = 0;
    reset_prog_mode();
    curs_set(0);
    clearok(curscr, TRUE);
}

static void stop(void)
{
    stopped = 0;
    endwin();
    suffer(SIGTSTP);
    handle(SIGTSTP, take_note);
    come_back();
}

static void fit(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
        is_term_resized(size.ws_row, size.ws_col))
        resizeterm(size.ws_row, size.ws_col);
}

/* ---- the loop ---- */

static struct timespec until(const struct timespec *deadline)
{
    struct timespec now = *deadline, left = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > deadline->tv_sec ||
        (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec))
        return left;
    left.tv_sec = deadline->tv_sec - now.tv_sec;
    left.tv_nsec = deadline->tv_nsec - now.tv_nsec;
    if (left.tv_nsec < 0) {
        left.tv_nsec += 1000000000;
        left.tv_sec--;
    }
    return left;
}

enum attended { LOOK, QUIT, LOST };

/* Draws, and obeys keys until the next look is due. */
static enum attended attend(struct screen *screen, const struct timespec *deadline,
                            const sigset_t *outside)
{
    for (;;) {
        enum screen_wish wish = SCREEN_GO_ON;
        fit();
        screen_draw(screen);
        struct pollfd waited = {.fd = fileno(keys), .events = POLLIN};
        struct timespec left = until(deadline);
        int ready = ppoll(&waited, 1, &left, outside);
        if (ended_by != 0)
            return QUIT;
        if (ready > 0 && (waited.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
            return LOST;
        if (stopped)
            stop();
        if (resumed)
            come_back();
        if (ready == 0)
            return LOOK;
        for (int key; wish == SCREEN_GO_ON && (key = getch()) != ERR;)
            wish = screen_key(screen, key);
        if (wish != SCREEN_GO_ON)
            return wish == SCREEN_LOOK ? LOOK : QUIT;
    }
}

int terminal_run(struct top *top)
{
    struct screen screen = {.top = top};
    enum attended attended = LOOK;
    sigset_t outside;
    int error = 0;
    catch_signals(&outside);
    if (!begin())
        return cli_error(CLI_FAILED, "top: cannot begin to draw on the terminal");
    while (error == 0 && attended == LOOK) {
        struct timespec deadline = cli_deadline(top->options.delay);
        attended = attend(&screen, &deadline, &outside);
        if (attended == LOOK)
            error = top_look(top);
    }
    end();
    if (ended_by != 0)
        suffer(ended_by);
    if (error != 0)
        return cli_error(CLI_FAILED, "top: out of memory");
    return attended == LOST ? cli_error(CLI_FAILED, "top: the terminal is gone") : CLI_OK;
}
