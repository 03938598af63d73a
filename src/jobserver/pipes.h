/*
 * The pipes of an account: where tokens are offered, and where they come back.
 *
 * A client has either the name of a FIFO, which it reads tokens from and writes them back to; or
 * two descriptors, which are the ends of two pipes: what it returns by the one it cannot read again
 * from the other, so that the server sees every return first. Descriptors are open
 * for reading and writing, so that a client whose server is dead waits, and is not told of an end
 * or a broken pipe.
 */
#ifndef BERTH_JOBSERVER_PIPES_H
#define BERTH_JOBSERVER_PIPES_H

#include <stdbool.h>
#include <stddef.h>

enum pipes_form {
    PIPES_FIFO, /* one FIFO */
    PIPES_PAIR, /* two pipes without names */
};
enum { PIPES_PATH = 256 };

struct pipes {
    enum pipes_form form;
    char path[PIPES_PATH]; /* of the FIFO; empty once it has no name */
    int offer;             /* tokens are written and taken back here; never waits */
    int back;              /* PAIR: they come back here; else -1 */
    int client[2]; /* PAIR: what the client has, to read from and to write to. FIFO: one, both
                      ways, so that a process that opens the name never waits for a dead server */
};

/* A folder for FIFOs, which goes away with pipes_folder_remove; or, if every process that has
 * `lock` open is killed, when another folder is made. */
struct pipes_folder {
    char path[PIPES_PATH];
    int lock;
};

/* Where they are made. */
const char *pipes_folder_base(void);
/* These give 0 or an errno value. */
int pipes_folder_make(struct pipes_folder *folder);
void pipes_folder_remove(struct pipes_folder *folder);

/* Makes the pipes in the folder; of a PAIR nothing stays there. */
int pipes_open(struct pipes *pipes, enum pipes_form form, const struct pipes_folder *folder);
/* The FIFO loses its name. */
void pipes_close(struct pipes *pipes);

/* How many tokens are available. */
int pipes_idle(const struct pipes *pipes, unsigned *idle);
bool pipes_offer(const struct pipes *pipes); /* false: the pipe is full */
bool pipes_take(const struct pipes *pipes);  /* false: there is none */
/* How many came back by the other pipe since the last call; if they are very many, some of them. */
unsigned pipes_returned(const struct pipes *pipes);

#endif
