/* Wrong on purpose: the test `tidy` fails if clang-tidy and its analyzer do not say so. */
#include <stdlib.h>
#include <string.h>

struct seat {
    int number;
};

static struct seat *copy_of(const struct seat *seat)
{
    struct seat *copy =
        malloc(sizeof(struct seat *)); /* a pointer's size: bugprone-sizeof-expression */
    if (copy != NULL)
        memcpy(copy, seat, sizeof(seat));
    return copy;
}

int number_of_copy(const struct seat *seat)
{
    struct seat *copy = copy_of(seat);
    if (copy == NULL)
        return -1;
    if (copy->number < 0)
        return -1; /* it leaks: clang-analyzer-unix.Malloc */
    int number = copy->number;
    free(copy);
    return number;
}
