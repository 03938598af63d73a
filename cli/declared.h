/*
 * Pools that are declared in files: by an administrator in /etc/berth/pools.d, by a user in
 * $XDG_CONFIG_HOME/berth/pools.d (or ~/.config/berth/pools.d). man berth-pools(5) has the format.
 *
 * The administrator's files come first: a limit for all users must not be split by a user's file of
 * the same name.
 */
#ifndef BERTH_CLI_DECLARED_H
#define BERTH_CLI_DECLARED_H

#include "berth.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { CLI_DEVICE_MAX = 64 }; /* bytes of a device's name, with the final 0 */

/* What becomes of processes that a command leaves behind; from the mildest to the strictest. */
enum cli_tree { CLI_TREE_UNSAID, CLI_TREE_LEAVE, CLI_TREE_WAIT, CLI_TREE_END };

struct cli_declared {
    char name[BERTH_NAME_MAX + 2]; /* one that is too long stays too long */
    unsigned slots;                /* 0: not said, and there are no devices */
    unsigned mode;                 /* 0: not said */
    unsigned each;                 /* how many slots a user may have; 0: any number */
    bool has_group, has_admin;
    gid_t group, admin; /* whose file it is; who may resize it */
    char store[256];    /* empty: the default */
    char (*device)[CLI_DEVICE_MAX];
    enum cli_tree tree;
    uint64_t unit, size; /* bytes that a slot stands for, and all of them; 0: not said */
    bool lanes;          /* each user stands in a lane */
    unsigned width;      /* of a lane; 0: not said */
    size_t devices;      /* one for each slot, or none */
    bool by_user;        /* and not by an administrator */
    char file[PATH_MAX]; /* where it is declared */
    bool guessed;        /* a word of a line that is not understood, and so perhaps a pool */
    unsigned line;       /* of the problem; 0: of no line */
    char problem[128];   /* empty: none. Otherwise this pool must not be used, nor made elsewhere */
};

/* The pools of all files; the first of a name counts, the administrator's before the user's, and
 * declarations before guesses. */
struct cli_declarations {
    struct cli_declared *pool;
    size_t count, room;
    char strict[PATH_MAX]; /* the first file that says: no pools but declared ones; empty: none */
};

/* Reads all files into `all`, which the caller frees. A file that cannot be read is reported on
 * standard error. A mistake spoils the declaration that it is in, and no other. */
void cli_declarations_read(struct cli_declarations *all);
void cli_declarations_free(struct cli_declarations *all);

/* NULL: it is not declared. */
const struct cli_declared *cli_declaration_of(const struct cli_declarations *all, const char *name);

/* CLI_OK, or what is wrong with the declaration, printed. `pool` is NULL if there is none. */
int cli_declaration_check(const struct cli_declared *pool, const char *command);

/* leave, wait or end. */
bool cli_tree_mode(const char *text, enum cli_tree *mode);

/* The number of a group, from its name or as it is. */
bool cli_group(const char *text, gid_t *group);
/* An octal mode, for pools. */
bool cli_mode(const char *text, unsigned *mode);

#endif
