/* berth-torture-selftest: plants each thing that the torture is to find, and looks whether it
 * does. */
#include "alive.h"
#include "board.h"
#include "occupancy.h"
#include "order.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct board *board;
static unsigned wrong;

/* What would be printed has this in it; NULL: nothing would be. Then the complaints are wiped
 * off. */
static void expect(const char *what, const char *part)
{
    char text[1024] = "no complaint\n";
    FILE *out = fmemopen(text, sizeof text, "w");
    const bool found = complaint_print(&board->complaints, out);
    fclose(out);
    const bool good = part == NULL ? !found : found && strstr(text, part) != NULL;
    printf("%s: %s: %s", good ? "ok" : "WRONG", what, text);
    wrong += !good;
    memset(&board->complaints, 0, sizeof board->complaints);
}

static struct self somebody(unsigned place, int pid)
{
    static uint64_t lives;
    struct board_place *at = &board->place[place];
    atomic_store(&at->life, ++lives);
    atomic_store(&at->pid, pid);
    atomic_store(&at->thread[0].tid, pid);
    return (struct self){
        .board = board, .place = place, .identity = board_identity(lives, place, 0)};
}

static void test_occupancy(void)
{
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    const struct self first = somebody(0, child), second = somebody(1, getpid());
    occupancy_enter(&first, 2, 10);
    expect("a slot that is free", NULL);
    occupancy_enter(&second, 2, 11);
    expect("a slot that somebody is in", "slot 2 was given twice");
    kill(child, SIGSTOP);
    waitpid(child, NULL, WUNTRACED);
    occupancy_enter(&second, 2, 11);
    expect("a slot that somebody who is stopped is in", "slot 2 was given twice");
    kill(child, SIGKILL);
    siginfo_t ended;
    waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT);
    occupancy_enter(&second, 2, 11);
    expect("a slot of somebody who is dead, and not waited for", NULL);
    waitpid(child, NULL, 0);
    occupancy_leave(&second, 2);
    occupancy_enter(&second, 2, 11);
    expect("a token that has not grown", "is not larger");
    occupancy_leave(&second, 2);
    occupancy_leave(&second, 2);
    expect("a slot that nobody is in is left", "leaves it");
}

static bool grant(struct self *self, unsigned slot, uint64_t token)
{
    const berth_grant grant = {.slot = slot, .token = token};
    order_return(self);
    return order_granted(self, &grant);
}

static void test_order(void)
{
    struct self first = somebody(0, getpid()), second = somebody(1, getpid());
    uint64_t analysed = 0;
    board_clear(board);
    atomic_store(&board->size, 2);
    order_call(&first, CALL_ACQUIRE);
    order_call(&second, CALL_ACQUIRE);
    grant(&first, 0, 8);
    grant(&second, 1, 7);
    expect("two who came at the same time", NULL);
    order_call(&first, CALL_ACQUIRE);
    grant(&first, 0, 6);
    expect("somebody who came later has an earlier token", "had been given before it asked");
    order_call(&first, CALL_ACQUIRE);
    grant(&first, 2, 9);
    expect("a slot that the pool does not have", "by a pool of 2 slots");

    board_clear(board);
    atomic_store(&board->size, 2);
    order_call(&first, CALL_ACQUIRE);
    order_seen_waiting(&first);
    order_call(&second, CALL_ACQUIRE);
    grant(&second, 0, 20);
    grant(&first, 1, 21);
    expect("an overtaking, before the analysis", NULL);
    order_analyse(board, &analysed);
    expect("an overtaking", "passed it");

    board_clear(board);
    atomic_store(&board->size, 2);
    order_call(&first, CALL_ACQUIRE);
    order_call(&second, CALL_ACQUIRE);
    grant(&second, 0, 20);
    grant(&first, 1, 20);
    order_analyse(board, &analysed);
    expect("a token for two", "given twice");
}

/* A release that was under way when the pool became smaller may still hand its slot on. */
static void test_resize(void)
{
    struct self first = somebody(0, getpid()), second = somebody(1, getpid());
    board_clear(board);
    atomic_store(&board->size, 4);
    order_call(&first, CALL_RELEASE);
    order_resizing(&second);
    order_resized(&second, 1);
    order_call(&second, CALL_ACQUIRE);
    grant(&second, 3, 30);
    expect("a slot that is wanted no more, from a release that was under way", NULL);
    order_return(&first);
    order_call(&second, CALL_ACQUIRE);
    grant(&second, 3, 31);
    expect("a slot that is wanted no more", "by a pool of 1 slots");
}

/* As if somebody were killed in the middle of "slot 3 was given twice". */
static void cut_off(void)
{
    const unsigned own = atomic_fetch_add(&board->complaints.begun, 1);
    strcpy(board->complaints.text[own], "slot ");
}

static void test_complaints(void)
{
    cut_off();
    const bool over = complaint_found(&board->complaints);
    complain(&board->complaints, "slot %u was given twice", 3);
    expect("a complaint after one that was cut off", "slot 3 was given twice");
    wrong += over;
    cut_off();
    expect("a complaint that was cut off", "was killed while it said so: slot ");
    for (unsigned i = 0; i < COMPLAINTS; i++)
        cut_off();
    complain(&board->complaints, "slot %u was given twice", 3);
    expect("no room for a complaint", "FAILED: slot ");
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    board = board_make();
    if (board == NULL || !thread_is_dead_works()) {
        puts("SKIPPED: no memory, or the kernel does not tell who is dead");
        return 77;
    }
    test_occupancy();
    test_order();
    test_resize();
    test_complaints();
    return wrong != 0;
}
