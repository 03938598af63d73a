#include "declared.h"

#include "cli.h"

#include "pool/name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSTEM_FOLDER "/etc/berth/pools.d"
#define SYSTEM_STORE "/run/berth"
#define SUFFIX ".conf"

/* ---- values ---- */

/* From /etc/group alone: asking the name service would need the dynamic linker. */
bool cli_group(const char *text, gid_t *group)
{
    unsigned number;
    FILE *file = fopen("/etc/group", "re");
    const struct group *entry = NULL;
    while (file != NULL && (entry = fgetgrent(file)) != NULL && strcmp(entry->gr_name, text) != 0)
        ;
    const bool found = entry != NULL;
    if (found)
        *group = entry->gr_gid;
    if (file != NULL)
        fclose(file);
    if (found || !cli_number(text, 0, UINT_MAX - 1, &number))
        return found;
    *group = number;
    return true;
}

bool cli_mode(const char *text, unsigned *mode)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 8);
    *mode = (unsigned)value;
    return *text >= '0' && *text <= '7' && *end == '\0' && value > 0 && value <= 0777;
}

bool cli_tree_mode(const char *text, enum cli_tree *mode)
{
    static const char *const names[] = {"leave", "wait", "end"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *mode = (enum cli_tree)(i + CLI_TREE_LEAVE);
            return true;
        }
    }
    return false;
}

/* ---- keys ---- */

static bool take_text(char *to, size_t size, const char *text)
{
    const int length = snprintf(to, size, "%s", text);
    return length > 0 && (size_t)length < size;
}

static bool take_name(struct cli_declared *pool, char *text)
{
    return take_text(pool->name, sizeof pool->name, text) && pool_name_check(pool->name, NULL) == 0;
}

static bool take_slots(struct cli_declared *pool, char *text)
{
    return cli_number(text, 1, BERTH_MAX_SLOTS, &pool->slots);
}

static bool take_mode(struct cli_declared *pool, char *text)
{
    return cli_mode(text, &pool->mode);
}

static bool take_group(struct cli_declared *pool, char *text)
{
    pool->has_group = cli_group(text, &pool->group);
    return pool->has_group;
}

static bool take_admin(struct cli_declared *pool, char *text)
{
    pool->has_admin = cli_group(text, &pool->admin);
    return pool->has_admin;
}

static bool take_tree(struct cli_declared *pool, char *text)
{
    return cli_tree_mode(text, &pool->tree);
}

static bool take_store(struct cli_declared *pool, char *text)
{
    return take_text(pool->store, sizeof pool->store, text);
}

static bool take_each(struct cli_declared *pool, char *text)
{
    return cli_number(text, 1, BERTH_MAX_SLOTS, &pool->each);
}

static bool take_devices(struct cli_declared *pool, char *text)
{
    for (char *rest = NULL, *one = strtok_r(text, " \t,", &rest); one != NULL;
         one = strtok_r(NULL, " \t,", &rest)) {
        char(*more)[CLI_DEVICE_MAX] =
            reallocarray(pool->device, pool->devices + 1, sizeof *pool->device);
        if (more == NULL)
            return false;
        pool->device = more;
        if (strlen(one) >= CLI_DEVICE_MAX || pool->devices == BERTH_MAX_SLOTS)
            return false;
        memcpy(pool->device[pool->devices++], one, strlen(one) + 1);
    }
    return pool->devices > 0;
}

static bool take_unit(struct cli_declared *pool, char *text)
{
    return cli_bytes(text, &pool->unit);
}

static bool take_size(struct cli_declared *pool, char *text)
{
    return cli_bytes(text, &pool->size);
}

static bool take_lanes(struct cli_declared *pool, char *text)
{
    pool->lanes = strcmp(text, "user") == 0;
    return pool->lanes || strcmp(text, "none") == 0;
}

static bool take_width(struct cli_declared *pool, char *text)
{
    return cli_number(text, 1, BERTH_MAX_SLOTS, &pool->width);
}

/* What a declaration may say. `take` may change the text. */
static const struct key {
    const char *name;
    bool (*take)(struct cli_declared *pool, char *text);
    const char *otherwise; /* what is wrong where it gives false */
} keys[] = {
    {"name", take_name, "not a name that a pool may have"},
    {"slots", take_slots, "not a number of slots, 1 to 1024"},
    {"devices", take_devices, "not a list of devices"},
    {"store", take_store, "not a store"},
    {"each", take_each, "not a number of slots, 1 to 1024"},
    {"mode", take_mode, "not an octal mode, 1 to 777"},
    {"group", take_group, "no such group"},
    {"admin", take_admin, "no such group"},
    {"unit", take_unit, "not a size such as 1G"},
    {"size", take_size, "not a size such as 64G"},
    {"lanes", take_lanes, "lanes is user or none"},
    {"width", take_width, "not the width of a lane"},
    {"tree", take_tree, "tree is end, wait or leave"},
};
_Static_assert(BERTH_MAX_SLOTS == 1024, "as above");

static const struct key *find_key(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    }
    return NULL;
}

/* ---- a file ---- */

