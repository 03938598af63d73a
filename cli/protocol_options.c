#include "protocol_options.h"
#include "suggest.h"

enum { UNSET = UINT32_MAX };

void cli_subject_begin(struct cli_subject *subject)
{
    *subject = (struct cli_subject){
        .given = {.n = UNSET, .l = UNSET, .k = UNSET, .limit = UNSET, .kills = UNSET}};
}

static unsigned *number_of(struct step_params *given, int option)
{
    switch (option) {
    case 'n': return &given->n;
    case 'l': return &given->l;
    case 'k': return &given->k;
    case CLI_OPTION_LIMIT: return &given->limit;
    case CLI_OPTION_KILLS: return &given->kills;
    default: return NULL;
    }
}

enum cli_taken cli_subject_option(struct cli_subject *subject, const struct cli_command *command,
                                  int option, const char *argument)
{
    if (option == CLI_OPTION_FAULT) {
        subject->fault_given = cli_fault(argument, &subject->given.fault);
        if (!subject->fault_given)
            cli_usage(command, "no such fault: %s", argument);
        return subject->fault_given ? CLI_TAKEN : CLI_BAD;
    }
    if (option >= CLI_OPTION_RANKER && option <= CLI_OPTION_LAST_CHOICE)
        return cli_take_choice(command, option, argument, &subject->choices) == CLI_OK ? CLI_TAKEN
                                                                                       : CLI_BAD;
    if (option >= CLI_OPTION_MEMORY_MODEL && option <= CLI_OPTION_PASSAGES)
        return cli_take_memory(command, option, argument, &subject->memory) == CLI_OK ? CLI_TAKEN
                                                                                      : CLI_BAD;
    unsigned *number = number_of(&subject->given, option);
    if (number == NULL)
        return CLI_NOT_MINE;
    if (cli_number(argument, 1, 1000, number))
        return CLI_TAKEN;
    cli_usage(command, "not a number from 1 to 1000: %s", argument);
    return CLI_BAD;
}

static void set(unsigned *number, unsigned given)
{
    if (given != UNSET)
        *number = given;
}

int cli_subject_apply(const struct cli_subject *subject, const struct protocol *protocol,
                      struct step_params *params)
{
    const struct step_params *given = &subject->given;
    if (subject->fault_given)
        params->fault = given->fault;
    set(&params->n, given->n);
    if (subject->fault_given)
        params->k = given->fault == STEP_FAULT_SLEEP ? 2 : 1;
    if (params->k > params->n)
        params->k = params->n;
    set(&params->l, given->l);
    set(&params->k, given->k);
    set(&params->limit, given->limit);
    set(&params->kills, given->kills);
    if (given->kills != UNSET && params->fault != STEP_FAULT_KILL)
        return cli_error(CLI_USAGE, "--kills is for --fault kill");
    if (given->limit != UNSET && protocol->default_limit == 0 && !protocol->cuts_off)
        return cli_error(CLI_USAGE, "%s has no --limit: nothing of it is cut off", protocol->name);
    const int status = cli_apply_memory(&subject->memory, protocol, params, given->limit != UNSET);
    return status != CLI_OK ? status : cli_apply_choices(protocol, &subject->choices, params);
}

int cli_subject_resolve(struct cli_subject *subject, const char *protocol)
{
    if (!protocol_find(protocol, &subject->choice))
        return cli_no_such_protocol(protocol);
    subject->params = protocol_defaults(&subject->choice);
    const int status = cli_subject_apply(subject, subject->choice.protocol, &subject->params);
    if (status != CLI_OK)
        return status;
    char text[256];
    const char *refusal = protocol_refuse(&subject->choice, &subject->params, text, sizeof text);
    return refusal != NULL ? cli_error(CLI_USAGE, "%s", refusal) : CLI_OK;
}
