#define FUSE_USE_VERSION 314
#include "mount.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINK_NODE = 2 };
/* The names never change, and what the link says is asked for each time. */
static const double for_ever = 86400;

static void describe(fuse_ino_t node, struct stat *status)
{
    *status = (struct stat){.st_ino = node, .st_uid = geteuid(), .st_gid = getegid()};
    status->st_mode = node == FUSE_ROOT_ID ? S_IFDIR | 0555 : S_IFLNK | 0777;
    status->st_nlink = node == FUSE_ROOT_ID ? 2 : 1;
}

static void lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    struct fuse_entry_param entry = {
        .ino = LINK_NODE, .attr_timeout = for_ever, .entry_timeout = for_ever};
    if (parent != FUSE_ROOT_ID || strcmp(name, MOUNT_LINK) != 0) {
        fuse_reply_err(request, ENOENT);
        return;
    }
    describe(LINK_NODE, &entry.attr);
    fuse_reply_entry(request, &entry);
}

static void get_attributes(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info)
{
    struct stat status;
    (void)info;
    describe(node, &status);
    fuse_reply_attr(request, &status, for_ever);
}

static void list(fuse_req_t request, fuse_ino_t node, size_t size, off_t from,
                 struct fuse_file_info *info)
{
    static const struct {
        const char *name;
        fuse_ino_t node;
    } entries[] = {{".", FUSE_ROOT_ID}, {"..", FUSE_ROOT_ID}, {MOUNT_LINK, LINK_NODE}};
    char text[512];
    size_t used = 0;
    (void)info;
    if (node != FUSE_ROOT_ID) {
        fuse_reply_err(request, ENOTDIR);
        return;
    }
    for (size_t i = (size_t)from; i < sizeof entries / sizeof entries[0]; i++) {
        struct stat status;
        describe(entries[i].node, &status);
        const size_t room = (size < sizeof text ? size : sizeof text) - used;
        const size_t length =
            fuse_add_direntry(request, text + used, room, entries[i].name, &status, (off_t)(i + 1));
        if (length > room)
            break;
        used += length;
    }
    fuse_reply_buf(request, text, used);
}

/* The process that asked was interrupted. */
static void interrupted(fuse_req_t request, void *context)
{
    if (clients_forget(context, request))
        fuse_reply_err(request, EINTR);
}

static void read_link(fuse_req_t request, fuse_ino_t node)
{
    struct mount *mount = fuse_req_userdata(request);
    const struct fuse_ctx *who = fuse_req_ctx(request);
    if (node != LINK_NODE) {
        fuse_reply_err(request, EINVAL);
        return;
    }
    const pid_t pid = who->pid;
    const uid_t uid = who->uid;
    clients_ask(mount->clients, pid, uid, request);
    /* It may have been answered, and be gone; only waiting requests can be interrupted. */
    if (clients_waits(mount->clients, request))
        fuse_req_interrupt_func(request, interrupted, mount->clients);
}

void mount_answer(void *request, const char *path, int error)
{
    if (error != 0)
        fuse_reply_err(request, error);
    else
        fuse_reply_readlink(request, path);
}

static const struct fuse_lowlevel_ops operations = {
    .lookup = lookup,
    .getattr = get_attributes,
    .readlink = read_link,
    .readdir = list,
};

/* Root serves everybody; another user only itself. If the server is killed, fusermount3 unmounts
 * it. */
bool mount_open(struct mount *mount, const char *path, struct clients *clients)
{
    char *everybody[] = {"berth-jobserver",
                         "-ofsname=berth,subtype=jobserver,auto_unmount,allow_other", NULL};
    char *own[] = {"berth-jobserver", "-ofsname=berth,subtype=jobserver,auto_unmount", NULL};
    struct fuse_args args = {2, geteuid() == 0 ? everybody : own, 0};
    *mount = (struct mount){.clients = clients};
    mount->session = fuse_session_new(&args, &operations, sizeof operations, mount);
    fuse_opt_free_args(&args);
    if (mount->session == NULL)
        return false;
    if (fuse_session_mount(mount->session, path) == 0)
        return true;
    fuse_session_destroy(mount->session);
    mount->session = NULL;
    return false;
}

void mount_close(struct mount *mount)
{
    fuse_session_unmount(mount->session);
    fuse_session_destroy(mount->session);
    mount->session = NULL;
}

int mount_fd(const struct mount *mount)
{
    return fuse_session_fd(mount->session);
}

bool mount_serve(struct mount *mount)
{
    struct fuse_buf buffer = {0};
    const int length = fuse_session_receive_buf(mount->session, &buffer);
    if (length > 0)
        fuse_session_process_buf(mount->session, &buffer);
    free(buffer.mem);
    return length > 0 || length == -EINTR || length == -EAGAIN;
}
