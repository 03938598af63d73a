#include "gpu/card.h"

#include <stdio.h>
#include <string.h>

/* The part of the driver's interface that is used, declared by hand: names, arguments and numbers
 * are the driver's, and stay as they are from version to version. */
enum {
    CUDA_OK = 0,
    ATTRIBUTE_PROCESSORS = 16,
    ATTRIBUTE_MAJOR = 75,
    OLDEST_MAJOR = 7, /* the kernels are compiled for sm_70 */
    LOG_BYTES = 4096,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_BYTES = 6,
    BLOCK = 128, /* lanes that are started together */
    BLOCKS_EACH = 64,
};

struct gpu_calls {
    int (*init)(unsigned flags);
    int (*count)(int *count);
    int (*device)(int *device, int ordinal);
    int (*name)(char *name, int size, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*current)(void *context);
    int (*synchronize)(void);
    int (*memory)(size_t *free, size_t *total);
    int (*take)(uint64_t *address, size_t bytes);
    int (*give)(uint64_t address);
    int (*clear)(uint64_t address, unsigned char value, size_t bytes);
    int (*write)(uint64_t address, const void *from, size_t bytes);
    int (*read)(void *to, uint64_t address, size_t bytes);
    int (*load)(void **module, const void *text, unsigned options, int *option, void **value);
    int (*unload)(void *module);
    int (*function)(void **function, void *module, const char *name);
    int (*variable)(uint64_t *address, size_t *bytes, void *module, const char *name);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                  void *stream, void **arguments, void **extra);
    int (*text)(int error, const char **text);
};

static const char *const names[] = {
    "cuInit",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuMemGetInfo_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemsetD8_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuModuleGetGlobal_v2",
    "cuLaunchKernel",
    "cuGetErrorString",
};
_Static_assert(sizeof names / sizeof names[0] == sizeof(struct gpu_calls) / sizeof(void (*)(void)),
               "one name for each call");

static bool fails(struct gpu_card *card, const char *what, int error)
{
    const char *text = NULL;
    if (error == CUDA_OK)
        return false;
    if (card->calls->text(error, &text) != CUDA_OK || text == NULL)
        text = "an error without a name";
    snprintf(card->error, sizeof card->error, "%s: %.200s", what, text);
    return true;
}

static bool refuse(struct gpu_card *card, const char *why)
{
    snprintf(card->error, sizeof card->error, "%s", why);
    return false;
}

bool gpu_open(struct gpu_card *card, const struct gpu_loader *loader)
{
    static struct gpu_calls calls;
    int count = 0, device = 0, major = 0;
    *card = (struct gpu_card){.calls = &calls};
    void *library = loader->open == NULL ? NULL : loader->open("libcuda.so.1");
    if (library == NULL)
        return refuse(card, "there is no driver of a GPU here (libcuda.so.1)");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *call = loader->find(library, names[i]);
        if (call == NULL) {
            snprintf(card->error, sizeof card->error, "the driver of the GPU has no %s", names[i]);
            return false;
        }
        memcpy((char *)&calls + i * sizeof call, &call, sizeof call);
    }
    if (fails(card, "the GPU's driver does not start", calls.init(0)) ||
        fails(card, "the GPU's driver knows no device", calls.count(&count)))
        return false;
    if (count == 0)
        return refuse(card, "the GPU's driver knows no device");
    if (fails(card, "no device", calls.device(&device, 0)) ||
        fails(card, "no name", calls.name(card->name, sizeof card->name, device)) ||
        fails(card, "no size", calls.attribute(&card->processors, ATTRIBUTE_PROCESSORS, device)) ||
        fails(card, "no version", calls.attribute(&major, ATTRIBUTE_MAJOR, device)))
        return false;
    if (major < OLDEST_MAJOR) {
        snprintf(card->error, sizeof card->error, "%.100s is too old: compute capability %d, not 7",
                 card->name, major);
        return false;
    }
    if (fails(card, "the GPU is not available", calls.retain(&card->context, device)))
        return false;
    if (!fails(card, "the GPU is not available", calls.current(card->context)))
        return true;
    gpu_close(card);
    return false;
}

void gpu_close(struct gpu_card *card)
{
    if (card->context == NULL)
        return;
    if (card->module != NULL)
        card->calls->unload(card->module);
    card->calls->release(0);
    card->context = card->module = NULL;
}

bool gpu_load(struct gpu_card *card, const char *text)
{
    char log[LOG_BYTES] = "";
    int option[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *value[] = {log, (void *)(uintptr_t)sizeof log}; // NOLINT(performance-no-int-to-ptr)
    if (card->module != NULL)
        card->calls->unload(card->module);
    card->module = NULL;
    const int error = card->calls->load(&card->module, text, 2, option, value);
    if (!fails(card, "the GPU's driver does not take the code", error))
        return true;
    log[strcspn(log, "\n")] = '\0';
    const size_t used = strlen(card->error);
    if (log[0] != '\0')
        snprintf(card->error + used, sizeof card->error - used, " (%.100s)", log);
    return false;
}

void *gpu_kernel(struct gpu_card *card, const char *name)
{
    void *kernel = NULL;
    return fails(card, name, card->calls->function(&kernel, card->module, name)) ? NULL : kernel;
}

uint64_t gpu_variable(struct gpu_card *card, const char *name, uint64_t bytes)
{
    uint64_t address = 0;
    size_t found = 0;
    if (fails(card, name, card->calls->variable(&address, &found, card->module, name)))
        return 0;
    if (found == bytes)
        return address;
    refuse(card, "the code for the GPU was made by another version of berth");
    return 0;
}

bool gpu_launch(struct gpu_card *card, void *kernel, uint64_t lanes, uint64_t argument)
{
    const uint64_t most = (uint64_t)card->processors * BLOCKS_EACH;
    uint64_t blocks = (lanes + BLOCK - 1) / BLOCK;
    blocks = blocks > most ? most : blocks == 0 ? 1 : blocks;
    void *arguments[] = {&argument};
    return !fails(card, "the GPU does not start",
                  card->calls->launch(kernel, (unsigned)blocks, 1, 1, BLOCK, 1, 1, 0, NULL,
                                      arguments, NULL)) &&
           !fails(card, "the GPU failed", card->calls->synchronize());
}

uint64_t gpu_free_memory(struct gpu_card *card)
{
    size_t free = 0, total = 0;
    return fails(card, "no memory", card->calls->memory(&free, &total)) ? 0 : free;
}

uint64_t gpu_take(struct gpu_card *card, uint64_t bytes)
{
    uint64_t address = 0;
    return fails(card, "no memory on the GPU", card->calls->take(&address, bytes)) ? 0 : address;
}

void gpu_give(struct gpu_card *card, uint64_t address)
{
    if (address != 0)
        card->calls->give(address);
}

bool gpu_clear(struct gpu_card *card, uint64_t address, uint64_t bytes)
{
    return !fails(card, "the GPU failed", card->calls->clear(address, 0, bytes));
}

bool gpu_write(struct gpu_card *card, uint64_t address, const void *from, uint64_t bytes)
{
    return !fails(card, "the GPU failed", card->calls->write(address, from, bytes));
}

bool gpu_read(struct gpu_card *card, uint64_t address, void *to, uint64_t bytes)
{
    return !fails(card, "the GPU failed", card->calls->read(to, address, bytes));
}
