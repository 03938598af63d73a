#include "cli.h"
const struct cli_command cli_space = {.name = "space"};
