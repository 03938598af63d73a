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
int sim_fallocate(int fd, int mode, off_t offset, off_t length);
int sim_ftruncate(int fd, off_t length);
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
int sim_ppoll(struct pollfd *polled, nfds_t count, const struct timespec *timeout,
              const sigset_t *mask);
int sim_eventfd(unsigned initial, int flags);
int sim_eventfd_read(int fd, uint64_t *value);
int sim_eventfd_write(int fd, uint64_t value);
ssize_t sim_read(int fd, void *buffer, size_t size);
ssize_t sim_write(int fd, const void *buffer, size_t size);
int sim_epoll_create1(int flags);
int sim_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event);
int sim_epoll_wait(int epoll, struct epoll_event *events, int most, int timeout);

int sim_inotify_init1(int flags);
int sim_inotify_add_watch(int fd, const char *path, uint32_t mask);
int sim_inotify_rm_watch(int fd, int watch);

/* self.c */
int sim_clock_gettime(clockid_t clock, struct timespec *time);
int sim_clock_getres(clockid_t clock, struct timespec *time);
pid_t sim_getpid(void);
pid_t sim_gettid(void);
uid_t sim_geteuid(void);
uid_t sim_getuid(void);
int sim_posix_kill(pid_t pid, int signal);
int sim_gethostname(char *name, size_t size);
ssize_t sim_getrandom(void *buffer, size_t size, unsigned flags);
char *sim_secure_getenv(const char *name);

/* thread.c */
int sim_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int sim___register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                          void *object);
int sim_pthread_attr_init(pthread_attr_t *attributes);
int sim_pthread_attr_destroy(pthread_attr_t *attributes);
int sim_pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int sim_pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int sim_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                       void *argument);
int sim_pthread_join(pthread_t thread, void **result);
int sim_pthread_detach(pthread_t thread);
pthread_t sim_pthread_self(void);
int sim_pthread_setname_np(pthread_t thread, const char *name);
int sim_pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
int sim_pthread_setcancelstate(int state, int *before);
int sim_pthread_setcanceltype(int type, int *before);
void sim_pthread_testcancel(void);
void sim___pthread_register_cancel(void *buffer);
void sim___pthread_unregister_cancel(void *buffer);
void sim___pthread_unwind_next(void *buffer) __attribute__((noreturn));
int sim_pthread_key_create(pthread_key_t *key, void (*end)(void *));
int sim_pthread_setspecific(pthread_key_t key, const void *value);
void *sim_pthread_getspecific(pthread_key_t key);
int sim_pthread_once(pthread_once_t *once, void (*routine)(void));
int sim_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int sim_pthread_mutex_destroy(pthread_mutex_t *mutex);
int sim_pthread_mutex_lock(pthread_mutex_t *mutex);
int sim_pthread_mutex_trylock(pthread_mutex_t *mutex);
int sim_pthread_mutex_unlock(pthread_mutex_t *mutex);
int sim_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int sim_pthread_cond_destroy(pthread_cond_t *condition);
int sim_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int sim_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                               const struct timespec *until);
int sim_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                               const struct timespec *until);
int sim_pthread_cond_signal(pthread_cond_t *condition);
int sim_pthread_cond_broadcast(pthread_cond_t *condition);

#endif
