/* As much of HTTP/1.1 as a page needs that is served to one person on the same machine: one
 * connection at a time, one request each, on the loopback interface. */
#ifndef BERTH_CLI_HTTP_H
#define BERTH_CLI_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_MOST_HEAD = 16 << 10, HTTP_MOST_BODY = 256 << 10, HTTP_SECONDS = 5 };

/* What came in. Strings are in `head`; they are "" where the request did not say. */
struct http_request {
    char head[HTTP_MOST_HEAD + 1];
    const char *method, *path, *host, *origin;
    char *body; /* ends with a 0; the caller frees it */
    size_t length;
};

/* A socket that listens on 127.0.0.1, on *port or, where that is 0, on one that is free. -1:
 * errno. */
int http_listen(unsigned *port);

/* The next connection; -1: errno. One of another local user is closed at once, so that it keeps
 * nobody waiting; root serves everybody, as the browser may be of another user. */
int http_accept(int listener);

/* Reads one request, within HTTP_SECONDS. 0, or the status to answer with; -1: the client has
 * gone. */
int http_receive(int connection, struct http_request *request);
void http_request_free(struct http_request *request);

/* `type` is the content type; `body` may be NULL, for what the status says. */
void http_answer(int connection, int status, const char *type, const char *body, size_t length);

#endif
