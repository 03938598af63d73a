#include "clients.h"

#include "client_process.h"

#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    TO_OPEN_MS = 1000, /* time that a process has to open the FIFO that it was given */
    ANCESTORS = 64,    /* how many ancestors are looked at */
    REQUESTS = 16,     /* of one process at once */
};

struct client {
    struct client *next;
    pid_t pid;
    uid_t uid;
    int ended; /* a pidfd */
    berth_pool *pool;
    struct asker asker; /* for the first slot */
    bool waits;         /* for that */
    struct account *account;
    uint64_t told_at; /* where its FIFO is */
    bool opened;      /* it has opened it */
    void *request[REQUESTS];
    size_t requests;
};

int clients_open(struct clients *clients, const struct clients_options *options)
{
    *clients = (struct clients){.options = *options};
    clients->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (clients->wake < 0)
        return errno;
    const int error = jobserver_start(&clients->server);
    if (error != 0)
        close(clients->wake);
    return error;
}

/* ---- one client ---- */

static void answer(const struct clients *clients, struct client *client, const char *path,
                   int error)
{
    for (size_t i = 0; i < client->requests; i++)
        clients->options.answer(client->request[i], path, error);
    client->requests = 0;
    client->told_at = os_now(CLOCK_MONOTONIC);
}

/* A client that has opened the FIFO to read from it comes again to write: make and ninja do. It
 * then gets the other one, which only the server reads. One that has opened it for both, as cargo
 * does, writes to what it reads from. */
static void answer_where(const struct clients *clients, struct client *client)
{
    const struct pipes *pipes = account_pipes(client->account);
    const bool reads_only = process_has_open(client->pid, pipes->path) == PROCESS_READS;
    answer(clients, client, reads_only ? pipes->back_path : pipes->path, 0);
}

/* Closing the handle gives everything back. */
static void end_client(struct clients *clients, struct client *client, int error)
{
    struct client **at = &clients->first;
    while (*at != NULL && *at != client)
        at = &(*at)->next;
    if (*at == client) {
        *at = client->next;
        clients->count--;
    }
    answer(clients, client, NULL, error);
    if (client->waits)
        asker_close(&client->asker);
    if (client->account != NULL)
        jobserver_remove(clients->server, client->account);
    if (client->pool != NULL)
        berth_close(client->pool);
    if (client->ended >= 0)
        close(client->ended);
    free(client);
}

/* The FIFO belongs to the client's user, also where root runs the server. */
static int give_fifo(struct clients *clients, struct client *client, unsigned own)
{
    char name[32];
    snprintf(name, sizeof name, "%d", (int)client->pid);
    const struct account_options wanted = {.pool = client->pool,
                                           .form = PIPES_TWO,
                                           .folder = clients->options.folder,
                                           .name = name,
                                           .kind = process_is_ninja(client->pid) ? ACCOUNT_POLLS
                                                                                 : ACCOUNT_ANY,
                                           .own = own};
    const int error = jobserver_add(clients->server, &client->account, &wanted);
    if (error != 0)
        return error;
    const struct pipes *pipes = account_pipes(client->account);
    const bool given =
        client->uid == geteuid() || (chown(pipes->path, client->uid, (gid_t)-1) == 0 &&
                                     chown(pipes->back_path, client->uid, (gid_t)-1) == 0);
    return given ? 0 : errno;
}

static void first_slot_came(struct clients *clients, struct client *client)
{
    asker_close(&client->asker);
    client->waits = false;
    const int error = give_fifo(clients, client, 1);
    if (error != 0)
        end_client(clients, client, error);
    else
        answer_where(clients, client);
}

/* ---- which process it is ---- */

static struct client *find(const struct clients *clients, pid_t pid)
{
    struct client *client = clients->first;
    while (client != NULL && client->pid != pid)
        client = client->next;
    return client;
}

static bool holds_slot(const berth_view *view, pid_t pid)
{
    for (size_t i = 0; view != NULL && i < view->holder_count; i++) {
        if (view->holders[i]->pid == (int)pid)
            return true;
    }
    return false;
}

/* Whether the process is inside of a client, or of a command that holds a slot of the pool. */
static bool is_inside(const struct clients *clients, pid_t pid)
{
    const berth_options how = {.store = clients->options.store};
    berth_view *view = NULL;
    bool inside = false;
    if (berth_look(&view, clients->options.pool, &how) != 0)
        view = NULL;
    for (unsigned i = 0; i < ANCESTORS && pid > 1 && !inside; i++) {
        const struct client *client = i > 0 ? find(clients, pid) : NULL;
        inside = holds_slot(view, pid) || (client != NULL && !client->waits);
        pid = process_parent(pid);
    }
    berth_view_free(view);
    return inside;
}

/* ---- a new one ---- */

static int open_pool(const struct clients *clients, struct client *client)
{
    char command[BERTH_COMMAND_MAX];
    process_command(client->pid, command);
    const berth_options how = {.size = sizeof how,
                               .store = clients->options.store,
                               .flags = BERTH_EXISTING,
                               .mode = 0666,
                               .command = command};
    const int error = berth_open(&client->pool, clients->options.pool, &how);
    if (error == 0)
        berth_describe(client->pool, (int)client->pid, command); /* for people to read */
    return error;
}

