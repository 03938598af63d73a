/*
 * A driver for a GPU that is not there: the part of libcuda.so.1 that berth calls, on the host.
 * Memory is memory; the kernels are the same kernel.h, compiled for the host and linked in, and a
 * launch is one lane. So `berth check --gpu` runs as with a card, but without one.
 *
 * FAKE_GPU_MEMORY says how many bytes it has, FAKE_GPU_FAILS at which launch it fails,
 * FAKE_GPU_KERNELS a shared object with kernels that are not linked in.
 */
#include "step/frame.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, OUT_OF_MEMORY = 2, NOT_FOUND = 500, FAILED = 719, BLOCKS = 1 << 16 };

static uint64_t used, launches;
static struct {
    void *memory;
    size_t bytes;
} block[BLOCKS];
static void *kernels;

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoull(text, NULL, 0);
}

static uint64_t total(void)
{
    return number("FAKE_GPU_MEMORY", UINT64_C(1) << 30);
}

int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    return flags == 0 ? (int)number("FAKE_GPU_INIT", OK) : FAILED;
}

int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
    *count = (int)number("FAKE_GPU_COUNT", 1);
    return OK;
}

int cuDeviceGet(int *device, int ordinal);
int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return OK;
}

int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    snprintf(name, (size_t)size, "one lane of the host");
    return OK;
}

int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 16 ? 1 : (int)number("FAKE_GPU_MAJOR", 9);
    return OK;
}

int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = &used;
    return OK;
}

/* All memory has been given back by then. */
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    if (used != 0) {
        fprintf(stderr, "the fake GPU: %llu bytes are left\n", (unsigned long long)used);
        abort();
    }
    return OK;
}

int cuCtxSetCurrent(void *context);
int cuCtxSetCurrent(void *context)
{
    return context == &used ? OK : FAILED;
}

int cuCtxSynchronize(void);
int cuCtxSynchronize(void)
{
    return OK;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    *total_bytes = total();
    *free_bytes = total() - used;
    return OK;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    unsigned b = 0;
    while (b < BLOCKS && block[b].memory != NULL)
        b++;
    if (b == BLOCKS || bytes > total() - used || (block[b].memory = malloc(bytes)) == NULL)
        return OUT_OF_MEMORY;
    memset(block[b].memory, 0xa5, bytes); /* as it may come from a card */
    block[b].bytes = bytes;
    used += bytes;
    *address = (uintptr_t)block[b].memory;
    return OK;
}

int cuMemFree_v2(uint64_t address);
int cuMemFree_v2(uint64_t address)
{
    for (unsigned b = 0; b < BLOCKS; b++) {
        if (block[b].memory != NULL && (uintptr_t)block[b].memory == address) {
            used -= block[b].bytes;
            free(block[b].memory);
            block[b].memory = NULL;
            return OK;
        }
    }
    fprintf(stderr, "the fake GPU: memory is given back that was not taken\n");
    abort();
}

int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t bytes);
int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t bytes)
{
    memset((void *)(uintptr_t)address, value, bytes);
    return OK;
}

int cuMemcpyHtoD_v2(uint64_t address, const void *from, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t address, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)address, from, bytes);
    return OK;
}

int cuMemcpyDtoH_v2(void *to, uint64_t address, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t address, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)address, bytes);
    return OK;
}

int cuModuleLoadDataEx(void **module, const void *text, unsigned options, int *option,
                       void **value);
int cuModuleLoadDataEx(void **module, const void *text, unsigned options, int *option, void **value)
{
    (void)options, (void)option, (void)value;
    if (strstr(text, ".entry berth_") == NULL || strstr(text, ".extern .func") != NULL)
        return 218; /* not a PTX file that could be used */
    const char *others = getenv("FAKE_GPU_KERNELS");
    kernels = others == NULL ? RTLD_DEFAULT : dlopen(others, RTLD_NOW | RTLD_LOCAL);
    *module = &kernels;
    return others != NULL && kernels == NULL ? NOT_FOUND : OK;
}

int cuModuleUnload(void *module);
int cuModuleUnload(void *module)
{
    return module == &kernels ? OK : FAILED;
}

int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    static void *self;
    (void)module;
    if (self == NULL)
        self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *function = dlsym(kernels == RTLD_DEFAULT ? self : kernels, name);
    return *function == NULL ? NOT_FOUND : OK;
}

int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name);
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name)
{
    void *variable;
    const int error = cuModuleGetFunction(&variable, module, name);
    *address = (uintptr_t)variable;
    *bytes = sizeof(struct step_model);
    return error;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **arguments, void **extra);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **arguments, void **extra)
{
    void (*kernel)(void *);
    (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
    (void)shared, (void)stream, (void)extra;
    memcpy(&kernel, &function, sizeof kernel);
    if (++launches == number("FAKE_GPU_FAILS", 0))
        return FAILED;
    kernel(*(void **)arguments[0]);
    return OK;
}

int cuGetErrorString(int error, const char **text);
int cuGetErrorString(int error, const char **text)
{
    *text = error == OUT_OF_MEMORY ? "out of memory"
            : error == NOT_FOUND   ? "named symbol not found"
                                   : "unspecified launch failure";
    return OK;
}
