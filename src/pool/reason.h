/* Why the last call of this thread failed: what berth_reason() gives. */
#ifndef BERTH_POOL_REASON_H
#define BERTH_POOL_REASON_H

/* Keeps the sentence and gives `error` back, so that `return pool_fail(EPERM, "...", ...)` reads
 * well. %m in the format is the system's text for `error`. errno is left as it was. */
int pool_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
