/*
 * The clients of `berth jobserver`: processes, each with a handle on the pool, a FIFO and an
 * account.
 *
 * A client that is inside of no other one, nor of a `berth run` of the pool, has to have a slot
 * before it starts: every client assumes that it has one job from the start. It waits for that in
 * the pool's line, while it waits for the answer where its FIFO is. Below it clients have had
 * theirs from their parents.
 */
#ifndef BERTH_CLI_JOBSERVER_CLIENTS_H
#define BERTH_CLI_JOBSERVER_CLIENTS_H

#include "jobserver/server.h"

#include <poll.h>
#include <sys/types.h>

struct client;

struct clients_options {
    const char *pool, *store;
    const struct pipes_folder *folder;
    /* Answers `request` with the place of the FIFO, or with an errno value. Each is answered
     * once. */
    void (*answer)(void *request, const char *path, int error);
};

struct clients {
    struct clients_options options;
    struct jobserver *server;
    int wake; /* an eventfd: some client's first slot has come */
    struct client *first;
    size_t count;
};

/* 0, or an errno value. */
int clients_open(struct clients *clients, const struct clients_options *options);
/* Whatever they had is given back; one that still waits for an answer gets ENODEV. */
void clients_close(struct clients *clients);

/* A thread of a process asks for its FIFO. */
void clients_ask(struct clients *clients, pid_t thread, uid_t uid, void *request);
/* Whether it has not been answered yet. */
bool clients_waits(const struct clients *clients, const void *request);
/* The request was interrupted. False: it has been answered already. */
bool clients_forget(struct clients *clients, void *request);

/* What has to be polled: `wake` and one for each client, into `polled`, which has
 * room for count + 1. */
size_t clients_poll(const struct clients *clients, struct pollfd *polled);
/* Handles clients that have ended, that have got their first slot, or that never opened their FIFO.
 * When to call it again at the latest, in milliseconds; -1: when something is to be polled. */
int clients_see_to(struct clients *clients);

#endif
