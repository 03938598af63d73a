/* The parts of the jobserver that need no client: MAKEFLAGS, -j among arguments, pipes, and an
 * account whose client is this test. */
#include "pool_support.h"

#include "jobserver/command.h"
#include "jobserver/server.h"
#include "jobserver/version.h"

#include "os/clock.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

/* ---- flags ---- */

static void flags_are(const char *before, const char *expected)
{
    const struct pipes pipes = {.form = PIPES_PAIR, .client = {30, 31}};
    char *flags = flags_make(before, &pipes, 4);
    assert_non_null(flags);
    assert_string_equal(flags, expected);
    free(flags);
}

static void test_makeflags(void **state)
{
    (void)state;
    flags_are(NULL, " -j4 --jobserver-auth=30,31");
    flags_are("", " -j4 --jobserver-auth=30,31");
    flags_are("k", "k -j4 --jobserver-auth=30,31");
    flags_are(" -j", " -j4 --jobserver-auth=30,31");
    flags_are(" -j8 --jobserver-auth=3,4", " -j4 --jobserver-auth=30,31");
    flags_are("ks -j8 --jobserver-fds=3,4 -l 2", "ks -l 2 -j4 --jobserver-auth=30,31");
    flags_are("--jobserver-auth=fifo:/a -- A=b\\ -j9 -j5",
              " -j4 --jobserver-auth=30,31 -- A=b\\ -j9 -j5");
    flags_are(" -I dir -- X=1", " -I dir -j4 --jobserver-auth=30,31 -- X=1");
    flags_are(" --jobs=3 --just-print", " --just-print -j4 --jobserver-auth=30,31");
}

enum { WORDS = 16, CYCLES = 30000 };

/* The arguments are words with single blanks between. */
static void taking(enum flags_program program, const char *before, unsigned jobs, const char *after)
{
    char text[256], joined[256] = "", *argv[WORDS];
    size_t words = 0;
    snprintf(text, sizeof text, "%s", before);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[words++] = word;
    argv[words] = NULL;
    assert_int_equal(flags_take_jobs(program, argv), jobs);
    size_t used = 0;
    for (char **word = argv; *word != NULL && used < sizeof joined; word++)
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%s",
                                 word > argv ? " " : "", *word);
    assert_string_equal(joined, after);
}

static void test_arguments(void **state)
{
    (void)state;
    taking(FLAGS_MAKE, "make", 0, "make");
    taking(FLAGS_MAKE, "make -j", 0, "make");
    taking(FLAGS_MAKE, "make -j8 all", 8, "make all");
    taking(FLAGS_MAKE, "make -j 8 all", 8, "make all");
    taking(FLAGS_MAKE, "make -j all", 0, "make all");
    taking(FLAGS_MAKE, "make --jobs=3 --jobs", 0, "make");
    taking(FLAGS_MAKE, "make --jobs 3", 3, "make");
    taking(FLAGS_MAKE, "make -kj8s", 8, "make -ks");
    taking(FLAGS_MAKE, "make -kj 8 x", 8, "make -k x");
    taking(FLAGS_MAKE, "make -C -j5 -f j", 0, "make -C -j5 -f j");
    taking(FLAGS_MAKE, "make -Cj5", 0, "make -Cj5");
    taking(FLAGS_MAKE, "make --directory -j5 -j2", 2, "make --directory -j5");
    taking(FLAGS_MAKE, "make -- -j5", 0, "make -- -j5");
    taking(FLAGS_MAKE, "make J=-j5 -j99999999999", 1000000, "make J=-j5");
    taking(FLAGS_NINJA, "ninja -C out -j4 -v", 4, "ninja -C out -v");
    taking(FLAGS_NINJA, "ninja -d stats -j 4 -k 0", 4, "ninja -d stats -k 0");
    taking(FLAGS_CARGO, "cargo build -j4", 0, "cargo build -j4");
    taking(FLAGS_OTHER, "sh -c make -j4", 0, "sh -c make -j4");
    assert_int_equal(flags_program("/usr/bin/make"), FLAGS_MAKE);
    assert_int_equal(flags_program("ninja"), FLAGS_NINJA);
    assert_int_equal(flags_program("remake"), FLAGS_OTHER);
}

/* The program is found behind others, and cmake's own -j is taken too. */
static void finding(enum flags_program program, const char *before, unsigned jobs,
                    const char *after)
{
    char text[256], joined[256] = "", *argv[WORDS];
    struct command command;
    size_t words = 0, used = 0;
    snprintf(text, sizeof text, "%s", before);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[words++] = word;
    argv[words] = NULL;
    command_find(&command, argv);
    assert_int_equal(command.program, program);
    assert_int_equal(command_take_jobs(&command), jobs);
    for (char **word = argv; *word != NULL && used < sizeof joined; word++)
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%s",
                                 word > argv ? " " : "", *word);
    assert_string_equal(joined, after);
}

