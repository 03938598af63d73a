#include "pool/network.h"

#include "pool/reason.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

/* Numbers from linux/magic.h and the file systems' own sources. */
#define FUSE 0x65735546ul

static const struct {
    unsigned long type;
    const char *name;
} types[] = {
    {0x6969, "NFS"},        {0x517b, "SMB"},          {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},   {0x5346414f, "AFS"},      {0x6b414653, "AFS"},
    {0x73757245, "Coda"},   {0x564c, "NCP"},          {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},     {0x19830326, "BeeGFS"},
    {0x01021997, "9p"},     {0x01161970, "GFS2"},     {0x7461636f, "OCFS2"},
    {0xaad7aaea, "PanFS"},  {0x20030528, "OrangeFS"}, {0x786f4256, "vboxsf"},
    {0xbacbacbc, "vmhgfs"},
};

const char *pool_network_type(unsigned long type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == (type & 0xffffffff))
            return types[i].name;
    }
    return NULL;
}

/* FUSE is one number for all: local ones, and these, by the type in the table of mounts. */
static bool is_remote_fuse(const char *type)
{
    static const char *const remote[] = {
        "sshfs",   "glusterfs", "ceph",     "ceph-fuse", "s3fs",      "rclone",     "davfs",
        "juicefs", "mfs",       "gcsfuse",  "goofys",    "curlftpfs", "gvfsd-fuse", "smbnetfs",
        "nfs",     "moosefs",   "lizardfs", "seaweedfs", "blobfuse"};
    for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++) {
        if (strcmp(type, remote[i]) == 0)
            return true;
    }
    return false;
}

/* Whether the line is of a FUSE that goes over a network; *type is then what it calls itself. A
 * line is: id parent major:minor root place options [fields] - type source options. */
static bool tells_of(const char *line, dev_t device, char type[64])
{
    unsigned a, b, major_of, minor_of;
    const char *rest = strstr(line, " - ");
    if (rest == NULL || sscanf(line, "%u %u %u:%u", &a, &b, &major_of, &minor_of) != 4 ||
        major_of != major(device) || minor_of != minor(device))
        return false;
    return sscanf(rest, " - fuse.%63[^ ]", type) == 1 && is_remote_fuse(type);
}

static bool is_remote_mount(int fd, char type[64])
{
    struct stat status;
    char *line = NULL;
    size_t room = 0;
    bool is = false;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    if (mounts == NULL)
        return false;
    if (fstat(fd, &status) == 0) {
        while (!is && getline(&line, &room, mounts) >= 0)
            is = tells_of(line, status.st_dev, type);
    }
    free(line);
    fclose(mounts);
    return is;
}

int pool_network_refuse(int fd, const char *path)
{
    struct statfs status;
    char fuse[64];
    if (fstatfs(fd, &status) != 0)
        return 0;
    const unsigned long type = (unsigned long)status.f_type & 0xffffffff;
    const char *name = pool_network_type(type);
    if (name == NULL && type == FUSE && is_remote_mount(fd, fuse))
        name = fuse;
    if (name == NULL)
        return 0;
    return pool_fail(EREMOTE,
                     "%s is on a network file system (%s), where machines share neither memory nor "
                     "locks; name a local directory, or etcd, by BERTH_STORE or --store",
                     path, name);
}
