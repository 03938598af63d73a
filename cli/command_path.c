#include "bench_report.h"

#include "os/places.h"

bool cli_command_path(char path[PATH_MAX])
{
    char self[PATH_MAX];
    return os_places_self(self) && os_places_find(self, OS_PLACE_COMMAND, "berth", path);
}
