#include "declared.h"

#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

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

static bool take_text(char *to, size_t size, const char *text)
{
    const int length = snprintf(to, size, "%s", text);
    return length > 0 && (size_t)length < size;
}

/* NULL, or what is wrong. */
static const char *take_value(struct cli_declared *pool, const char *key, char *value)
{
    if (strcmp(key, "name") == 0)
        return take_text(pool->name, sizeof pool->name, value) ? NULL : "not a name";
    if (strcmp(key, "slots") == 0)
        return cli_number(value, 1, BERTH_MAX_SLOTS, &pool->slots) ? NULL : "not a number of slots";
    if (strcmp(key, "mode") == 0)
        return cli_mode(value, &pool->mode) ? NULL : "not an octal mode";
    if (strcmp(key, "group") == 0) {
        pool->has_group = cli_group(value, &pool->group);
        return pool->has_group ? NULL : "no such group";
    }
    if (strcmp(key, "admin") == 0) {
        pool->has_admin = cli_group(value, &pool->admin);
        return pool->has_admin ? NULL : "no such group";
    }
    if (strcmp(key, "store") == 0)
        return take_text(pool->store, sizeof pool->store, value) ? NULL : "not a store";
    if (strcmp(key, "devices") == 0)
        return take_devices(pool, value) ? NULL : "not a list of devices";
    if (strcmp(key, "unit") == 0)
        return cli_bytes(value, &pool->unit) ? NULL : "not a size such as 1G";
    if (strcmp(key, "size") == 0)
        return cli_bytes(value, &pool->size) ? NULL : "not a size such as 64G";
    if (strcmp(key, "lanes") == 0) {
        pool->lanes = strcmp(value, "user") == 0;
        return pool->lanes || strcmp(value, "none") == 0 ? NULL : "lanes is user or none";
    }
    if (strcmp(key, "width") == 0)
        return cli_number(value, 1, BERTH_MAX_SLOTS, &pool->width) ? NULL
                                                                   : "not the width of a lane";
    if (strcmp(key, "tree") == 0)
        return cli_tree_mode(value, &pool->tree) ? NULL : "tree is end, wait or leave";
    return "an unknown key";
}

/* ---- a file ---- */

struct reader {
    struct cli_declarations *all;
    const char *path;
    bool by_user;
    unsigned line;
    struct cli_declared pool;
    bool open;   /* `pool` has something in it */
    bool headed; /* a [NAME] has come */
};

/* Enters the pool that has been read into the list. */
static bool enter(struct reader *reader)
{
    struct cli_declarations *all = reader->all;
    if (all->count == all->room) {
        const size_t room = all->room == 0 ? 8 : 2 * all->room;
        struct cli_declared *more = reallocarray(all->pool, room, sizeof *more);
        if (more == NULL)
            return false;
        all->pool = more;
        all->room = room;
    }
    all->pool[all->count++] = reader->pool;
    reader->pool.device = NULL; /* it is the list's now */
    reader->open = false;
    return true;
}

static const char *finish(struct reader *reader)
{
    struct cli_declared *pool = &reader->pool;
    if (!reader->open)
        return NULL;
    if (pool->size > 0 && (pool->unit == 0 || pool->slots > 0 || pool->devices > 0))
        return "size needs a unit, and neither slots nor devices";
    if (pool->size > 0 && (pool->size < pool->unit || pool->size / pool->unit > BERTH_MAX_SLOTS))
        return "size is 1 to 1024 units";
    if (pool->size > 0)
        pool->slots = (unsigned)(pool->size / pool->unit);
    if (pool->devices > 0 && pool->slots == 0)
        pool->slots = (unsigned)pool->devices;
    if (pool->devices > 0 && pool->devices != pool->slots)
        return "as many devices as slots are needed";
    if (!reader->by_user && pool->store[0] == '\0')
        snprintf(pool->store, sizeof pool->store, "%s", SYSTEM_STORE);
    if (!reader->by_user && pool->mode == 0)
        pool->mode = pool->has_group ? 0660 : 0666;
    return enter(reader) ? NULL : "out of memory";
}

static void begin(struct reader *reader, const char *name)
{
    free(reader->pool.device);
    reader->pool = (struct cli_declared){.by_user = reader->by_user};
    snprintf(reader->pool.name, sizeof reader->pool.name, "%s", name);
    snprintf(reader->pool.file, sizeof reader->pool.file, "%s", reader->path);
}

/* Without white space around it. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL;)
        text[--length] = '\0';
    return text;
}

/* Takes the line strict = VALUE, which is about all pools. A value that means nothing counts as
 * yes: a mistake must not open what somebody wants to have closed. */
static const char *take_strict(struct reader *reader, const char *value)
{
    if (reader->headed || reader->open)
        return "strict stands before the first pool";
    if (strcmp(value, "no") == 0)
        return NULL;
    if (reader->all->strict[0] == '\0')
        snprintf(reader->all->strict, sizeof reader->all->strict, "%s", reader->path);
    return strcmp(value, "yes") == 0 ? NULL : "strict is yes or no";
}

/* NULL, or what is wrong. */
static const char *take_line(struct reader *reader, char *text)
{
    text = trimmed(text);
    if (*text == '\0' || *text == '#' || *text == ';')
        return NULL;
    if (*text == '[') {
        const char *problem = finish(reader);
        char *end = strchr(text, ']');
        if (problem != NULL || end == NULL || end[1] != '\0')
            return problem != NULL ? problem : "a ] is missing";
        *end = '\0';
        begin(reader, trimmed(text + 1));
        reader->open = reader->headed = true;
        return NULL;
    }
    char *equals = strchr(text, '=');
    if (equals == NULL)
        return "not KEY = VALUE";
    *equals = '\0';
    if (strcmp(trimmed(text), "strict") == 0)
        return take_strict(reader, trimmed(equals + 1));
    reader->open = true;
    return take_value(&reader->pool, trimmed(text), trimmed(equals + 1));
}

static void read_file(struct reader *reader, FILE *file, const char *name)
{
    char *text = NULL;
    size_t room = 0;
    const char *problem = NULL;
    begin(reader, name);
    reader->open = reader->headed = false;
    for (reader->line = 1; problem == NULL && getline(&text, &room, file) >= 0; reader->line++)
        problem = take_line(reader, text);
    if (problem == NULL)
        problem = finish(reader);
    if (problem != NULL) {
        reader->pool.problem = problem;
        reader->pool.line = reader->line - 1;
        if (!enter(reader))
            cli_error(CLI_OK, "%s: out of memory", reader->path);
    }
    free(text);
    free(reader->pool.device);
    reader->pool.device = NULL;
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
        const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
        FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
        reader->path = path;
        if (file != NULL) {
            name[strlen(name) - strlen(SUFFIX)] = '\0';
            read_file(reader, file, name);
            fclose(file);
        } else {
            cli_error(CLI_OK, "cannot read %s: %s", path, strerror(errno));
        }
        reader->path = NULL;
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

const struct cli_declared *cli_declaration_of(const struct cli_declarations *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->pool[i].name, name) == 0)
            return &all->pool[i];
    }
    return NULL;
}
