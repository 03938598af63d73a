/* What /proc says about a process. */
#ifndef BERTH_CLI_JOBSERVER_CLIENT_PROCESS_H
#define BERTH_CLI_JOBSERVER_CLIENT_PROCESS_H

#include "berth.h"

#include <stdbool.h>
#include <sys/types.h>

/* The process that a thread belongs to, and its parent; 0: it is not known. */
pid_t process_of_thread(pid_t thread);
pid_t process_parent(pid_t pid);

/* Its command, with blanks between the words; as far as it goes. */
void process_command(pid_t pid, char text[BERTH_COMMAND_MAX]);

/* Whether it is ninja, as the kernel calls it. */
bool process_is_ninja(pid_t pid);

/* Whether it has this file open, and how. Where that cannot be told, it has. */
enum process_has { PROCESS_HAS_NOT, PROCESS_READS, PROCESS_WRITES };
enum process_has process_has_open(pid_t pid, const char *path);

/* A descriptor that becomes readable when it has ended; -1 and errno. */
int process_watch(pid_t pid);

#endif
