/* The lines of holders and waiters, in `berth status` and `berth top`. */
#include "pool_lines.h"
#include "pool_command.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void duration(double seconds, char *text, size_t size)
{
    unsigned long whole = (unsigned long)seconds;
    if (seconds < 60)
        snprintf(text, size, "%.1f s", seconds);
    else if (whole < 3600)
        snprintf(text, size, "%lu:%02lu", whole / 60, whole % 60);
    else
        snprintf(text, size, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
}

/* From /etc/passwd alone: asking the name service would need the dynamic linker. */
const char *cli_user_name(char name[static CLI_USER_NAME], const berth_user *user)
{
    snprintf(name, CLI_USER_NAME, "-");
    if ((user->flags & BERTH_USER_UID) == 0)
        return name;
    snprintf(name, CLI_USER_NAME, "%u", user->uid);
    FILE *file = fopen("/etc/passwd", "re");
    const struct passwd *entry;
    while (file != NULL && (entry = fgetpwent(file)) != NULL) {
        if (entry->pw_uid != user->uid)
            continue;
        snprintf(name, CLI_USER_NAME, "%s", entry->pw_name);
        break;
    }
    if (file != NULL)
        fclose(file);
    return name;
}

/* Nobody is called root because some user of the pool has written that they are: a question mark
 * says that it could not be seen. */
static const char *user_or_doubt(char text[static CLI_USER_NAME + 1], const berth_user *user)
{
    char name[CLI_USER_NAME];
    const bool doubtful =
        (user->flags & (BERTH_USER_UID | BERTH_USER_SURE)) == BERTH_USER_UID && user->uid == 0;
    snprintf(text, CLI_USER_NAME + 1, "%s%s", cli_user_name(name, user), doubtful ? "?" : "");
    return text;
}

const char *cli_user_heading(char line[CLI_USER_LINE])
{
    snprintf(line, CLI_USER_LINE, "  %-10s  %7s  %-8s  %9s  %s", "", "pid", "user", "for",
             "command");
    return line;
}

/* Whether `host`, as a user of a pool has written it, names another machine than this one. */
static bool is_elsewhere(const char *host)
{
    char own[BERTH_NAME_MAX];
    if (gethostname(own, sizeof own) != 0)
        return *host != '\0';
    own[sizeof own - 1] = '\0';
    return *host != '\0' && strcmp(host, own) != 0;
}

const char *cli_user_line(char line[CLI_USER_LINE], const char *what, const berth_user *user)
{
    char time[32], place[32], name[CLI_USER_NAME + 1];
    duration(cli_elapsed(CLOCK_REALTIME, &user->since), time, sizeof time);
    snprintf(place, sizeof place, "%s %u", what, user->number);
    const bool elsewhere = is_elsewhere(user->host); /* a pid says nothing without its host */
    snprintf(line, CLI_USER_LINE, "  %-10s  %7d  %-8s  %9s  %s%s%s%s", place, user->pid,
             user_or_doubt(name, user), time, elsewhere ? user->host : "", elsewhere ? ": " : "",
             (user->flags & BERTH_USER_STOPPED) != 0 ? "(stopped) " : "", user->command);
    return line;
}
