/*
 * The environment of this process, while other threads read it. Resolvers do (getaddrinfo), in
 * threads of the etcd store; and setenv would move what they are reading.
 */
#ifndef BERTH_OS_ENVIRONMENT_H
#define BERTH_OS_ENVIRONMENT_H

/* "NAME=VALUE", which has to stay where it is. 0 or an errno value. Not for two threads at once. */
int os_environment_put(char *assignment);
int os_environment_set(const char *name, const char *value);
int os_environment_unset(const char *name);
/* The same; and its value is overwritten, so that nobody finds it in /proc/PID/environ either. */
int os_environment_erase(const char *name);

#endif
