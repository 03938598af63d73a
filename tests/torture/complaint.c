#include "complaint.h"

#include <stdarg.h>

void complain(struct complaints *complaints, const char *format, ...)
{
    if (complaint_found(complaints))
        return;
    const unsigned own = atomic_fetch_add(&complaints->begun, 1);
    if (own < COMPLAINTS) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(complaints->text[own], sizeof complaints->text[own], format, arguments);
        va_end(arguments);
    }
    /* With no room left, the last one has to do, whether or not it is complete. */
    unsigned none = 0;
    atomic_compare_exchange_strong(&complaints->whole, &none,
                                   own < COMPLAINTS ? own + 1 : COMPLAINTS);
}

bool complaint_found(const struct complaints *complaints)
{
    return atomic_load(&complaints->whole) != 0;
}

bool complaint_print(const struct complaints *complaints, FILE *out)
{
    const unsigned whole = atomic_load(&complaints->whole);
    if (whole != 0)
        fprintf(out, "FAILED: %s\n", complaints->text[whole - 1]);
    else if (atomic_load(&complaints->begun) != 0)
        fprintf(out, "FAILED: the process that found it was killed while it said so: %s\n",
                complaints->text[0]);
    else
        return false;
    return true;
}
