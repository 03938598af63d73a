#include "board.h"

#include <string.h>
#include <sys/mman.h>

struct board *board_make(void)
{
    struct board *board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return board == MAP_FAILED ? NULL : board;
}

void board_clear(struct board *board)
{
    uint64_t logged = atomic_load(&board->logged);
    if (logged > BOARD_LOG)
        logged = BOARD_LOG;
    memset(board->log, 0, logged * sizeof board->log[0]);
    memset(board->slot, 0, sizeof board->slot);
    for (unsigned place = 0; place < BOARD_PLACES; place++)
        memset(board->place[place].thread, 0, sizeof board->place[place].thread);
    atomic_store(&board->newest, 0);
    atomic_store(&board->logged, 0);
    atomic_store(&board->size, 0);
    atomic_store(&board->calm, false);
}
