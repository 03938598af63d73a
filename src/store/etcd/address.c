#include "store/etcd/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TTL = 10, DEFAULT_TIMEOUT = 5, LEAST_TTL = 2, MOST = 3600 };

/* Says what is wrong, and where. Before an @ there may be a password, perhaps one with a / in it:
 * nothing of that is shown. */
static int refuse(char reason[STORE_REASON], const char *what, const char *where, size_t length)
{
    if (strchr(where, '@') != NULL) {
        snprintf(reason, STORE_REASON,
                 "%s in the address of the store (%s has room for any password)", what,
                 ADDRESS_PASSWORD);
        return EINVAL;
    }
    snprintf(reason, STORE_REASON, "%s in the address of the store: \"%.*s\"", what, (int)length,
             where);
    return EINVAL;
}

static bool copy(char *to, size_t room, const char *from, size_t length)
{
    if (length >= room)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

/* HOST, HOST:PORT, or [HOST]:PORT where the host is an IPv6 address. */
static bool take_endpoint(struct address_endpoint *endpoint, const char *text, size_t length)
{
    const char *end = text + length, *host = text, *port = NULL;
    size_t host_length = length;
    if (length > 0 && *text == '[') {
        const char *close = memchr(text, ']', length);
        if (close == NULL || (close + 1 < end && close[1] != ':'))
            return false;
        host = text + 1;
        host_length = (size_t)(close - host);
        port = close + 1 < end ? close + 2 : NULL;
    } else {
        const char *colon = memchr(text, ':', length);
        if (colon != NULL) {
            host_length = (size_t)(colon - text);
            port = colon + 1;
        }
    }
    if (port == NULL)
        layout_copy(endpoint->port, sizeof endpoint->port, "2379");
    else if (!copy(endpoint->port, sizeof endpoint->port, port, (size_t)(end - port)))
        return false;
    const size_t digits = strspn(endpoint->port, "0123456789");
    const unsigned long number = strtoul(endpoint->port, NULL, 10);
    return host_length > 0 && copy(endpoint->host, sizeof endpoint->host, host, host_length) &&
           digits > 0 && endpoint->port[digits] == '\0' && number > 0 && number < 65536;
}

static int take_endpoints(struct address *address, const char *text, size_t length, char *reason)
{
    while (length > 0) {
        const char *comma = memchr(text, ',', length);
        const size_t part = comma != NULL ? (size_t)(comma - text) : length;
        if (address->endpoints == ADDRESS_ENDPOINTS)
            return refuse(reason, "too many endpoints", text, part);
        if (!take_endpoint(&address->endpoint[address->endpoints++], text, part))
            return refuse(reason, "that is not HOST or HOST:PORT", text, part);
        text += part + (comma != NULL);
        length -= part + (comma != NULL);
    }
    return address->endpoints > 0 ? 0 : refuse(reason, "there is no host", text, length);
}

static int take_user(struct address *address, const char *text, size_t length, char *reason)
{
    const char *colon = memchr(text, ':', length);
    const size_t name = colon != NULL ? (size_t)(colon - text) : length;
    if (name == 0 || !copy(address->user, sizeof address->user, text, name) ||
        (colon != NULL &&
         !copy(address->password, sizeof address->password, colon + 1, length - name - 1)))
        return refuse(reason, "that is not USER or USER:PASSWORD", text, name);
    return 0;
}

static int take_prefix(struct address *address, const char *text, size_t length, char *reason)
{
    while (length > 0 && *text == '/') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == '/')
        length--;
    if (length == 0) {
        layout_copy(address->prefix, sizeof address->prefix, "/berth/");
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f)
            return refuse(reason, "a prefix has no such characters", text, length);
    }
    if (length + 3 > sizeof address->prefix)
        return refuse(reason, "the prefix is too long", text, length);
    snprintf(address->prefix, sizeof address->prefix, "/%.*s/", (int)length, text);
    return 0;
}

static bool take_seconds(unsigned *seconds, unsigned long least, const char *text)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    *seconds = (unsigned)value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value >= least && value <= MOST;
}

static bool take_option(struct address *address, const char *name, const char *value)
{
    const struct {
        const char *name;
        char *path;
    } files[] = {{"ca", address->ca}, {"cert", address->cert}, {"key", address->key}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(name, files[i].name) == 0) {
            address->tls = true;
            return *value != '\0' && copy(files[i].path, PATH_MAX, value, strlen(value));
        }
    }
    if (strcmp(name, "tls") == 0) {
        address->tls |= strcmp(value, "1") == 0;
        return address->tls;
    }
    if (strcmp(name, "plain") == 0) {
        address->plain = strcmp(value, "1") == 0;
        return address->plain;
    }
    if (strcmp(name, "ttl") == 0)
        return take_seconds(&address->ttl, LEAST_TTL, value);
    return strcmp(name, "timeout") == 0 && take_seconds(&address->timeout, 1, value);
}

