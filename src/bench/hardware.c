#include "bench/hardware.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value of the first line of /proc/cpuinfo that begins with `key`. */
static bool cpuinfo(const char *key, char *value, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (colon == NULL || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon++;
        while (isspace((unsigned char)*colon))
            colon++;
        snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        found = *value != '\0';
    }
    if (file != NULL)
        fclose(file);
    return found;
}

void bench_machine_look(struct bench_machine *machine)
{
    struct utsname names;
    bool named = uname(&names) == 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *machine = (struct bench_machine){.cores = cores < 1 ? 1 : (unsigned)cores, .load = NAN};
    snprintf(machine->kernel, sizeof machine->kernel, "%.20s %.70s",
             named ? names.sysname : "unknown", named ? names.release : "");
    if (!cpuinfo("model name", machine->cpu, sizeof machine->cpu) &&
        !cpuinfo("Model", machine->cpu, sizeof machine->cpu) &&
        !cpuinfo("cpu model", machine->cpu, sizeof machine->cpu))
        snprintf(machine->cpu, sizeof machine->cpu, "%.90s", named ? names.machine : "unknown");
    if (getloadavg(&machine->load, 1) != 1)
        machine->load = NAN;
}
