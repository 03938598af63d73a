/* Processes, by their numbers. */
#ifndef BERTH_OS_PROCESS_H
#define BERTH_OS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Tells namespaces of process ids apart; 0: this process's is not known. */
uint64_t os_pid_namespace(void);

/* Whether it is certain that the process has ended, in this process's namespace. (That there is one
 * does not say that it is the one which is meant.) */
bool os_process_is_gone(uint64_t pid);

#endif
