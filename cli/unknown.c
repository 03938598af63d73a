/* Names of the laboratory that are not known, and the nearest ones that are. */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

int cli_no_such_protocol(const char *name)
{
    struct cli_suggestion suggestion = {.word = name};
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            const struct protocol_choice choice = {protocol_models[i], protocol_natives[i],
                                                   protocol, v};
            char known[128];
            protocol_full_name(&choice, known, sizeof known);
            cli_suggest(&suggestion, known);
        }
    }
    return cli_error(CLI_USAGE, "no such protocol: %s%s (berth protocols lists them)", name,
                     cli_suggested(&suggestion));
}

int cli_no_such_property(const struct cli_command *command, const char *name)
{
    struct cli_suggestion suggestion = {.word = name};
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++)
        cli_suggest(&suggestion, check_property_name((enum check_property)p));
    char all[1024] = "";
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", p > 0 ? ", " : "",
                 check_property_name((enum check_property)p));
    }
    return cli_usage(command, "no such property: %s%s\nproperties: %s", name,
                     cli_suggested(&suggestion), all);
}
