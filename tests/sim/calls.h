/* What the library calls instead of libc: calls.list says which name becomes which. To add a call,
 * put it on that list, declare it here, and write it where its subject is. */
#ifndef BERTH_SIM_CALLS_H
#define BERTH_SIM_CALLS_H

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct dirent;
struct epoll_event;
struct rlimit;
struct stat;

/* file.c */
int sim_close(int fd);
int sim_openat(int directory, const char *path, int flags, ...);
int sim_open(const char *path, int flags, ...);
int sim_mkdir(const char *path, mode_t mode);
int sim_linkat(int from, const char *path, int to, const char *name, int flags);
int sim_renameat2(int from, const char *old, int to, const char *new, unsigned flags);
int sim_unlinkat(int directory, const char *path, int flags);
int sim_fstat(int fd, struct stat *status);
struct statfs;
int sim_fstatfs(int fd, struct statfs *status);
int sim_fstatat(int directory, const char *path, struct stat *status, int flags);
int sim_stat(const char *path, struct stat *status);
int sim_fchmod(int fd, mode_t mode);
int sim_posix_fallocate(int fd, off_t offset, off_t length);
int sim_fsync(int fd);
int sim_getrlimit(int resource, struct rlimit *limit);
ssize_t sim_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t sim_pwrite(int fd, const void *buffer, size_t size, off_t offset);
void *sim_fdopendir(int fd);
void *sim_opendir(const char *path);
struct dirent *sim_readdir(void *directory);
int sim_closedir(void *directory);
int sim_fcntl(int fd, int command, ...);
off_t sim_lseek(int fd, off_t offset, int whence);

/* map.c */
void *sim_malloc(size_t size);
void *sim_calloc(size_t count, size_t size);
void *sim_realloc(void *block, size_t size);
void *sim_reallocarray(void *block, size_t count, size_t size);
char *sim_strdup(const char *text);
void sim_free(void *block);
void *sim_mmap(void *wish, size_t size, int protection, int flags, int fd, off_t offset);
int sim_munmap(void *at, size_t size);
int sim_madvise(void *at, size_t size, int advice);

/* wait.c */
long sim_syscall(long number, ...);
int sim_nanosleep(const struct timespec *time, struct timespec *rest);
int sim_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                        struct timespec *rest);
int sim_sched_yield(void);
int sim_poll(struct pollfd *polled, nfds_t count, int timeout);
ssize_t sim_read(int fd, void *buffer, size_t size);
ssize_t sim_write(int fd, const void *buffer, size_t size);

int sim_inotify_init1(int flags);
int sim_inotify_add_watch(int fd, const char *path, uint32_t mask);

/* self.c */
int sim_clock_gettime(clockid_t clock, struct timespec *time);
pid_t sim_getpid(void);
uid_t sim_geteuid(void);
int sim_posix_kill(pid_t pid, int signal);
int sim_gethostname(char *name, size_t size);
ssize_t sim_getrandom(void *buffer, size_t size, unsigned flags);
char *sim_secure_getenv(const char *name);

/* thread.c */
int sim_pthread_setcancelstate(int state, int *before);
int sim_pthread_setcanceltype(int type, int *before);
void sim___pthread_register_cancel(void *buffer);
void sim___pthread_unregister_cancel(void *buffer);
void sim___pthread_unwind_next(void *buffer) __attribute__((noreturn));
int sim_pthread_key_create(pthread_key_t *key, void (*end)(void *));
int sim_pthread_setspecific(pthread_key_t key, const void *value);
void *sim_pthread_getspecific(pthread_key_t key);
int sim_pthread_once(pthread_once_t *once, void (*routine)(void));
int sim_pthread_mutex_lock(pthread_mutex_t *mutex);
int sim_pthread_mutex_unlock(pthread_mutex_t *mutex);

#endif