static int welcome(struct clients *clients, struct client *client)
{
    client->ended = process_watch(client->pid);
    if (client->ended < 0)
        return errno;
    const bool inside = is_inside(clients, client->pid);
    int error = open_pool(clients, client);
    if (error != 0)
        return error;
    if (inside) {
        error = give_fifo(clients, client, 0);
        if (error == 0)
            answer_where(clients, client);
        return error;
    }
    error = asker_open(&client->asker, client->pool, clients->wake);
    if (error != 0)
        return error;
    client->waits = true;
    error = asker_ask(&client->asker);
    const uint64_t one = 1;
    ssize_t written = write(clients->wake, &one, sizeof one); /* it may have come at once */
    (void)written;
    return error;
}

void clients_ask(struct clients *clients, pid_t thread, uid_t uid, void *request)
{
    const pid_t pid = process_of_thread(thread);
    if (pid <= 0) {
        clients->options.answer(request, NULL,
                                EACCES); /* it is in a namespace that we do not see */
        return;
    }
    struct client *client = find(clients, pid);
    struct pollfd ended = {client != NULL ? client->ended : -1, POLLIN, 0};
    if (client != NULL && poll(&ended, 1, 0) > 0) { /* another one had this number before */
        end_client(clients, client, EINTR);
        client = NULL;
    }
    if (client != NULL) {
        if (client->requests == REQUESTS) {
            clients->options.answer(request, NULL, EAGAIN);
            return;
        }
        client->request[client->requests++] = request;
        if (!client->waits)
            answer_where(clients, client);
        return;
    }
    client = calloc(1, sizeof *client);
    if (client == NULL) {
        clients->options.answer(request, NULL, ENOMEM);
        return;
    }
    *client = (struct client){.pid = pid, .uid = uid, .ended = -1, .next = clients->first};
    client->request[client->requests++] = request;
    clients->first = client;
    clients->count++;
    const int error = welcome(clients, client);
    if (error != 0)
        end_client(clients, client, error);
}

bool clients_waits(const struct clients *clients, const void *request)
{
    for (const struct client *client = clients->first; client != NULL; client = client->next) {
        for (size_t i = 0; i < client->requests; i++) {
            if (client->request[i] == request)
                return true;
        }
    }
    return false;
}

bool clients_forget(struct clients *clients, void *request)
{
    for (struct client *client = clients->first; client != NULL; client = client->next) {
        for (size_t i = 0; i < client->requests; i++) {
            if (client->request[i] != request)
                continue;
            client->request[i] = client->request[--client->requests];
            return true;
        }
    }
    return false;
}

/* ---- now and then ---- */

size_t clients_poll(const struct clients *clients, struct pollfd *polled)
{
    size_t count = 0;
    polled[count++] = (struct pollfd){clients->wake, POLLIN, 0};
    for (const struct client *client = clients->first; client != NULL; client = client->next)
        polled[count++] = (struct pollfd){client->ended, POLLIN, 0};
    return count;
}

/* False: it has been removed. */
static bool look_for_slot(struct clients *clients, struct client *client)
{
    berth_grant grant;
    int error = 0;
    if (!client->waits)
        return true;
    if (client->requests == 0) { /* it was interrupted, and asks again or not at all */
        end_client(clients, client, EINTR);
        return false;
    }
    switch (asker_look(&client->asker, &grant, &error)) {
    case ASKER_CAME: first_slot_came(clients, client); return false;
    case ASKER_FAILED: end_client(clients, client, error); return false;
    case ASKER_RESTS:
    case ASKER_ASKS: break;
    }
    return true;
}

/* A program that only looked at the name, as ls does, is no client. False: it has been removed. */
static bool look_for_use(struct clients *clients, struct client *client, uint64_t now, int *next)
{
    if (client->account == NULL || client->opened)
        return true;
    const uint64_t over = client->told_at + (uint64_t)TO_OPEN_MS * OS_MILLISECOND;
    if (now < over) {
        const int left = (int)((over - now) / OS_MILLISECOND) + 1;
        *next = *next < 0 || left < *next ? left : *next;
        return true;
    }
    if (process_has_open(client->pid, account_pipes(client->account)->path) == PROCESS_HAS_NOT) {
        end_client(clients, client, EINTR);
        return false;
    }
    client->opened = true;
    return true;
}

int clients_see_to(struct clients *clients)
{
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    uint64_t news;
    int next = -1;
    const ssize_t bytes = read(clients->wake, &news, sizeof news);
    (void)bytes; /* nothing was there */
    for (struct client *client = clients->first, *after; client != NULL; client = after) {
        struct pollfd ended = {client->ended, POLLIN, 0};
        after = client->next;
        if (poll(&ended, 1, 0) > 0)
            end_client(clients, client, EINTR);
        else if (look_for_slot(clients, client))
            look_for_use(clients, client, now, &next);
        else
            next = next < 0 || next > TO_OPEN_MS ? TO_OPEN_MS : next;
    }
    return next;
}

void clients_close(struct clients *clients)
{
    while (clients->first != NULL)
        end_client(clients, clients->first, ENODEV);
    jobserver_stop(clients->server);
    close(clients->wake);
}