static void test_commands(void **state)
{
    (void)state;
    finding(FLAGS_MAKE, "make -j4", 4, "make");
    finding(FLAGS_MAKE, "nice make -j4", 4, "nice make");
    finding(FLAGS_MAKE, "/usr/bin/nice -n 5 env -i A=1 /bin/make -kj 4 all", 4,
            "/usr/bin/nice -n 5 env -i A=1 /bin/make -k all");
    finding(FLAGS_NINJA, "timeout 60 ninja -C out -j4", 4, "timeout 60 ninja -C out");
    finding(FLAGS_MAKE, "taskset -c 0-3 make -j", 0, "taskset -c 0-3 make");
    finding(FLAGS_OTHER, "nice", 0, "nice");
    finding(FLAGS_OTHER, "nice -n 5", 0, "nice -n 5");
    finding(FLAGS_OTHER, "timeout 5 grep make -j4", 0, "timeout 5 grep make -j4");
    finding(FLAGS_OTHER, "sh -c make -j4", 0, "sh -c make -j4");
    finding(FLAGS_OTHER, "cmake -S . -B b -j4", 0, "cmake -S . -B b -j4");
    finding(FLAGS_OTHER, "cmake --build", 0, "cmake --build");
    finding(FLAGS_OTHER, "cmake --build no-folder -j4", 4, "cmake --build no-folder");
    finding(FLAGS_OTHER, "cmake --build no-folder -j 4 -t x", 4, "cmake --build no-folder -t x");
    finding(FLAGS_OTHER, "cmake --build no-folder --parallel -t x", 0,
            "cmake --build no-folder -t x");
    finding(FLAGS_OTHER, "cmake --build no-folder --parallel=3 -- -k", 3,
            "cmake --build no-folder -- -k");
    finding(FLAGS_OTHER, "cmake --build no-folder -- -k -j5 x", 5,
            "cmake --build no-folder -- -k x");
}

static void test_versions(void **state)
{
    (void)state;
    assert_int_equal(version_read(FLAGS_MAKE, "GNU Make 4.3"), VERSION_FDS);
    assert_int_equal(version_read(FLAGS_MAKE, "GNU Make 3.82"), VERSION_NEITHER);
    assert_int_equal(version_read(FLAGS_MAKE, "GNU Make 4.1"), VERSION_NEITHER);
    assert_int_equal(version_read(FLAGS_MAKE, "GNU Make 4.2"), VERSION_FDS);
    assert_int_equal(version_read(FLAGS_MAKE, "GNU Make 4.4.1"), VERSION_BOTH);
    assert_int_equal(version_read(FLAGS_MAKE, "GNU Make 5.0"), VERSION_BOTH);
    assert_int_equal(version_read(FLAGS_MAKE, "bmake"), VERSION_UNKNOWN);
    assert_int_equal(version_read(FLAGS_NINJA, "1.11.1"), VERSION_NEITHER);
    assert_int_equal(version_read(FLAGS_NINJA, "1.13.2"), VERSION_FIFO_ALONE);
    assert_int_equal(version_read(FLAGS_NINJA, "1.11.1.git.kitware.jobserver-1"), VERSION_UNKNOWN);
    assert_int_equal(version_read(FLAGS_NINJA, ""), VERSION_UNKNOWN);
}

/* ---- an account ---- */

struct scene {
    struct pipes_folder folder;
    struct jobserver *server;
    berth_pool *pool, *other;
    const struct fixture *fixture;
};

static void open_scene(struct scene *scene, void **state, enum pipes_form form, unsigned slots)
{
    scene->fixture = *state;
    const berth_options how = {.slots = slots, .store = scene->fixture->store};
    assert_int_equal(pipes_folder_make(&scene->folder), 0);
    assert_int_equal(berth_open(&scene->pool, "jobs", &how), 0);
    assert_int_equal(berth_open(&scene->other, "jobs", &how), 0);
    const struct account_options wanted = {
        .pool = scene->pool, .form = form, .folder = &scene->folder};
    assert_int_equal(jobserver_start(&scene->server, &wanted), 0);
}

static void close_scene(struct scene *scene)
{
    jobserver_stop(scene->server);
    assert_int_equal(berth_close(scene->pool), 0);
    assert_int_equal(berth_close(scene->other), 0);
    pipes_folder_remove(&scene->folder);
    assert_int_equal(berth_remove("jobs", &scene->fixture->options), 0);
}

/* As a client does, which waits as long as it takes. */
static void take_token(const struct scene *scene)
{
    const struct pipes *pipes = jobserver_pipes(scene->server);
    const int fd = pipes->form == PIPES_PAIR ? pipes->client[0] : pipes->offer;
    char token;
    struct pollfd polled = {fd, POLLIN, 0};
    assert_int_equal(poll(&polled, 1, 20000), 1);
    assert_int_equal(read(fd, &token, 1), 1);
    assert_int_equal(token, '+');
}

