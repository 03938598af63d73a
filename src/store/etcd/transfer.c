/* Between nghttp2, which has frames and no connection, and the connection. */
#include "store/etcd/link_parts.h"

#include <errno.h>
#include <string.h>

/* Reading or writing did not succeed, with errno. */
static void broken(struct link *link, uint64_t now)
{
    const int error = errno;
    if (error == EACCES)
        link_refuse(link, now, error, connection_refusal());
    else
        link_fail(link, now, EHOSTUNREACH, strerror(error));
}

/* The first that it says: HTTP/1 begins with its name, and a TLS alert with 21. */
static bool is_no_http2(struct link *link, const uint8_t *first, ssize_t size)
{
    const bool other = !link->connection.heard && size > 0 &&
                       (*first == 21 || (size >= 5 && memcmp(first, "HTTP/", 5) == 0));
    link->connection.heard = true;
    return other;
}

bool transfer_in(struct link *link, uint64_t now)
{
    uint8_t buffer[16384];
    for (;;) {
        const ssize_t got = connection_read(&link->connection, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return true;
        if (got < 0)
            broken(link, now);
        else if (got == 0)
            link_fail(link, now, EHOSTUNREACH, "the store ended the connection");
        if (got <= 0)
            return false;
        if (is_no_http2(link, buffer, got) ||
            nghttp2_session_mem_recv(link->session, buffer, (size_t)got) < 0) {
            link_refuse(link, now, EPROTO,
                        "this is not etcd's port for clients: is it the one for peers, or does it "
                        "want TLS?");
            return false;
        }
    }
}

/* Frames are put together, so that a request is one packet. */
static bool gather(struct link *link, uint64_t now)
{
    while (link->unsent_size < LINK_OUT / 2) {
        const uint8_t *frame;
        const ssize_t size = nghttp2_session_mem_send(link->session, &frame);
        if (size <= 0) {
            if (size < 0)
                link_fail(link, now, EPROTO, nghttp2_strerror((int)size));
            return size == 0;
        }
        if (link->unsent_size + (size_t)size > LINK_OUT) {
            link_fail(link, now, EPROTO, "a frame is too long");
            return false;
        }
        memcpy(link->unsent + link->unsent_size, frame, (size_t)size);
        link->unsent_size += (size_t)size;
    }
    return true;
}

void transfer_out(struct link *link, uint64_t now)
{
    while (gather(link, now) && link->unsent_size > 0) {
        const ssize_t put = connection_write(&link->connection, link->unsent, link->unsent_size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN)
            return;
        if (put < 0) {
            broken(link, now);
            return;
        }
        link->unsent_size -= (size_t)put;
        memmove(link->unsent, link->unsent + put, link->unsent_size);
    }
}
