#include "store/etcd/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- TLS ---- */

static void explain(char reason[STORE_REASON], const char *what, const char *file)
{
    char text[256];
    ERR_error_string_n(ERR_peek_last_error(), text, sizeof text);
    snprintf(reason, STORE_REASON, "%s %.500s: %s", what, file, text);
    ERR_clear_error();
}

SSL_CTX *connection_context(const struct address *address, char reason[STORE_REASON])
{
    static const unsigned char h2[] = "\x02h2";
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) {
        explain(reason, "cannot use TLS", "");
        return NULL;
    }
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_protos(context, h2, sizeof h2 - 1);
    const char *what = NULL, *file = "";
    if (address->ca[0] != '\0') {
        if (SSL_CTX_load_verify_locations(context, address->ca, NULL) != 1)
            what = "cannot read the certificates in", file = address->ca;
    } else if (SSL_CTX_set_default_verify_paths(context) != 1) {
        what = "cannot read the system's certificates";
    }
    if (what == NULL && address->cert[0] != '\0' &&
        SSL_CTX_use_certificate_chain_file(context, address->cert) != 1)
        what = "cannot read the certificate", file = address->cert;
    if (what == NULL && address->key[0] != '\0' &&
        SSL_CTX_use_PrivateKey_file(context, address->key, SSL_FILETYPE_PEM) != 1)
        what = "cannot read the key", file = address->key;
    if (what == NULL)
        return context;
    explain(reason, what, file);
    SSL_CTX_free(context);
    return NULL;
}

