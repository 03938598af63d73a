#include "cli.h"

int cli_print_json(json_t *object)
{
    json_t *whole = json_pack("{s:i}", "version", 1);
    if (object == NULL || whole == NULL || json_object_update(whole, object) != 0) {
        json_decref(object);
        json_decref(whole);
        return cli_error(CLI_FAILED, "out of memory");
    }
    json_dumpf(whole, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(object);
    json_decref(whole);
    return cli_flush(CLI_OK);
}
