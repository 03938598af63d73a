#include "own_file.h"
#include "paper_options.h"

#include <string.h>

static json_t *claims_json(const struct protocol_variant *variant)
{
    json_t *claims = json_array();
    for (size_t c = 0; c < variant->claim_count; c++) {
        const struct protocol_claim *claim = &variant->claims[c];
        json_t *object = json_pack(
            "{s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "property",
            check_property_name(claim->property), "claimed", claim->stance == CLAIMED, "source",
            protocol_basis(claim, (char[PROTOCOL_BASIS]){0}), "bound",
            claim->has_bound && claim->bound > 0 ? json_integer((json_int_t)claim->bound)
                                                 : json_null(),
            claim->stance == CLAIMED ? "refuted_from" : "fails_from",
            claim->fails_from_n > 0 ? json_integer((json_int_t)claim->fails_from_n) : json_null(),
            claim->stance == CLAIMED ? "refuted_until" : "fails_until",
            claim->until > 0 ? json_integer((json_int_t)claim->until) : json_null(), "up_to_k",
            claim->up_to_k > 0 ? json_integer((json_int_t)claim->up_to_k) : json_null(),
            "fails_from_k",
            claim->fails_from_k > 0 ? json_integer((json_int_t)claim->fails_from_k) : json_null());
        if (claim->bound_n > 0) /* what each process adds to the bound */
            json_object_set_new(object, "bound_n", json_integer((json_int_t)claim->bound_n));
        json_array_append_new(claims, object);
    }
    return claims;
}

static json_t *expected_json(const struct protocol *protocol,
                             const struct protocol_variant *variant)
{
    json_t *list = json_array();
    for (size_t e = 0; e < variant->expected_count; e++) {
        const struct protocol_expected *expected = &variant->expected[e];
        json_t *object = json_pack(
            "{s:i, s:i, s:i, s:i, s:i, s:s, s:I, s:I}", "n", (int)expected->params.n, "l",
            (int)expected->params.l, "k", (int)expected->params.k, "limit",
            (int)expected->params.limit, "kills", (int)expected->params.kills, "fault",
            cli_fault_name(expected->params.fault), "states", (json_int_t)expected->states,
            "transitions", (json_int_t)expected->transitions);
        cli_add_choices(object, protocol, &expected->params);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *properties_json(void)
{
    json_t *list = json_array();
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        const char *meaning = check_property_meaning((enum check_property)p);
        json_array_append_new(list, json_pack("{s:s, s:s?}", "property",
                                              check_property_name((enum check_property)p),
                                              "meaning", meaning));
    }
    return list;
}

static json_t *options_json(const struct protocol *protocol)
{
    json_t *list = json_array();
    for (unsigned o = 0; o < protocol_options(protocol); o++) {
        const struct protocol_option *option = &protocol->options[o];
        json_t *values = json_array();
        for (unsigned v = 0; v < protocol_values(option); v++)
            json_array_append_new(values, json_string(option->values[v]));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "option", option->name,
                                              "argument", option->argument, "about", option->about,
                                              "values", values));
    }
    return list;
}

static json_t *catalogue_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            char name[128];
            protocol_full_name(&choice, name, sizeof name);
            json_t *object =
                json_pack("{s:s, s:b, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:s, s:b, s:o, s:o}",
                          "protocol", name, "variant", v > 0, "title", protocol->title, "about",
                          protocol->variants[v].about, "citation", protocol->citation, "min_n",
                          (int)protocol->min_n, "max_n", (int)protocol->max_n, "default_n",
                          (int)protocol->default_n, "max_l", (int)protocol->max_l, "fault",
                          cli_fault_name(protocol->fault), "anonymous", protocol->anonymous,
                          "claims", claims_json(&protocol->variants[v]), "expected",
                          expected_json(protocol, &protocol->variants[v]));
            const struct step_params defaults = protocol_defaults(&choice);
            cli_add_choices(object, protocol, &defaults);
            if (protocol_options(protocol) > 0)
                json_object_set_new(object, "declares", options_json(protocol));
            if (protocol->min_l > 1)
                json_object_set_new(object, "min_l", json_integer((json_int_t)protocol->min_l));
            json_array_append_new(list, object);
        }
    }
    return json_pack("{s:o, s:o}", "protocols", list, "properties", properties_json());
}