/* OpenSSL's own socket stream would raise SIGPIPE in whichever thread happens to write. */
static int bio_write(BIO *bio, const char *data, int size)
{
    BIO_clear_retry_flags(bio);
    const ssize_t put =
        send(((struct connection *)BIO_get_data(bio))->fd, data, (size_t)size, MSG_NOSIGNAL);
    if (put < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_write(bio);
    return (int)put;
}

static int bio_read(BIO *bio, char *data, int size)
{
    BIO_clear_retry_flags(bio);
    const ssize_t got = recv(((struct connection *)BIO_get_data(bio))->fd, data, (size_t)size, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_read(bio);
    return (int)got;
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static BIO *new_bio(struct connection *connection)
{
    static _Atomic(BIO_METHOD *)
        shared; /* made once, or twice and kept; there is no harm in that */
    BIO_METHOD *method = shared;
    if (method == NULL) {
        method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "berth");
        if (method == NULL || BIO_meth_set_write(method, bio_write) != 1 ||
            BIO_meth_set_read(method, bio_read) != 1 || BIO_meth_set_ctrl(method, bio_control) != 1)
            return NULL;
        shared = method;
    }
    BIO *bio = BIO_new(method);
    if (bio != NULL) {
        BIO_set_data(bio, connection);
        BIO_set_init(bio, 1);
    }
    return bio;
}

static int begin_tls(struct connection *connection, SSL_CTX *context)
{
    unsigned char number[sizeof(struct in6_addr)];
    const char *host = connection->host;
    const bool is_number =
        inet_pton(AF_INET, host, number) == 1 || inet_pton(AF_INET6, host, number) == 1;
    connection->ssl = SSL_new(context);
    BIO *bio = connection->ssl != NULL ? new_bio(connection) : NULL;
    if (bio == NULL)
        return ENOMEM;
    SSL_set_bio(connection->ssl, bio, bio);
    X509_VERIFY_PARAM *verify = SSL_get0_param(connection->ssl);
    if (is_number)
        X509_VERIFY_PARAM_set1_ip_asc(verify, host);
    else if (SSL_set1_host(connection->ssl, host) != 1 ||
             SSL_set_tlsext_host_name(connection->ssl, host) != 1)
        return ENOMEM;
    SSL_set_connect_state(connection->ssl);
    return 0;
}

/* What an SSL function that did not succeed means: EAGAIN, with what is wanted, or an error. */
static int tls_error(struct connection *connection, int result)
{
    switch (SSL_get_error(connection->ssl, result)) {
    case SSL_ERROR_WANT_READ: connection->wants = POLLIN; return EAGAIN;
    case SSL_ERROR_WANT_WRITE: connection->wants = POLLOUT; return EAGAIN;
    case SSL_ERROR_ZERO_RETURN: return EPIPE;
    case SSL_ERROR_SYSCALL: return errno != 0 ? errno : ECONNRESET;
    default: return EPROTO;
    }
}

static int shake_hands(struct connection *connection, char reason[STORE_REASON])
{
    ERR_clear_error();
    errno = 0;
    const int result = SSL_do_handshake(connection->ssl);
    if (result == 1)
        return 0;
    const int error = tls_error(connection, result);
    if (error == EAGAIN)
        return error;
    const long verified = SSL_get_verify_result(connection->ssl);
    if (verified != X509_V_OK) {
        snprintf(reason, STORE_REASON, "the certificate of %s is not to be trusted: %s",
                 connection->where, X509_verify_cert_error_string(verified));
        return EACCES;
    }
    if (error == EPROTO && ERR_GET_REASON(ERR_peek_error()) == SSL_R_WRONG_VERSION_NUMBER) {
        snprintf(reason, STORE_REASON, "what %s says is not TLS: does it speak TLS on this port?",
                 connection->where);
        return EACCES;
    }
    if (error == EPROTO) {
        char text[256];
        ERR_error_string_n(ERR_peek_error(), text, sizeof text);
        snprintf(reason, STORE_REASON, "%s does not agree on TLS: %s", connection->where, text);
        return EACCES;
    }
    snprintf(reason, STORE_REASON,
             "%s ended the connection during the TLS handshake, does it speak TLS? %s",
             connection->where, strerror(error));
    return error;
}

/* ---- TCP ---- */

/* Tries addresses until one does not fail at once. */
static int try_next(struct connection *connection, char reason[STORE_REASON], int error)
{
    for (; connection->next != NULL; connection->next = connection->next->ai_next) {
        const struct addrinfo *to = connection->next;
        const int one = 1;
        connection->fd =
            socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, to->ai_protocol);
        if (connection->fd >= 0) {
            setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            if (connect(connection->fd, to->ai_addr, to->ai_addrlen) == 0 || errno == EINPROGRESS) {
                connection->next = to->ai_next;
                connection->wants = POLLOUT;
                return 0;
            }
        }
        error = errno;
        if (connection->fd >= 0)
            close(connection->fd);
        connection->fd = -1;
    }
    snprintf(reason, STORE_REASON, "cannot connect to %s: %s", connection->where, strerror(error));
    return error;
}

static int not_found(const struct connection *connection, int error, char reason[STORE_REASON])
{
    snprintf(reason, STORE_REASON, "cannot find the host %s: %s", connection->host,
             error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
    return EHOSTUNREACH;
}

int connection_open(struct connection *connection, const struct address_endpoint *endpoint,
                    SSL_CTX *context, char reason[STORE_REASON])
{
    (void)context;
    *connection = (struct connection){.fd = -1};
    layout_copy(connection->host, sizeof connection->host, endpoint->host);
    snprintf(connection->where, sizeof connection->where, "%s:%s", endpoint->host, endpoint->port);
    const int error =
        resolve_start(endpoint->host, endpoint->port, &connection->resolve, &connection->found);
    if (error == EAGAIN) {
        connection->wants = POLLIN;
        snprintf(reason, STORE_REASON, "the host %s is not found in time", connection->host);
        return 0;
    }
    if (error != 0) {
        snprintf(reason, STORE_REASON, "cannot look up the host %s: %s", connection->host,
                 strerror(error));
        return error;
    }
    connection->next = connection->found;
    return try_next(connection, reason, EHOSTUNREACH);
}

/* EAGAIN: the host is still being looked up, or has just been found. */
static int look_up(struct connection *connection, char reason[STORE_REASON])
{
    const int error = resolve_take(connection->resolve, &connection->found);
    if (error == EAI_AGAIN && errno == EAGAIN)
        return EAGAIN;
    resolve_drop(connection->resolve);
    connection->resolve = NULL;
    if (error != 0)
        return not_found(connection, error, reason);
    connection->next = connection->found;
    const int failed = try_next(connection, reason, EHOSTUNREACH);
    return failed == 0 ? EAGAIN : failed;
}

int connection_fd(const struct connection *connection)
{
    return connection->resolve != NULL ? resolve_fd(connection->resolve) : connection->fd;
}

int connection_advance(struct connection *connection, SSL_CTX *context, char reason[STORE_REASON])
{
    if (connection->resolve != NULL)
        return look_up(connection, reason);
    if (!connection->connected) {
        int error = 0;
        socklen_t size = sizeof error;
        struct pollfd poll_one = {.fd = connection->fd, .events = POLLOUT};
        if (poll(&poll_one, 1, 0) == 0)
            return EAGAIN;
        getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) {
            close(connection->fd);
            connection->fd = -1;
            error = try_next(connection, reason, error);
            return error == 0 ? EAGAIN : error;
        }
        connection->connected = true;
        if (context != NULL && begin_tls(connection, context) != 0) {
            snprintf(reason, STORE_REASON, "there is no memory for TLS");
            return ENOMEM;
        }
    }
    if (connection->ssl != NULL && !connection->ready) {
        const int error = shake_hands(connection, reason);
        if (error != 0)
            return error;
    }
    connection->ready = true;
    connection->wants = POLLIN;
    return 0;
}

void connection_close(struct connection *connection)
{
    if (connection->ssl != NULL)
        SSL_free(connection->ssl);
    if (connection->fd >= 0)
        close(connection->fd);
    if (connection->found != NULL)
        freeaddrinfo(connection->found);
    resolve_drop(connection->resolve);
    *connection = (struct connection){.fd = -1};
}

/* An alert, if that is what it was: TLS 1.3 asks for certificates after the handshake. */
static int refusal(int error)
{
    return error == EPROTO ? EACCES : error;
}

const char *connection_refusal(void)
{
    const char *text = ERR_reason_error_string(ERR_peek_error());
    return text != NULL ? text : "it does not agree on TLS";
}

ssize_t connection_read(struct connection *connection, void *buffer, size_t size)
{
    if (connection->ssl == NULL)
        return recv(connection->fd, buffer, size, 0);
    ERR_clear_error();
    errno = 0;
    const int got = SSL_read(connection->ssl, buffer, (int)size);
    if (got > 0)
        return got;
    const int error = tls_error(connection, got);
    if (error == EPIPE)
        return 0;
    errno = refusal(error);
    return -1;
}

ssize_t connection_write(struct connection *connection, const void *buffer, size_t size)
{
    if (connection->ssl == NULL)
        return send(connection->fd, buffer, size, MSG_NOSIGNAL);
    ERR_clear_error();
    errno = 0;
    const int put = SSL_write(connection->ssl, buffer, (int)size);
    if (put > 0)
        return put;
    errno = refusal(tls_error(connection, put));
    return -1;
}
