#include "check_gpu.h"

#include "own_file.h"

#include "gpu/gpu.h"
#include "protocol/own.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct gpu gpu;

static void message(const char *text)
{
    fprintf(stderr, "berth: --gpu: %s\n", text);
}

static void *open_library(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* "src/protocol/classic/peterson.c" is in "classic_peterson.ptx", and for states of one word or two
 * in "classic_peterson.1.ptx" and "classic_peterson.2.ptx". */
static bool name_file(const char *source, unsigned words, char *path, size_t size)
{
    static const char below[] = "src/protocol/";
    static const char *const sizes[] = {"", ".1", ".2"};
    char folder[PATH_MAX], name[128];
    const char *found = strstr(source, below);
    if (found == NULL || !cli_own_folder("gpu", folder, sizeof folder))
        return false;
    snprintf(name, sizeof name, "%s", found + sizeof below - 1);
    char *dot = strrchr(name, '.');
    if (dot != NULL)
        *dot = '\0';
    for (char *slash; (slash = strchr(name, '/')) != NULL;)
        *slash = '_';
    const int written = snprintf(path, size, "%s/%s%s.ptx", folder, name, sizes[words]);
    return written > 0 && (size_t)written < size;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    if (file == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static char *find_kernels(void *context, unsigned words, const char **why)
{
    const struct cli_system *system = context;
    char path[PATH_MAX];
    char *text = NULL;
    *why =
        "the code for GPUs is not installed: it is made by cmake -DBERTH_GPU=ON, where clang knows "
        "nvptx64";
    if (system->is_table) {
        *why = "a transition table has no code for a GPU";
        return NULL;
    }
    if (protocol_own.path != NULL && system->choice.model == protocol_own.model)
        return cli_own_kernels(protocol_own.path, words, why);
    const char *source = system->choice.protocol->file;
    if (words <= 2 && name_file(source, words, path, sizeof path))
        text = read_file(path);
    if (text == NULL && name_file(source, 0, path, sizeof path))
        text = read_file(path);
    return text;
}

void cli_gpu_prepare(const struct cli_system *system, struct check_limits *limits)
{
    gpu.kernels = find_kernels;
    gpu.context = (void *)(uintptr_t)system; // NOLINT(performance-no-int-to-ptr)
    gpu.message = message;
    gpu.loader = (struct gpu_loader){open_library, dlsym};
    gpu_prepare(&gpu);
    limits->elsewhere = &gpu.elsewhere;
}

void cli_gpu_report_json(const struct protocol_checked *checked, json_t *report)
{
    if (!checked->report.elsewhere || !gpu.used)
        return;
    json_object_set_new(report, "gpu",
                        json_pack("{s:s, s:f, s:f, s:I, s:i}", "device", gpu.card.name, "seconds",
                                  gpu.seconds, "prepare_seconds", gpu.compile_seconds, "stored",
                                  (json_int_t)gpu.stored, "bytes_per_state",
                                  (int)(checked->model.check.words * sizeof(uint64_t))));
}

void cli_gpu_report_text(const struct protocol_checked *checked)
{
    if (checked->report.elsewhere && gpu.used)
        printf("explored on %s: %llu states kept, in %.2f s, after %.2f s of preparation\n",
               gpu.card.name, (unsigned long long)gpu.stored, gpu.seconds, gpu.compile_seconds);
}
