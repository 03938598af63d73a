#include "top.h"

enum {
    FRAME = 5, /* title, three headings, the line at the bottom */
    LEAST = 2, /* rows for slots and queue together, below which there is no frame */
};

static unsigned least_of(size_t a, unsigned b)
{
    return a < b ? (unsigned)a : b;
}

struct top_layout top_layout_of(unsigned rows, size_t pools, size_t slot_lines, size_t queue_lines)
{
    struct top_layout layout = {.framed = rows >= FRAME + 1 + LEAST};
    unsigned most = layout.framed ? least_of(rows - FRAME - LEAST, rows / 4) : least_of(rows, 1);
    layout.pools = least_of(pools, most);
    unsigned rest = rows - layout.pools - (layout.framed ? FRAME : 0);
    /* The slots have what they need as long as the queue has it too, and half of it otherwise. */
    unsigned spared = queue_lines < rest ? rest - (unsigned)queue_lines : 0;
    unsigned half = rest - rest / 2;
    layout.slots = least_of(slot_lines, spared > half ? spared : half);
    layout.queue = rest - layout.slots;
    return layout;
}

size_t top_scrolled(size_t wanted, size_t lines, unsigned rows)
{
    size_t last = lines > rows ? lines - rows : 0;
    return wanted < last ? wanted : last;
}