enum { GUESSES = 256 }; /* a file that has more is no file of declarations */

struct reader {
    struct cli_declarations *all;
    const char *path;
    bool by_user;
    unsigned line;
    struct cli_declared pool; /* that is being read */
    bool open;                /* `pool` has something in it */
    bool headed;              /* a [NAME] has come */
    unsigned guesses;         /* entered from this file */
};

/* Enters a pool into the list, with its devices. */
static void enter(const struct reader *reader, const struct cli_declared *pool)
{
    struct cli_declarations *all = reader->all;
    if (all->count == all->room) {
        const size_t room = all->room == 0 ? 8 : 2 * all->room;
        struct cli_declared *more = reallocarray(all->pool, room, sizeof *more);
        if (more == NULL) { /* a limit must not be forgotten silently */
            cli_error(CLI_FAILED, "%s: out of memory", reader->path);
            exit(CLI_FAILED);
        }
        all->pool = more;
        all->room = room;
    }
    all->pool[all->count++] = *pool;
}

static struct cli_declared make_pool(const struct reader *reader, const char *name)
{
    struct cli_declared pool = {.by_user = reader->by_user, .line = reader->line};
    snprintf(pool.name, sizeof pool.name, "%s", name);
    snprintf(pool.file, sizeof pool.file, "%s", reader->path);
    return pool;
}

/* Notes the first mistake in a declaration: `what` is the key or the text that it is in. */
static void spoil(const struct reader *reader, struct cli_declared *pool, const char *what,
                  const char *problem)
{
    if (pool->problem[0] != '\0')
        return;
    pool->line = reader->line;
    snprintf(pool->problem, sizeof pool->problem, "%.40s%s%s", what, *what == '\0' ? "" : ": ",
             problem);
}

/* Ends the pool that is being read. */
static void finish(struct reader *reader)
{
    struct cli_declared *pool = &reader->pool;
    if (reader->open) {
        if (pool->size > 0 && (pool->unit == 0 || pool->slots > 0 || pool->devices > 0))
            spoil(reader, pool, "size", "size needs a unit, and neither slots nor devices");
        else if (pool->size > 0 &&
                 (pool->size < pool->unit || pool->size / pool->unit > BERTH_MAX_SLOTS))
            spoil(reader, pool, "size", "size is 1 to 1024 units");
        else if (pool->size > 0)
            pool->slots = (unsigned)(pool->size / pool->unit);
        if (pool->devices > 0 && pool->slots == 0)
            pool->slots = (unsigned)pool->devices;
        if (pool->devices > 0 && pool->devices != pool->slots)
            spoil(reader, pool, "devices", "as many devices as slots are needed");
        if (!reader->by_user && pool->store[0] == '\0')
            snprintf(pool->store, sizeof pool->store, "%s", SYSTEM_STORE);
        if (!reader->by_user && pool->mode == 0)
            pool->mode = 0660;
        enter(reader, pool);
    } else {
        free(pool->device);
    }
    reader->open = false;
}

static void begin(struct reader *reader, const char *name)
{
    finish(reader);
    reader->pool = make_pool(reader, name);
}

/* A line that is not understood may have been meant to name a pool: so pools that are called like
 * one of its words are refused, unless they are declared elsewhere. */
static void refuse_words(struct reader *reader, char *text, const char *problem)
{
    char *rest = NULL, shown[41];
    snprintf(shown, sizeof shown, "%.40s", text);
    for (char *one = strtok_r(text, " \t[](){}<>:=,;#\"'", &rest);
         one != NULL && reader->guesses < GUESSES;
         one = strtok_r(NULL, " \t[](){}<>:=,;#\"'", &rest)) {
        if (pool_name_check(one, NULL) != 0)
            continue;
        struct cli_declared pool = make_pool(reader, one);
        pool.guessed = true;
        reader->guesses++;
        spoil(reader, &pool, shown, problem);
        enter(reader, &pool);
    }
}

/* Without white space around it. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL;)
        text[--length] = '\0';
    return text;
}

/* A head that is not understood is kept as what it is, which no pool can be called. */
static void take_head(struct reader *reader, char *text)
{
    char name[sizeof reader->pool.name], *end = strchr(text, ']');
    const char *problem = end == NULL      ? "a ] is missing"
                          : end[1] != '\0' ? "text after the ]"
                                           : NULL;
    if (problem == NULL) {
        *end = '\0';
        snprintf(name, sizeof name, "%s", trimmed(text + 1));
        *end = ']';
        problem = pool_name_check(name, NULL) == 0 ? NULL : "not a name that a pool may have";
    }
    begin(reader, problem == NULL ? name : text);
    reader->open = reader->headed = true;
    if (problem != NULL) {
        spoil(reader, &reader->pool, "", problem);
        refuse_words(reader, text, problem);
    }
}

/* Takes the line strict = VALUE, which is about all pools. A value that means nothing counts as
 * yes: a mistake must not open what somebody wants to have closed. */
