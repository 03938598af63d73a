/*
 * Memory. All processes live in one address space, so each has a region of its own for its heap and
 * its stacks, and every file is mapped at fixed addresses. A forked child has to find its parent's
 * memory at the same addresses: it shares the region, and the process whose turn it is has its
 * contents copied in. The library's static variables are few, and are copied in for every process.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    REGIONS = 32,
    PAGE = 4096,
    GRAIN = 16, /* of the heap, and of what is known about it */
};
#define VIEW_SIZE ((size_t)1 << 20)
#define HEAP_SIZE ((size_t)1 << 20)
#define STACK_SIZE ((size_t)1 << 17)
#define VIEWS_SPAN (SIM_FILES * SIM_VIEWS * VIEW_SIZE)
#define HEAPS_SPAN (REGIONS * HEAP_SIZE)
#define STACKS_SPAN (REGIONS * SIM_THREADS * STACK_SIZE)

static char *base;
static size_t dirty[SIM_FILES]; /* this many bytes may not be zero any more */

/* What a grain of a heap is. */
enum { UNUSED, LIVE, FREED };
static unsigned char grain[REGIONS][HEAP_SIZE / GRAIN];

struct block { /* before each block of a heap */
    size_t size;
    uint64_t magic;
};
#define BLOCK_LIVE UINT64_C(0x6c697665)
#define BLOCK_FREE UINT64_C(0x66726565)

static struct {
    struct sim_process *resident;
    unsigned processes;
} region[REGIONS];

/* The library's own .data and .bss, renamed when its objects were joined. */
extern char __start_berth_data[] __attribute__((weak)), __stop_berth_data[] __attribute__((weak));
extern char __start_berth_bss[] __attribute__((weak)), __stop_berth_bss[] __attribute__((weak));
static char pristine[SIM_GLOBALS];
static size_t data_size, bss_size;
static struct sim_process *globals_of;

static char *heap_of(unsigned r)
{
    return base + VIEWS_SPAN + r * HEAP_SIZE;
}

static char *stack_of(unsigned r, unsigned thread)
{
    return base + VIEWS_SPAN + HEAPS_SPAN + (r * SIM_THREADS + thread) * STACK_SIZE;
}

void *sim_view_address(int memory, unsigned view)
{
    return base + ((size_t)memory * SIM_VIEWS + view) * VIEW_SIZE;
}

void sim_file_grows(int memory, size_t size)
{
    if (size > dirty[memory])
        dirty[memory] = size;
}

char *sim_file_memory(int memory)
{
    return sim_view_address(memory, 0);
}

size_t sim_file_room(void)
{
    return VIEW_SIZE;
}

static void give_up(const char *what)
{
    perror(what);
    exit(2);
}

