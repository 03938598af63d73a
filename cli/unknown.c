/* Names of the laboratory that are not known, and the nearest ones that are. */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

/* The protocol before the slash, if there is one of that name; its length, or 0. */
static size_t known_before_slash(const char *name)
{
    const size_t length = strcspn(name, "/");
    for (size_t i = 0; name[length] == '/' && i < protocol_count; i++) {
        const char *known = protocol_models[i]->protocol->name;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return length;
    }
    return 0;
}

int cli_no_such_protocol(const char *name)
{
    const size_t known_length = known_before_slash(name);
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
    if (known_length > 0)
        return cli_error(CLI_USAGE, "%.*s has no variant %s%s (berth protocols %.*s lists them)",
                         (int)known_length, name, name + known_length + 1,
                         cli_suggested(&suggestion), (int)known_length, name);
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
