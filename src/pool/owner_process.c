#include "pool/owner_process.h"

#include "os/io.h"
#include "os/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_SIZE = 1024 }; /* what is looked for is in the first lines */

void pool_process_describe(berth_user *user, uint64_t pid_namespace)
{
    char path[64], text[STATUS_SIZE];
    if (pid_namespace == 0 || pid_namespace != os_pid_namespace() || user->pid <= 0)
        return;
    snprintf(path, sizeof path, "/proc/%d/status", user->pid);
    const int fd = os_open(AT_FDCWD, path, O_RDONLY, 0);
    if (fd < 0)
        return;
    const ssize_t length = os_read(fd, text, sizeof text - 1, 0);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *state = strstr(text, "\nState:\t"), *uid = strstr(text, "\nUid:\t");
    if (state != NULL && (state[8] == 'T' || state[8] == 't'))
        user->flags |= BERTH_USER_STOPPED;
    if (uid != NULL && sscanf(uid, "\nUid:\t%u", &user->uid) == 1)
        user->flags |= BERTH_USER_UID;
}