static void print_claim(const struct protocol_claim *claim, int width)
{
    printf("  %-*s %s", width, check_property_name(claim->property),
           claim->stance == CLAIMED ? "claimed" : "not claimed");
    if (claim->has_bound && claim->bound + claim->bound_n > 0) {
        printf(", bound %llu", (unsigned long long)claim->bound);
        if (claim->bound_n > 0)
            printf(" and %llu for each process", (unsigned long long)claim->bound_n);
    }
    if (claim->fails_from_n > 0)
        printf(", %s from n = %u on", claim->stance == CLAIMED ? "refuted" : "fails",
               claim->fails_from_n);
    if (claim->up_to_k > 0)
        printf(", for k up to %u", claim->up_to_k);
    printf("  [%s]\n", protocol_basis(claim, (char[PROTOCOL_BASIS]){0}));
}

/* The column of the properties: as wide as the widest of them. */
static int column_width(const struct protocol_variant *variant)
{
    size_t width = 26;
    for (size_t c = 0; c < variant->claim_count; c++) {
        const size_t length = strlen(check_property_name(variant->claims[c].property));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_variant(const struct protocol *protocol, const struct protocol_variant *variant)
{
    const int width = column_width(variant);
    printf("\n%s%s%s: %s\n", protocol->name, variant->name[0] != '\0' ? "/" : "", variant->name,
           variant->about);
    for (size_t c = 0; c < variant->claim_count; c++)
        print_claim(&variant->claims[c], width);
    for (size_t e = 0; e < variant->expected_count; e++)
        printf("  n=%u l=%u k=%u: %llu states, %llu transitions\n", variant->expected[e].params.n,
               variant->expected[e].params.l, variant->expected[e].params.k,
               (unsigned long long)variant->expected[e].states,
               (unsigned long long)variant->expected[e].transitions);
}

/* One protocol, with all its variants and what they claim; or one variant of it. */
static int show_one(const char *name)
{
    struct protocol_choice choice;
    if (!protocol_find(name, &choice))
        return cli_error(CLI_USAGE, "no such protocol: %s (berth protocols lists them)", name);
    const struct protocol *protocol = choice.protocol;
    const struct step_params defaults = protocol_defaults(&choice);
    printf("%s: %s\n%s\n", protocol->name, protocol->title, protocol->citation);
    printf("n from %u to %u (%u)", protocol->min_n, protocol->max_n, protocol->default_n);
    if (protocol->max_l > 1)
        printf(", l from %u to %u", protocol->min_l > 1 ? protocol->min_l : 1, protocol->max_l);
    printf(", fault %s", cli_fault_name(protocol->fault));
    if (protocol->default_limit > 0)
        printf(", counters cut off at %u", protocol->default_limit);
    cli_print_choices(protocol, &defaults);
    printf("\nsource: %s\n", protocol->file);
    for (unsigned o = 0; o < protocol_options(protocol); o++) {
        char values[256];
        cli_paper_values(&protocol->options[o], values, sizeof values);
        printf("--%s %s: %s: %s\n", protocol->options[o].name, protocol->options[o].argument,
               values, protocol->options[o].about);
    }
    for (unsigned v = choice.variant; v < protocol->variant_count; v++) {
        print_variant(protocol, &protocol->variants[v]);
        if (choice.variant > 0)
            break;
    }
    return cli_flush(CLI_OK);
}

static int run(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--json") == 0)
        return cli_print_json(catalogue_json());
    if (argc == 2 && argv[1][0] != '-')
        return show_one(argv[1]);
    if (argc != 1)
        return cli_usage(&cli_protocols, "unexpected argument: %s", argv[argc - 1]);
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        printf("%-14s %s\n%14s %s\n", protocol->name, protocol->title, "", protocol->citation);
        for (unsigned v = 1; v < protocol->variant_count; v++)
            printf("%14s /%s: %s\n", "", protocol->variants[v].name, protocol->variants[v].about);
    }
    return cli_flush(CLI_OK);
}

const struct cli_command cli_protocols = {
    .name = "protocols",
    .synopsis = "[PROTOCOL | --json]",
    .about = "list the algorithms, their variants and what each claims",
    .run = run,
    .help = "  PROTOCOL   one, with what it and its variants claim\n"
            "  --json     all, with claims, sources and expected results\n"
            "\n" CLI_OWN_FILE_HELP,
};
