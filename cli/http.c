#include "http.h"

#include "os/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static uint64_t now(void)
{
    return os_now(CLOCK_MONOTONIC);
}

int http_listen(unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)*port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int on = 1;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        return -1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 16) == 0 &&
        getsockname(listener, (struct sockaddr *)&address, &size) == 0) {
        *port = ntohs(address.sin_port);
        return listener;
    }
    int error = errno;
    close(listener);
    errno = error;
    return -1;
}

/* Reads in /proc/net/tcp who has the other end of a connection: the socket from `peer` to `own`.
 * False: that is not said. */
static bool user_of(const struct sockaddr_in *peer, const struct sockaddr_in *own, uid_t *user)
{
    FILE *file = fopen("/proc/net/tcp", "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (file != NULL && !found && getline(&line, &room, file) > 0) {
        unsigned from = 0, from_port = 0, to = 0, to_port = 0, number = 0;
        found = sscanf(line, "%*d: %8x:%4x %8x:%4x %*x %*x:%*x %*x:%*x %*x %u", &from, &from_port,
                       &to, &to_port, &number) == 5 &&
                from == peer->sin_addr.s_addr && from_port == ntohs(peer->sin_port) &&
                to == own->sin_addr.s_addr && to_port == ntohs(own->sin_port);
        if (found)
            *user = number;
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return found;
}

int http_accept(int listener)
{
    for (;;) {
        struct sockaddr_in peer = {0}, own = {0};
        socklen_t size = sizeof peer, own_size = sizeof own;
        uid_t user = 0;
        const int connection = accept4(listener, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC);
        if (connection < 0 || geteuid() == 0 ||
            getsockname(connection, (struct sockaddr *)&own, &own_size) != 0 ||
            !user_of(&peer, &own, &user) || user == geteuid())
            return connection;
        close(connection);
    }
}

/* ---- reading ---- */

/* Up to `size` bytes before the deadline; 0: the end, or it is too late. */
static size_t receive(int connection, char *to, size_t size, uint64_t deadline)
{
    for (;;) {
        const uint64_t time = now();
        if (time >= deadline)
            return 0;
        struct pollfd poller = {.fd = connection, .events = POLLIN};
        const int ready = poll(&poller, 1, (int)((deadline - time) / OS_MILLISECOND) + 1);
        if (ready < 0 && errno != EINTR)
            return 0;
        if (ready <= 0)
            continue;
        const ssize_t got = recv(connection, to, size, 0);
        if (got > 0)
            return (size_t)got;
        if (got == 0 || (errno != EINTR && errno != EAGAIN))
            return 0;
    }
}

/* Takes the next line off *at; it ends at the carriage return that is made a 0. NULL: there is
 * none. */
static char *take_line(char **at)
{
    char *line = *at, *end = strstr(line, "\r\n");
    if (end == NULL)
        return NULL;
    *end = '\0';
    *at = end + 2;
    return line;
}

static bool parse_length(const char *text, size_t *length)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0)
        return false;
    *length = value > HTTP_MOST_BODY ? HTTP_MOST_BODY + 1 : (size_t)value;
    return true;
}

/* "GET /path HTTP/1.1" */
static int parse_first(char *line, struct http_request *request)
{
    char *path = strchr(line, ' ');
    char *version = path == NULL ? NULL : strchr(path + 1, ' ');
    if (version == NULL || path[1] != '/')
        return 400;
    *path = *version = '\0';
    request->method = line;
    request->path = path + 1;
    return strncmp(version + 1, "HTTP/1.", 7) == 0 ? 0 : 505;
}

