/*
 * libberth needs only libc; what an etcd store needs in addition (TLS, HTTP/2, protocol
 * buffers) comes with a library of its own, loaded when the first pool asks for it.
 *
 * A process that is linked statically can load nothing. So the function that does it
 * (loader/loader.c) is asked for weakly: libberth.so has it, libberth.a has not.
 */
#include "store/loader.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#pragma weak store_loader

/* There where the store is linked in: the command's twin, and tests. */
extern const struct store_operations berth_store_etcd __attribute__((weak));

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static const struct store_operations *loaded;

static int load(char reason[STORE_REASON])
{
    const char *why = "a program that is linked with libberth.a cannot load it";
    const struct store_operations *found = NULL;
    if (&berth_store_etcd != NULL)
        found = &berth_store_etcd;
    else if (store_loader != NULL)
        found = store_loader(&why);
    if (found != NULL && found->interface == STORE_INTERFACE) {
        loaded = found;
        return 0;
    }
    if (found != NULL)
        why = STORE_ETCD_LIBRARY " belongs to another version of libberth";
    snprintf(reason, STORE_REASON, "the etcd store is not installed: %s", why);
    return ENOSYS;
}

int store_load_etcd(const struct store_operations **operations, char reason[STORE_REASON])
{
    pthread_mutex_lock(&loading);
    const int error = loaded != NULL ? 0 : load(reason);
    *operations = loaded;
    pthread_mutex_unlock(&loading);
    return error;
}
