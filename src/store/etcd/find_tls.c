/* TLS, where it is linked in or can be loaded. */
#include "store/etcd/tls.h"

#include "store/loader.h"

#include <pthread.h>
#include <stdio.h>

#pragma weak store_loader_symbol

extern const struct tls_operations berth_store_etcd_tls __attribute__((weak));

static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;
static const struct tls_operations *_Atomic found;

static const struct tls_operations *find(char reason[STORE_REASON])
{
    const char *why = "there is nothing to load it with";
    const struct tls_operations *operations = NULL;
    if (&berth_store_etcd_tls != NULL)
        operations = &berth_store_etcd_tls;
    else if (store_loader_symbol != NULL)
        operations = store_loader_symbol(TLS_SYMBOL, &why);
    if (operations != NULL && operations->interface == TLS_INTERFACE)
        return operations;
    if (operations != NULL)
        why = STORE_ETCD_LIBRARY " belongs to another version of berth";
    snprintf(reason, STORE_REASON, "cannot use TLS: %s", why);
    return NULL;
}

const struct tls_operations *tls_find(char reason[STORE_REASON])
{
    pthread_mutex_lock(&finding);
    if (found == NULL)
        found = find(reason);
    pthread_mutex_unlock(&finding);
    return found;
}

const struct tls_operations *tls(void)
{
    return found;
}