static int take_options(struct address *address, const char *text, char *reason)
{
    while (*text != '\0') {
        char option[PATH_MAX + 16];
        const size_t length = strcspn(text, "&");
        if (!copy(option, sizeof option, text, length))
            return refuse(reason, "an option is too long", text, 40);
        char *equals = strchr(option, '=');
        if (equals == NULL)
            return refuse(reason, "that is not OPTION=VALUE", text, length);
        *equals = '\0';
        if (strcmp(option, "ttl") == 0 && !take_seconds(&address->ttl, LEAST_TTL, equals + 1))
            return refuse(reason, "ttl is a number of seconds from 2 to 3600", text, length);
        if (!take_option(address, option, equals + 1))
            return refuse(reason, "no such option, or no such value", text, length);
        text += length + (text[length] == '&');
    }
    if ((address->cert[0] == '\0') != (address->key[0] == '\0'))
        return refuse(reason, "cert and key go together, one is missing", "", 0);
    return 0;
}

/* Says whether all hosts are this machine. */
static bool is_local(const struct address *address)
{
    for (size_t i = 0; i < address->endpoints; i++) {
        const char *host = address->endpoint[i].host;
        struct in_addr number;
        const bool loopback =
            inet_pton(AF_INET, host, &number) == 1 && ntohl(number.s_addr) >> 24 == IN_LOOPBACKNET;
        if (!loopback && strcmp(host, "localhost") != 0 && strcmp(host, "::1") != 0)
            return false;
    }
    return true;
}

/* A password does not go over a network where anybody can read it, unless that is asked for. */
static int check_password(const struct address *address, char *reason)
{
    if (address->password[0] == '\0' || address->tls || address->plain || is_local(address))
        return 0;
    snprintf(
        reason, STORE_REASON,
        "the password would go over a connection without TLS: give ca= or tls=1 in the address "
        "of the store, or plain=1 to permit that");
    return EINVAL;
}

/* What status shows: user, hosts, prefix. */
static void show(struct address *address)
{
    size_t used =
        (size_t)snprintf(address->shown, sizeof address->shown, "%s%s%s", STORE_ETCD_SCHEME,
                         address->user, address->user[0] != '\0' ? "@" : "");
    for (size_t i = 0; i < address->endpoints && used < sizeof address->shown; i++) {
        const char *host = address->endpoint[i].host;
        const bool bare = strchr(host, ':') == NULL;
        used += (size_t)snprintf(address->shown + used, sizeof address->shown - used, "%s%s%s%s:%s",
                                 i > 0 ? "," : "", bare ? "" : "[", host, bare ? "" : "]",
                                 address->endpoint[i].port);
    }
    if (used < sizeof address->shown)
        snprintf(address->shown + used, sizeof address->shown - used, "%.*s",
                 (int)strlen(address->prefix) - 1, address->prefix);
}

int address_parse(struct address *address, const char *store, char reason[STORE_REASON])
{
    memset(address, 0, sizeof *address);
    address->ttl = DEFAULT_TTL;
    address->timeout = DEFAULT_TIMEOUT;
    const char *rest = store + sizeof STORE_ETCD_SCHEME - 1;
    const char *options = strchr(rest, '?');
    const size_t before = options != NULL ? (size_t)(options - rest) : strlen(rest);
    const char *slash = memchr(rest, '/', before);
    size_t hosts = slash != NULL ? (size_t)(slash - rest) : before;
    const char *at = memrchr(rest, '@', hosts);
    int error = 0;
    if (at != NULL) {
        error = take_user(address, rest, (size_t)(at - rest), reason);
        hosts -= (size_t)(at + 1 - rest);
        rest = at + 1;
    }
    if (error == 0)
        error = take_endpoints(address, rest, hosts, reason);
    rest += hosts;
    if (error == 0)
        error = take_prefix(address, rest,
                            options != NULL ? (size_t)(options - rest) : strlen(rest), reason);
    if (error == 0 && options != NULL)
        error = take_options(address, options + 1, reason);
    const char *password = secure_getenv(ADDRESS_PASSWORD);
    if (error == 0 && address->user[0] != '\0' && address->password[0] == '\0' &&
        password != NULL &&
        !copy(address->password, sizeof address->password, password, strlen(password)))
        error = refuse(reason, ADDRESS_PASSWORD " is too long", "", 0);
    if (error == 0)
        error = check_password(address, reason);
    if (error == 0)
        show(address);
    return error;
}