static void map_files(void)
{
    for (int i = 0; i < SIM_FILES; i++) {
        const int fd = memfd_create("sim", MFD_CLOEXEC);
        if (fd < 0 || ftruncate(fd, (off_t)VIEW_SIZE) != 0)
            give_up("memfd_create");
        for (unsigned v = 0; v < SIM_VIEWS; v++) {
            if (mmap(sim_view_address(i, v), VIEW_SIZE, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
                give_up("mmap");
        }
        close(fd);
    }
}

void sim_memory_setup(void)
{
    base = mmap(NULL, VIEWS_SPAN + HEAPS_SPAN + STACKS_SPAN, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        give_up("mmap");
    map_files();
    for (unsigned r = 0; r < REGIONS; r++) {
        for (unsigned t = 0; t < SIM_THREADS; t++) {
            if (mprotect(stack_of(r, t), PAGE, PROT_NONE) != 0)
                give_up("mprotect");
        }
    }
    data_size = (size_t)(__stop_berth_data - __start_berth_data);
    bss_size = (size_t)(__stop_berth_bss - __start_berth_bss);
    if (data_size + bss_size > SIM_GLOBALS) {
        fprintf(stderr, "the library has %zu bytes of static variables: enlarge SIM_GLOBALS\n",
                data_size + bss_size);
        exit(2);
    }
    if (data_size > 0)
        memcpy(pristine, __start_berth_data, data_size);
    memset(pristine + data_size, 0, bss_size);
}

void sim_file_clear(int memory)
{
    if (dirty[memory] > 0)
        memset(sim_view_address(memory, 0), 0, dirty[memory]);
    dirty[memory] = 0;
}

void sim_memory_begin(void)
{
    for (unsigned i = 0; i < SIM_PROCESSES; i++) {
        free(sim.process[i].image);
        sim.process[i].image = NULL;
    }
    memset(region, 0, sizeof region);
    for (int i = 0; i < SIM_FILES; i++)
        sim_file_clear(i);
    globals_of = NULL;
}

/* ---- regions ---- */

/* The region belongs to the process now, and is clean. */
int sim_region_take(void)
{
    for (unsigned r = 0; r < REGIONS; r++) {
        if (region[r].processes == 0) {
            region[r].processes = 1;
            region[r].resident = NULL;
            return (int)r;
        }
    }
    sim_fail("the simulator has no memory for one more process");
    return -1;
}

static void globals_save(struct sim_process *process)
{
    if (data_size > 0)
        memcpy(process->globals, __start_berth_data, data_size);
    if (bss_size > 0)
        memcpy(process->globals + data_size, __start_berth_bss, bss_size);
}

static void globals_load(const struct sim_process *process)
{
    if (data_size > 0)
        memcpy(__start_berth_data, process->globals, data_size);
    if (bss_size > 0)
        memcpy(__start_berth_bss, process->globals + data_size, bss_size);
}

void *sim_stack_top(const struct sim_thread *thread)
{
    return stack_of(thread->process->region, thread->number) + STACK_SIZE;
}

/* The stack pointer below which nothing of the thread's stack is in use; NULL: none of it is. */
static char *sp_of(const struct sim_process *process, unsigned thread)
{
    const struct sim_thread *t = &process->thread[thread];
    if (t->state == SIM_READY || t->state == SIM_BLOCKED)
        return t->sp;
    return process->frozen_sp[thread];
}

static size_t in_use(const struct sim_process *process, unsigned thread)
{
    char *const sp = sp_of(process, thread);
    return sp == NULL ? 0 : (size_t)(stack_of(process->region, thread) + STACK_SIZE - sp);
}

/* What is kept of a region, and where: the heap, what is known about it, and the stacks. */
static size_t image_size(const struct sim_process *process)
{
    size_t size = process->heap_used + process->heap_used / GRAIN;
    for (unsigned t = 0; t < SIM_THREADS; t++)
        size += in_use(process, t);
    return size;
}

static void image_copy(struct sim_process *process, char *image, bool out)
{
    const size_t heap = process->heap_used, grains = heap / GRAIN;
    char *const at = heap_of(process->region);
    memcpy(out ? image : at, out ? at : image, heap);
    image += heap;
    memcpy(out ? image : (char *)grain[process->region],
           out ? (char *)grain[process->region] : image, grains);
    image += grains;
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        const size_t size = in_use(process, t);
        if (size == 0)
            continue;
        char *const sp = sp_of(process, t);
        memcpy(out ? image : sp, out ? sp : image, size);
        image += size;
    }
}

static void image_save(struct sim_process *process)
{
    const size_t size = image_size(process);
    if (size > process->image_size || process->image == NULL) {
        free(process->image);
        process->image = malloc(size + PAGE);
        if (process->image == NULL)
            give_up("malloc");
        process->image_size = size + PAGE;
    }
    image_copy(process, process->image, true);
}

void sim_memory_enter(struct sim_process *process)
{
    struct sim_process *resident = region[process->region].resident;
    if (resident != process) {
        if (resident != NULL)
            image_save(resident);
        if (process->image != NULL)
            image_copy(process, process->image, false);
        region[process->region].resident = process;
    }
    if (globals_of != process) {
        if (globals_of != NULL)
            globals_save(globals_of);
        globals_load(process);
        globals_of = process;
        sim___libc_single_threaded = !process->had_threads;
    }
}

/* A new process, not a fork: everything is as at the start of a program. */
static void start_anew(struct sim_process *process)
{
    memcpy(process->globals, pristine, sizeof process->globals);
    process->heap_used = 0;
    memset(process->frozen_sp, 0, sizeof process->frozen_sp);
}

/* `parent` NULL: a new program. The parent is resident, and none of its threads moves. */
void sim_memory_fork(struct sim_process *parent, struct sim_process *child)
{
    if (parent == NULL) {
        const int r = sim_region_take();
        if (r < 0)
            return;
        child->region = (unsigned)r;
        start_anew(child);
        return;
    }
    child->region = parent->region;
    child->heap_used = parent->heap_used;
    region[child->region].processes++;
    if (globals_of == parent)
        globals_save(parent);
    memcpy(child->globals, parent->globals, sizeof child->globals);
    for (unsigned t = 0; t < SIM_THREADS; t++)
        child->frozen_sp[t] = sp_of(parent, t);
    image_save(child);
}

void sim_memory_leave(struct sim_process *process)
{
    if (region[process->region].resident == process)
        region[process->region].resident = NULL;
    if (globals_of == process)
        globals_of = NULL;
    if (region[process->region].processes > 0)
        region[process->region].processes--;
    free(process->image);
    process->image = NULL;
    process->image_size = 0;
}

/* ---- the heap ---- */

static void mark(struct sim_process *process, const void *at, size_t size, unsigned char as)
{
    const size_t from = (size_t)((const char *)at - heap_of(process->region)) / GRAIN;
    memset(&grain[process->region][from], as, (size + GRAIN - 1) / GRAIN);
}

/* What was freed is used again only when there is nothing else left: so that a use after free is
 * found out. */
static void *take_freed(struct sim_process *process, size_t size, size_t alignment)
{
    char *const heap = heap_of(process->region);
    for (size_t at = 0; at + sizeof(struct block) <= process->heap_used;) {
        struct block *block = (void *)(heap + at);
        char *const body = (char *)(block + 1);
        if (block->magic == BLOCK_FREE && block->size >= size && (uintptr_t)body % alignment == 0) {
            block->magic = BLOCK_LIVE;
            mark(process, body, block->size, LIVE);
            return body;
        }
        at += sizeof *block + block->size;
    }
    return NULL;
}

void *sim_heap_take(size_t size, size_t alignment)
{
    struct sim_process *process = sim.self->process;
    char *const heap = heap_of(process->region);
    size = (size + GRAIN - 1) / GRAIN * GRAIN;
    size_t at = process->heap_used + sizeof(struct block);
    at = (at + alignment - 1) / alignment * alignment;
    if (at + size > HEAP_SIZE)
        return take_freed(process, size, alignment);
    const size_t header = at - sizeof(struct block);
    if (header > process->heap_used) { /* what alignment leaves is a block too */
        struct block *gap = (void *)(heap + process->heap_used);
        if (header - process->heap_used >= sizeof *gap) {
            *gap = (struct block){header - process->heap_used - sizeof *gap, 0};
            mark(process, gap, header - process->heap_used, UNUSED);
        }
    }
    struct block *block = (void *)(heap + header);
    *block = (struct block){size, BLOCK_LIVE};
    mark(process, block, sizeof *block, UNUSED);
    mark(process, block + 1, size, LIVE);
    process->heap_used = at + size;
    return block + 1;
}

void sim_heap_free(void *at)
{
    struct sim_process *process = sim.self->process;
    char *const heap = heap_of(process->region);
    struct block *block = (struct block *)at - 1;
    if ((char *)at < heap || (char *)at >= heap + process->heap_used ||
        block->magic != BLOCK_LIVE) {
        sim_crash("it frees what is no block of its heap, or was freed before");
        return;
    }
    block->magic = BLOCK_FREE;
    mark(process, at, block->size, FREED);
}

size_t sim_heap_live_blocks(void)
{
    const struct sim_process *process = sim.self->process;
    char *const heap = heap_of(process->region);
    size_t live = 0;
    for (size_t at = 0; at + sizeof(struct block) <= process->heap_used;) {
        const struct block *block = (void *)(heap + at);
        live += block->magic == BLOCK_LIVE;
        at += sizeof *block + block->size;
    }
    return live;
}

bool sim_heap_is_live(const void *at)
{
    const struct sim_process *process = sim.self->process;
    const char *const heap = heap_of(process->region);
    return (const char *)at >= heap && (const char *)at < heap + process->heap_used &&
           grain[process->region][(size_t)((const char *)at - heap) / GRAIN] == LIVE;
}

/* ---- accesses ---- */

bool sim_view_of(const void *address, int *memory, unsigned *view)
{
    const size_t offset = (size_t)((const char *)address - base);
    if (offset >= VIEWS_SPAN)
        return false;
    *memory = (int)(offset / VIEW_SIZE / SIM_VIEWS);
    *view = (unsigned)(offset / VIEW_SIZE % SIM_VIEWS);
    return true;
}

uint64_t sim_futex_key(const void *address)
{
    const size_t offset = (size_t)((const char *)address - base);
    if (offset >= VIEWS_SPAN)
        return (uint64_t)(uintptr_t)address << 8 | (sim.self->process->birth & 0xff) | 1;
    return (offset / VIEW_SIZE / SIM_VIEWS * VIEW_SIZE + offset % VIEW_SIZE) << 8;
}

static void reach_view(size_t offset, bool writes)
{
    const size_t number = offset / VIEW_SIZE;
    struct sim_process *process = sim.self->process;
    const struct sim_view *view = &process->view[number / SIM_VIEWS][number % SIM_VIEWS];
    if (__builtin_expect(view->ofd == NULL || offset % VIEW_SIZE >= view->size, 0))
        sim_crash("SIGSEGV: it touches a pool's memory that it has not mapped (any more)");
    else if (__builtin_expect(writes && !view->writable, 0))
        sim_crash("SIGSEGV: it writes to memory that is mapped for reading");
    else if (__builtin_expect(offset % VIEW_SIZE >= view->ofd->inode->size, 0))
        sim_crash("SIGBUS: it touches memory beyond the end of the file");
}

static bool is_global(const void *address)
{
    const char *const at = address;
    return (at >= __start_berth_data && at < __stop_berth_data) ||
           (at >= __start_berth_bss && at < __stop_berth_bss);
}

enum sim_reach sim_reach(const void *address, size_t size, bool writes)
{
    (void)size;
    const size_t offset = (size_t)((const char *)address - base);
    if (offset < VIEWS_SPAN) {
        reach_view(offset, writes);
        return SIM_SHARED;
    }
    const struct sim_process *process = sim.self->process;
    if (offset < VIEWS_SPAN + HEAPS_SPAN) {
        const size_t at = offset - VIEWS_SPAN - process->region * HEAP_SIZE;
        if (at >= HEAP_SIZE || grain[process->region][at / GRAIN] != LIVE)
            sim_crash("SIGSEGV: it touches memory of its heap that %s",
                      at < HEAP_SIZE && grain[process->region][at / GRAIN] == FREED
                          ? "was freed"
                          : "it does not have");
    } else if (offset < VIEWS_SPAN + HEAPS_SPAN + STACKS_SPAN) {
        char *const mine = stack_of(process->region, sim.self->number);
        if ((const char *)address >= mine && (const char *)address < mine + STACK_SIZE)
            return SIM_PRIVATE;
    } else if (!is_global(address)) {
        return SIM_PRIVATE; /* a constant */
    }
    return process->live > 1 ? SIM_SHARED : SIM_PRIVATE;
}