static void give_token(const struct scene *scene)
{
    const struct pipes *pipes = jobserver_pipes(scene->server);
    assert_int_equal(write(pipes->form == PIPES_PAIR ? pipes->client[1] : pipes->offer, "+", 1), 1);
}

/* The account has this many slots, sooner or later. */
static void comes_to(const struct scene *scene, unsigned given)
{
    const uint64_t end = os_now(CLOCK_MONOTONIC) + 20ULL * OS_SECOND;
    struct account_sum sum;
    do {
        usleep(1000);
        sum = jobserver_sum(scene->server);
    } while (sum.given != given && os_now(CLOCK_MONOTONIC) < end);
    assert_int_equal(sum.given, given);
}

static void idle_comes_to(const struct scene *scene, unsigned idle)
{
    const uint64_t end = os_now(CLOCK_MONOTONIC) + 20ULL * OS_SECOND;
    unsigned found;
    do {
        usleep(10000); /* longer than it takes the server to look */
        assert_int_equal(pipes_idle(jobserver_pipes(scene->server), &found), 0);
    } while (found != idle && os_now(CLOCK_MONOTONIC) < end);
    assert_int_equal(found, idle);
}

static void test_tokens_are_slots(void **state)
{
    for (enum pipes_form form = PIPES_FIFO; form <= PIPES_PAIR; form++) {
        struct scene scene;
        berth_grant grant;
        open_scene(&scene, state, form, 2);
        comes_to(&scene, 1); /* one is offered, and no more */
        assert_int_equal(berth_try_acquire(scene.other, &grant), 0);
        assert_int_equal(berth_release(scene.other, &grant), 0);
        take_token(&scene);
        comes_to(&scene, 2);
        take_token(&scene);
        assert_int_equal(berth_try_acquire(scene.other, &grant), EBUSY);
        give_token(&scene); /* somebody waits: it is handed on */
        assert_int_equal(berth_acquire(scene.other, &grant), 0);
        comes_to(&scene, 1);
        assert_int_equal(berth_release(scene.other, &grant), 0);
        comes_to(&scene, 2); /* and is asked for again, since the pipe is empty */
        give_token(&scene);
        comes_to(&scene, 1); /* two are idle, and one of them goes back */
        close_scene(&scene);
    }
}

/* Nobody takes it, and somebody waits. */
static void test_unused_offer_goes_back(void **state)
{
    for (enum pipes_form form = PIPES_FIFO; form <= PIPES_PAIR; form++) {
        struct scene scene;
        berth_grant grant;
        open_scene(&scene, state, form, 1);
        comes_to(&scene, 1);
        assert_int_equal(berth_acquire(scene.other, &grant), 0);
        comes_to(&scene, 0);
        assert_int_equal(berth_release(scene.other, &grant), 0);
        comes_to(&scene, 1); /* after a rest */
        close_scene(&scene);
    }
}

/* Tokens that nobody was given are nobody's slots. */
static void test_surplus(void **state)
{
    for (enum pipes_form form = PIPES_FIFO; form <= PIPES_PAIR; form++) {
        struct scene scene;
        berth_grant grant;
        open_scene(&scene, state, form, 2);
        comes_to(&scene, 1);
        for (unsigned i = 0; i < 5; i++)
            give_token(&scene);
        assert_int_equal(berth_acquire(scene.other, &grant), 0);
        idle_comes_to(&scene, 1);
        take_token(&scene); /* the one that there is */
        usleep(50000);
        assert_int_equal(jobserver_sum(scene.server).idle, 0);
        assert_int_equal(jobserver_sum(scene.server).given, 1);
        close_scene(&scene);
    }
}

/* The pool is made smaller: tokens go back as they are returned. */
static void test_shrinking_pool(void **state)
{
    struct scene scene;
    open_scene(&scene, state, PIPES_PAIR, 3);
    for (unsigned i = 0; i < 3; i++)
        take_token(&scene);
    assert_int_equal(berth_resize(scene.other, 1), 0);
    give_token(&scene);
    comes_to(&scene, 2);
    give_token(&scene);
    comes_to(&scene, 1);
    close_scene(&scene);
}

/* A client that takes and returns as fast as it can, while the server looks: no token is lost. */
static void test_quick_client(void **state)
{
    static const enum pipes_form forms[] = {PIPES_PAIR, PIPES_FIFO};
    struct scene scene;
    for (unsigned form = 0; form < 2; form++) {
        open_scene(&scene, state, forms[form], 1);
        for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
            take_token(&scene);
            give_token(&scene);
        }
        idle_comes_to(&scene, 1);
        close_scene(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_makeflags), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_commands),  cmocka_unit_test(test_versions),
        pool_test(test_tokens_are_slots), pool_test(test_unused_offer_goes_back),
        pool_test(test_surplus),          pool_test(test_shrinking_pool),
        pool_test(test_quick_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
