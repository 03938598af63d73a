/* Where the number of a process means something: on this machine, since it was started, and in this
 * namespace. */
#ifndef BERTH_STORE_ETCD_PLACE_H
#define BERTH_STORE_ETCD_PLACE_H

#include <stdint.h>

/* A number that is the same for two processes of one place; 0: it is not known. */
uint64_t place_here(void);

#endif