static void take_strict(struct reader *reader, const char *value)
{
    const bool is_first = !reader->headed && !reader->open, says_no = strcmp(value, "no") == 0;
    if (is_first && !says_no && reader->all->strict[0] == '\0')
        snprintf(reader->all->strict, sizeof reader->all->strict, "%s", reader->path);
    if (is_first && (says_no || strcmp(value, "yes") == 0))
        return;
    reader->open = true;
    spoil(reader, &reader->pool, "strict",
          is_first ? "neither yes nor no" : "has to stand before the first pool");
}

static void take_line(struct reader *reader, char *text)
{
    text = trimmed(text);
    if (*text == '\0' || *text == '#' || *text == ';')
        return;
    if (*text == '[') {
        take_head(reader, text);
        return;
    }
    char *equals = strchr(text, '=');
    if (equals == NULL) {
        reader->open = true;
        spoil(reader, &reader->pool, text, "not KEY = VALUE");
        refuse_words(reader, text, "not KEY = VALUE");
        return;
    }
    *equals = '\0';
    char *name = trimmed(text), *value = trimmed(equals + 1);
    if (strcmp(name, "strict") == 0) {
        take_strict(reader, value);
        return;
    }
    reader->open = true;
    const struct key *key = find_key(name);
    if (key == NULL) {
        spoil(reader, &reader->pool, name, "an unknown key");
        refuse_words(reader, value, "follows an unknown key");
    } else if (!key->take(&reader->pool, value)) {
        spoil(reader, &reader->pool, name, key->otherwise);
    }
}

static void read_lines(struct reader *reader, FILE *file)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    for (reader->line = 1; (length = getline(&text, &room, file)) >= 0; reader->line++) {
        if (strlen(text) == (size_t)length) {
            take_line(reader, text);
        } else {
            reader->open = true;
            spoil(reader, &reader->pool, "", "a byte that is 0");
        }
    }
    free(text);
}

/* Opens a plain file, and nothing that may never come to an end. */
static FILE *open_declaration(const char *path)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    errno = EINVAL;
    FILE *file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "r") : NULL;
    if (file == NULL) {
        const int error = errno;
        close(fd);
        errno = error;
    }
    return file;
}

/* What cannot be read is reported, and the pool that the file is named after is refused; it could
 * have declared others, too. */
static void read_file(struct reader *reader, const char *path, const char *name)
{
    FILE *file = open_declaration(path);
    reader->path = path;
    reader->line = reader->guesses = 0;
    reader->open = reader->headed = false;
    reader->pool = make_pool(reader, name);
    bool fine = file != NULL;
    if (fine) {
        errno = 0;
        read_lines(reader, file);
        fine = !ferror(file);
    }
    if (!fine) {
        const char *why = errno == EINVAL ? "not a plain file" : strerror(errno);
        cli_error(CLI_OK, "cannot read %s: %s", path, why);
        reader->open = true;
        spoil(reader, &reader->pool, "cannot be read", why);
    }
    finish(reader);
    if (file != NULL)
        fclose(file);
}

/* ---- a folder ---- */

static int is_declaration(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && cli_ends_in(entry->d_name, SUFFIX) &&
           strlen(entry->d_name) > strlen(SUFFIX);
}

static void read_folder(struct reader *reader, const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_declaration, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX], *name = entries[i]->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        name[strlen(name) - strlen(SUFFIX)] = '\0';
        read_file(reader, path, name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static bool user_folder(char path[PATH_MAX])
{
    const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
    int length = -1;
    if (config != NULL && *config == '/')
        length = snprintf(path, PATH_MAX, "%s/berth/pools.d", config);
    else if (home != NULL && *home == '/')
        length = snprintf(path, PATH_MAX, "%s/.config/berth/pools.d", home);
    return length > 0 && length < PATH_MAX;
}

void cli_declarations_read(struct cli_declarations *all)
{
    char folder[PATH_MAX];
    struct reader reader = {.all = all};
    *all = (struct cli_declarations){0};
    read_folder(&reader, SYSTEM_FOLDER);
    reader.by_user = true;
    if (user_folder(folder))
        read_folder(&reader, folder);
}

void cli_declarations_free(struct cli_declarations *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->pool[i].device);
    free(all->pool);
    *all = (struct cli_declarations){0};
}

static const struct cli_declared *find_declared(const struct cli_declarations *all,
                                                const char *name, bool by_user, bool guessed)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct cli_declared *pool = &all->pool[i];
        if (pool->by_user == by_user && pool->guessed == guessed && strcmp(pool->name, name) == 0)
            return pool;
    }
    return NULL;
}

const struct cli_declared *cli_declaration_of(const struct cli_declarations *all, const char *name)
{
    for (unsigned choice = 0; choice < 4; choice++) {
        const struct cli_declared *pool =
            find_declared(all, name, (choice & 2) != 0, (choice & 1) != 0);
        if (pool != NULL)
            return pool;
    }
    return NULL;
}

int cli_declaration_check(const struct cli_declared *pool, const char *command)
{
    if (pool == NULL || pool->problem[0] == '\0')
        return CLI_OK;
    return cli_error(CLI_FAILED, "%s: pool %s: %s, line %u: %s", command, pool->name, pool->file,
                     pool->line, pool->problem);
}
