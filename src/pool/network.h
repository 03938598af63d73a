/* File systems that several machines share. Neither memory nor locks are shared among these, so a
 * pool there would have its slots once for each machine. */
#ifndef BERTH_POOL_NETWORK_H
#define BERTH_POOL_NETWORK_H

/* The name of the network file system that statfs(2) gives this number for; NULL: it is none. */
const char *pool_network_type(unsigned long type);

/* The same for an open directory; 0, or EREMOTE and the reason. What cannot be told is let pass. */
int pool_network_refuse(int fd, const char *path);

#endif
