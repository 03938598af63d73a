/* TLS by OpenSSL. In a folder of its own: the command's twin is linked without it, and loads it
 * when an address asks for TLS. */
#include "store/etcd/tls.h"

#include "store/etcd/connection.h"
#include "store/store.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void explain(char reason[STORE_REASON], const char *what, const char *file)
{
    char text[256];
    ERR_error_string_n(ERR_peek_last_error(), text, sizeof text);
    snprintf(reason, STORE_REASON, "%s %.500s: %s", what, file, text);
    ERR_clear_error();
}

static struct tls_context *new_context(const struct address *address, char reason[STORE_REASON])
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
        return (struct tls_context *)context;
    explain(reason, what, file);
    SSL_CTX_free(context);
    return NULL;
}

static void free_context(struct tls_context *context)
{
    SSL_CTX_free((SSL_CTX *)context);
}

static SSL *ssl_of(const struct connection *connection)
{
    return (SSL *)connection->tls;
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
        shared; /* two threads may make it at once; then both are kept, which does no harm */
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

static int begin(struct connection *connection, struct tls_context *context)
{
    unsigned char number[sizeof(struct in6_addr)];
    const char *host = connection->host;
    const bool is_number =
        inet_pton(AF_INET, host, number) == 1 || inet_pton(AF_INET6, host, number) == 1;
    SSL *ssl = SSL_new((SSL_CTX *)context);
    BIO *bio = ssl != NULL ? new_bio(connection) : NULL;
    connection->tls = (struct tls *)ssl;
    if (bio == NULL)
        return ENOMEM;
    SSL_set_bio(ssl, bio, bio);
    X509_VERIFY_PARAM *verify = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(verify, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (is_number && X509_VERIFY_PARAM_set1_ip_asc(verify, host) != 1)
        return ENOMEM;
    if (is_number)
        ; /* it is not sent: RFC 6066 has no numbers in a server name */
    else if (SSL_set1_host(ssl, host) != 1 || SSL_set_tlsext_host_name(ssl, host) != 1)
        return ENOMEM;
    SSL_set_connect_state(ssl);
    return 0;
}

/* What an SSL function that did not succeed means: EAGAIN, with what is wanted, or an error. */
static int tls_error(struct connection *connection, int result)
{
    switch (SSL_get_error(ssl_of(connection), result)) {
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
    const int result = SSL_do_handshake(ssl_of(connection));
    if (result == 1)
        return 0;
    const int error = tls_error(connection, result);
    if (error == EAGAIN)
        return error;
    const long verified = SSL_get_verify_result(ssl_of(connection));
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

/* An alert, if that is what it was: TLS 1.3 asks for certificates after the handshake. */
static int refusal(int error)
{
    return error == EPROTO ? EACCES : error;
}

static const char *refusal_text(void)
{
    const char *text = ERR_reason_error_string(ERR_peek_error());
    return text != NULL ? text : "it does not agree on TLS";
}

static ssize_t read_some(struct connection *connection, void *buffer, size_t size)
{
    ERR_clear_error();
    errno = 0;
    const int got = SSL_read(ssl_of(connection), buffer, (int)size);
    if (got > 0)
        return got;
    const int error = tls_error(connection, got);
    if (error == EPIPE)
        return 0;
    errno = refusal(error);
    return -1;
}

static ssize_t write_some(struct connection *connection, const void *buffer, size_t size)
{
    ERR_clear_error();
    errno = 0;
    const int put = SSL_write(ssl_of(connection), buffer, (int)size);
    if (put > 0)
        return put;
    errno = refusal(tls_error(connection, put));
    return -1;
}

static void end(struct connection *connection)
{
    SSL_free(ssl_of(connection));
    connection->tls = NULL;
}

BERTH_API extern const struct tls_operations berth_store_etcd_tls;
const struct tls_operations berth_store_etcd_tls = {
    .interface = TLS_INTERFACE,
    .context = new_context,
    .free_context = free_context,
    .begin = begin,
    .shake_hands = shake_hands,
    .read = read_some,
    .write = write_some,
    .refusal = refusal_text,
    .end = end,
};
