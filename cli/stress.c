#include "cli.h"
const struct cli_command cli_stress = {.name = "stress"};
