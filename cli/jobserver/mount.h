/* A file system with one symbolic link, which leads every process to a FIFO of its own. */
#ifndef BERTH_CLI_JOBSERVER_MOUNT_H
#define BERTH_CLI_JOBSERVER_MOUNT_H

#include "clients.h"

struct fuse_session;

struct mount {
    struct fuse_session *session;
    struct clients *clients;
};

#define MOUNT_LINK "tokens"

/* Mounted at `path`, a folder. False: libfuse has said why, on standard error. */
bool mount_open(struct mount *mount, const char *path, struct clients *clients);
void mount_close(struct mount *mount);

/* To be polled; when it is readable, mount_serve has to be called. False: it was unmounted. */
int mount_fd(const struct mount *mount);
bool mount_serve(struct mount *mount);

/* For struct clients_options. */
void mount_answer(void *request, const char *path, int error);

#endif
