#include "memory_options.h"

#include <string.h>

static const char *const models[] = {"sc", "tso", "native"};
static const char *const kinds[] = {"atomic", "regular", "safe"};
static const char *const remotes[] = {"none", "cc", "dsm"};

static bool find(const char *const *names, unsigned count, const char *text, unsigned *found)
{
    for (*found = 0; *found < count; ++*found) {
        if (strcmp(names[*found], text) == 0)
            return true;
    }
    return false;
}

int cli_take_memory(const struct cli_command *command, int option, const char *text,
                    struct cli_memory *memory)
{
    unsigned found;
    switch (option) {
    case CLI_OPTION_MEMORY_MODEL:
        if (!find(models, 3, text, &found))
            return cli_usage(command, "no such memory model: %s (sc, tso or native)", text);
        memory->model = (enum step_memory_model)found;
        return CLI_OK;
    case CLI_OPTION_BUFFER:
        return cli_number(text, 1, STEP_MAX_BUFFER, &memory->buffer)
                   ? CLI_OK
                   : cli_usage(command, "a buffer has room for 1 to %d stores, not %s",
                               (int)STEP_MAX_BUFFER, text);
    case CLI_OPTION_REGISTERS:
        if (!find(kinds, 3, text, &found))
            return cli_usage(command, "no such registers: %s (atomic, regular or safe)", text);
        memory->registers = (enum step_register_kind)found;
        return CLI_OK;
    case CLI_OPTION_RMR:
        if (!find(remotes, 3, text, &found) || found == STEP_REMOTE_NONE)
            return cli_usage(command, "remote references are counted by cc or dsm, not %s", text);
        memory->remote = (enum step_remote)found;
        return CLI_OK;
    case CLI_OPTION_PASSAGES:
    default:
        return cli_number(text, 1, 1000, &memory->passages)
                   ? CLI_OK
                   : cli_usage(command, "not a number from 1 to 1000: %s", text);
    }
}

/* Whether states are finite only because of NORMAL or LIMIT, which do not see what the memory
 * adds. */
static bool counts_on(const struct cli_memory *memory, const struct protocol *protocol)
{
    const bool waits = memory->model != STEP_SC || memory->registers != STEP_ATOMIC;
    return ((waits || memory->remote != STEP_REMOTE_NONE) && protocol->counts_for_ever) ||
           (waits && (protocol->default_limit > 0 || protocol->cuts_off));
}

int cli_apply_memory(const struct cli_memory *memory, const struct protocol *protocol,
                     struct step_params *params, bool limited)
{
    enum { USUAL_BUFFER = 2, USUAL_PASSAGES = 2 };
    if (memory->buffer > 0 && memory->model == STEP_SC)
        return cli_error(CLI_USAGE, "--buffer is for --memory-model tso or native");
    params->memory = memory->model;
    params->buffer = memory->buffer > 0 ? memory->buffer : USUAL_BUFFER;
    params->registers = memory->registers;
    params->remote = memory->remote;
    params->passages = memory->passages > 0          ? memory->passages
                       : counts_on(memory, protocol) ? USUAL_PASSAGES
                                                     : 0;
    /* As far as it can count then: from any value that may be read, once for each passage. */
    if (params->passages > 0 && protocol->default_limit > 0 && !limited)
        params->limit = 2 * params->n * params->passages + 1;
    return CLI_OK;
}

void cli_print_memory(const struct step_params *params)
{
    if (params->memory != STEP_SC)
        printf(" memory-model=%s buffer=%u", models[params->memory], params->buffer);
    if (params->registers != STEP_ATOMIC)
        printf(" registers=%s", kinds[params->registers]);
    if (params->remote != STEP_REMOTE_NONE)
        printf(" rmr=%s", remotes[params->remote]);
    if (params->passages > 0)
        printf(" passages=%u", params->passages);
}

void cli_add_memory(json_t *object, const struct step_model *model)
{
    const struct step_params *params = &model->params;
    json_object_set_new(object, "memory_model", json_string(models[params->memory]));
    if (params->memory != STEP_SC) {
        json_object_set_new(object, "buffer", json_integer((json_int_t)params->buffer));
        json_object_set_new(object, "buffer_was_full", json_boolean(step_memory_was_full(model)));
    }
    json_object_set_new(object, "registers", json_string(kinds[params->registers]));
    if (params->remote != STEP_REMOTE_NONE)
        json_object_set_new(object, "rmr", json_string(remotes[params->remote]));
    if (params->passages > 0)
        json_object_set_new(object, "passages", json_integer((json_int_t)params->passages));
}