static int parse_field(char *line, struct http_request *request)
{
    char *value = strchr(line, ':');
    if (value == NULL || value == line)
        return 400;
    *value++ = '\0';
    value += strspn(value, " \t");
    for (size_t end = strlen(value); end > 0 && strchr(" \t", value[end - 1]) != NULL;)
        value[--end] = '\0';
    if (strcasecmp(line, "host") == 0) {
        if (*request->host != '\0')
            return 400;
        request->host = value;
    } else if (strcasecmp(line, "origin") == 0) {
        request->origin = value;
    } else if (strcasecmp(line, "content-length") == 0) {
        return parse_length(value, &request->length) ? 0 : 400;
    } else if (strcasecmp(line, "transfer-encoding") == 0) {
        return 501;
    }
    return 0;
}

static int parse_head(struct http_request *request, char *end)
{
    char *at = request->head, *line = take_line(&at);
    int status = line == NULL ? 400 : parse_first(line, request);
    while (status == 0 && at < end && (line = take_line(&at)) != NULL)
        status = parse_field(line, request);
    return status;
}

int http_receive(int connection, struct http_request *request)
{
    const uint64_t deadline = now() + (uint64_t)HTTP_SECONDS * OS_SECOND;
    size_t have = 0, got;
    char *end = NULL;
    request->method = request->path = request->host = request->origin = "";
    request->body = NULL;
    request->length = 0;
    while (end == NULL) {
        if (have == HTTP_MOST_HEAD)
            return 431;
        got = receive(connection, request->head + have, HTTP_MOST_HEAD - have, deadline);
        if (got == 0)
            return have == 0 ? -1 : 408;
        if (memchr(request->head + have, '\0', got) != NULL)
            return 400;
        have += got;
        request->head[have] = '\0';
        end = strstr(request->head, "\r\n\r\n");
    }
    end += 2; /* the last field keeps the end of its line */
    const size_t rest = have - (size_t)(end + 2 - request->head);
    const char *body = end + 2;
    int status = parse_head(request, end);
    if (status != 0)
        return status;
    if (request->length > HTTP_MOST_BODY)
        return 413;
    request->body = malloc(request->length + 1);
    if (request->body == NULL)
        return 503;
    have = rest < request->length ? rest : request->length;
    memcpy(request->body, body, have);
    while (have < request->length) {
        got = receive(connection, request->body + have, request->length - have, deadline);
        if (got == 0)
            return 408;
        have += got;
    }
    request->body[have] = '\0';
    return 0;
}

void http_request_free(struct http_request *request)
{
    free(request->body);
    request->body = NULL;
}

/* ---- answering ---- */

static const char *reason(int status)
{
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 505: return "HTTP Version Not Supported";
    default: return "Service Unavailable";
    }
}

static bool send_all(int connection, const char *text, size_t length, uint64_t deadline)
{
    while (length > 0 && now() < deadline) {
        const ssize_t sent = send(connection, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            text += sent;
            length -= (size_t)sent;
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd poller = {.fd = connection, .events = POLLOUT};
            poll(&poller, 1, 100);
        } else if (sent < 0 && errno != EINTR) {
            return false;
        }
    }
    return length == 0;
}

void http_answer(int connection, int status, const char *type, const char *body, size_t length)
{
    const uint64_t deadline = now() + (uint64_t)HTTP_SECONDS * OS_SECOND;
    char head[1024];
    if (body == NULL) {
        type = "text/plain; charset=utf-8";
        body = reason(status);
        length = strlen(body);
    }
    int size = snprintf(head, sizeof head,
                        "HTTP/1.1 %d %s\r\n"
                        "Content-Type: %s\r\n"
                        "Content-Length: %zu\r\n"
                        "Cache-Control: no-store\r\n"
                        "Referrer-Policy: no-referrer\r\n"
                        "X-Content-Type-Options: nosniff\r\n"
                        "X-Frame-Options: DENY\r\n"
                        "Cross-Origin-Resource-Policy: same-origin\r\n"
                        "Connection: close\r\n\r\n",
                        status, reason(status), type, length);
    if (size > 0 && send_all(connection, head, (size_t)size, deadline))
        send_all(connection, body, length, deadline);
}
