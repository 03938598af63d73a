/*
 * The sentence lives in memory of its own, which a thread gets with its first failure. A
 * _Thread_local buffer would be simpler, but in a shared library it either makes every thread of
 * every user pay for it, or ties the library to the dynamic linker by name.
 */
#include "pool/reason.h"

#include "berth.h"
#include "os/foreign.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { REASON_SIZE = 1024 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error = EAGAIN;

/* free is libc's: threads may end after the library has been unloaded. */
static void make_key(void)
{
    key_error = pthread_key_create(&key, free);
}

static char *buffer_of_this_thread(void)
{
    if (pthread_once(&once, make_key) != 0 || key_error != 0)
        return NULL;
    char *buffer = pthread_getspecific(key);
    if (buffer != NULL)
        return buffer;
    buffer = calloc(1, REASON_SIZE);
    if (buffer != NULL && pthread_setspecific(key, buffer) != 0) {
        free(buffer);
        buffer = NULL;
    }
    return buffer;
}

int pool_fail(int error, const char *format, ...)
{
    int before = errno;
    char *buffer = buffer_of_this_thread();
    if (buffer != NULL) {
        va_list arguments;
        va_start(arguments, format);
        errno = error; /* for %m */
        vsnprintf(buffer, REASON_SIZE, format, arguments);
        va_end(arguments);
        /* There may be names and messages in it that others wrote. */
        os_clean(buffer, REASON_SIZE, (struct os_foreign){buffer, REASON_SIZE});
    }
    errno = before;
    return error;
}

const char *berth_reason(void)
{
    const char *buffer = NULL;
    if (pthread_once(&once, make_key) == 0 && key_error == 0)
        buffer = pthread_getspecific(key);
    return buffer != NULL ? buffer : "";
}
