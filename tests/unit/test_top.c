/* berth top without its screen: rates, what is left of other people's text, the layout, and looking
 * at pools that come, go and break. */
#include "pool_support.h"

#include "top/top.h"

#include <locale.h>
#include <time.h>

/* ---- rates ---- */

static const struct timespec second_5 = {.tv_sec = 5}, second_7 = {.tv_sec = 7};

static void test_rate(void **state)
{
    (void)state;
    struct top_rate rate = {0};
    struct pool_history history = {.made = 1000, .served = 10};
    top_rate_enter(&rate, &history, &second_5);
    assert_false(rate.known); /* one look tells nothing */
    history.served = 15;
    top_rate_enter(&rate, &history, &second_7);
    assert_true(rate.known);
    assert_true(rate.per_second == 2.5);
    top_rate_enter(&rate, &history, &second_7);
    assert_false(rate.known); /* no time has passed */
    history.served = 16;
    const struct timespec later = {.tv_sec = 7, .tv_nsec = 250000000};
    top_rate_enter(&rate, &history, &later);
    assert_true(rate.known);
    assert_true(rate.per_second == 4);
}

static void test_rate_of_another_pool(void **state)
{
    (void)state;
    struct top_rate rate = {0};
    struct pool_history history = {.made = 1000, .served = 10};
    top_rate_enter(&rate, &history, &second_5);
    history = (struct pool_history){.made = 2000, .served = 1000};
    top_rate_enter(&rate, &history, &second_7);
    assert_false(rate.known); /* removed and made again */
    history.served = 3;
    const struct timespec later = {.tv_sec = 9};
    top_rate_enter(&rate, &history, &later);
    assert_false(rate.known); /* counted backwards: spoilt */
}

static void test_number(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0, "0.00"},      {0.25, "0.25"},    {9.994, "9.99"},   {9.996, "10.0"},
                 {12.34, "12.3"},  {999.94, "999.9"}, {999.96, "1.0k"},  {3149, "3.1k"},
                 {999960, "1.0M"}, {2e6, "2.0M"},     {1.8e19, "18.0E"}, {1e23, "100000.0E"}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TOP_NUMBER];
        assert_string_equal(top_number(text, cases[i].number), cases[i].text);
    }
}

/* ---- text ---- */

static void need_locale(const char *name)
{
    if (setlocale(LC_CTYPE, name) == NULL)
        fail_msg("there is no locale %s", name);
}

static void assert_cleaned(const char *text, const wchar_t *expected)
{
    wchar_t wide[TOP_LINE];
    top_clean(wide, text, TOP_LINE - 1);
    if (wcscmp(wide, expected) != 0)
        fail_msg("\"%s\" is shown as \"%ls\", not as \"%ls\"", text, wide, expected);
}

static void test_clean(void **state)
{
    (void)state;
    need_locale("C.UTF-8");
    assert_cleaned("plain text", L"plain text");
    assert_cleaned("", L"");
    assert_cleaned("\x1b[31m\a\b\r\n\t\x7f", L"?[31m??????");
    assert_cleaned("\xc2\x9b"
                   "31m \xc2\x85",
                   L"?31m ?"); /* controls of the upper half */
    assert_cleaned("\xe2\x80\xae"
                   "abc\xe2\x80\x8b",
                   L"?abc?"); /* right-to-left override, zero width space */
    assert_cleaned("\xff\xfe \xc3 \xc0\xaf \xed\xa0\x80", L"?? ? ?? ???");
    assert_cleaned("caf\xc3\xa9 \xe6\xbc\xa2", L"caf\u00e9 \u6f22");
    need_locale("C");
    assert_cleaned("caf\xc3\xa9 \xe6\xbc\xa2 \x1b[m", L"caf? ? ?[m");
}

static void test_clean_is_cut_at_the_column(void **state)
{
    (void)state;
    wchar_t wide[8];
    need_locale("C.UTF-8");
    assert_int_equal(top_clean(wide, "abc", 2), 2);
    assert_true(wcscmp(wide, L"ab") == 0);
    assert_int_equal(top_clean(wide, "a\xe6\xbc\xa2z", 2), 1); /* half a character is none */
    assert_true(wcscmp(wide, L"a") == 0);
    assert_int_equal(top_clean(wide, "a\xe6\xbc\xa2z", 3), 3);
    assert_int_equal(top_clean(wide, "abc", 0), 0);
    assert_true(wide[0] == L'\0');
}

/* Whatever comes in, what goes out takes up just the room that it says, in either locale. */
static void test_clean_of_anything(void **state)
{
    (void)state;
    static const char *const locales[] = {"C", "C.UTF-8"};
    unsigned seed = 1;
    for (unsigned round = 0; round < 200000; round++) {
        char text[24];
        wchar_t wide[24];
        need_locale(locales[round % 2]);
        for (unsigned i = 0; i < sizeof text - 1; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = (char)((seed >> 24) | 1); /* no 0 */
        }
        text[sizeof text - 1] = '\0';
        const unsigned columns = seed >> 8 & 15;
        const unsigned used = top_clean(wide, text, columns);
        assert_true(used <= columns);
        unsigned sum = 0;
        for (const wchar_t *c = wide; *c != L'\0'; c++) {
            assert_true(wcwidth(*c) > 0);
            sum += (unsigned)wcwidth(*c);
        }
        assert_int_equal(sum, used);
    }
}

/* ---- layout ---- */

static void check_layout(unsigned rows, unsigned pools, unsigned slots, unsigned queue)
{
    const struct top_layout layout = top_layout_of(rows, pools, slots, queue);
    const unsigned frame = layout.framed ? 5 : 0;
    if (frame + layout.pools + layout.slots + layout.queue != rows)
        fail_msg("%u rows for %u, %u, %u: they are %u + %u + %u + %u", rows, pools, slots, queue,
                 frame, layout.pools, layout.slots, layout.queue);
    assert_true(layout.pools <= pools && layout.slots <= slots);
    assert_true(layout.pools > 0 || pools == 0); /* the one that is selected can be seen */
    if (layout.framed && slots > 0)
        assert_true(layout.slots > 0);
    if (layout.framed && queue > 0)
        assert_true(layout.queue > 0);
    if (layout.slots < slots) /* then no row that the queue does not need is the queue's */
        assert_true(layout.queue <= queue && layout.queue <= layout.slots);
}

static void test_layout(void **state)
{
    (void)state;
    for (unsigned rows = 1; rows <= 60; rows++) {
        for (unsigned pools = 0; pools <= 20; pools++) {
            for (unsigned slots = 0; slots <= 40; slots++) {
                for (unsigned queue = 0; queue <= 40; queue++)
                    check_layout(rows, pools, slots, queue);
            }
        }
    }
    const struct top_layout usual = top_layout_of(24, 3, 4, 500);
    assert_true(usual.framed);
    assert_int_equal(usual.pools, 3);
    assert_int_equal(usual.slots, 4);
    assert_int_equal(usual.queue, 12);
}

static void test_scrolled(void **state)
{
    (void)state;
    assert_int_equal(top_scrolled(0, 100, 10), 0);
    assert_int_equal(top_scrolled(50, 100, 10), 50);
    assert_int_equal(top_scrolled(91, 100, 10), 90);
    assert_int_equal(top_scrolled(65536, 100, 10), 90);
    assert_int_equal(top_scrolled(5, 10, 10), 0);
    assert_int_equal(top_scrolled(5, 3, 10), 0);
    assert_int_equal(top_scrolled(9, 10, 0), 9);
}

/* ---- lines ---- */

static void test_lines(void **state)
{
    (void)state;
    char line[TOP_LINE], heading[TOP_LINE];
    berth_user holder = {.number = 2, .pid = 4711, .command = "./train --seed 1"};
    clock_gettime(CLOCK_REALTIME, &holder.since);
    berth_view view = {.slots = 3, .holder_count = 1, .holders = (berth_user *[]){&holder}};
    struct top_pool pool[] = {
        {.name = "gpu", .view = &view, .rate = {.known = true, .per_second = 12.5}},
        {.name = "broken", .problem = "it is damaged"}};
    pool[0].rate.history = (struct pool_history){.served = 1234567, .died = 3};
    struct top top = {.pool = pool, .count = 2, .selected = 0};
    assert_string_equal(top_pools_heading(heading, 10),
                        "  pool       slots   held waiting grants/s   grants  died");
    assert_string_equal(top_pool_line(line, &top, 0, 10),
                        "> gpu            3      1       0     12.5     1.2M     3");
    assert_string_equal(top_pool_line(line, &top, 1, 10), "  broken     it is damaged");
    pool[0].rate.known = false;
    assert_non_null(strstr(top_pool_line(line, &top, 0, 10), "   - "));
    pool[0].rate.history.unknown = true; /* a store that keeps nothing of the past */
    assert_string_equal(top_pool_line(line, &top, 0, 10),
                        "> gpu            3      1       0        -        -     -");
    assert_int_equal(top_slot_lines(&view), 2);
    assert_non_null(strstr(top_slot_line(line, &view, 0), "slot 2         4711"));
    assert_non_null(strstr(line, "./train --seed 1"));
    assert_string_equal(top_slot_line(line, &view, 1), "  2 free");
    view.slots = 0; /* fewer than there are holders */
    assert_int_equal(top_slot_lines(&view), 1);
}

static void test_name_width(void **state)
{
    (void)state;
    struct top_pool pool[] = {{.name = "gpu"}, {.name = "a-pool-with-a-rather-long-name"}};
    struct top top = {.pool = pool, .count = 2};
    assert_int_equal(top_name_width(&top, 200), 30);
    assert_int_equal(top_name_width(&top, 70), 22);
    assert_int_equal(top_name_width(&top, 10), 10);
    top.count = 1;
    assert_int_equal(top_name_width(&top, 80), 10);
}

/* ---- what the file tells of its past ---- */

static struct pool_history history_of(const struct fixture *fixture, const char *name)
{
    struct pool_history history = {0};
    assert_int_equal(pool_history(&history, name, &fixture->options), 0);
    return history;
}

static void test_served(void **state)
{
    struct fixture *fixture = *state;
    fixture->options.slots = 2;
    berth_pool *pool, *other;
    berth_grant grant[2], refused;
    assert_int_equal(berth_open(&pool, "a", &fixture->options), 0);
    assert_int_equal(berth_open(&other, "a", &fixture->options), 0);
    const struct pool_history first = history_of(fixture, "a");
    assert_int_equal(first.served, 0);
    assert_int_equal(berth_acquire(pool, &grant[0]), 0);
    assert_int_equal(berth_acquire(pool, &grant[1]), 0);
    assert_int_equal(history_of(fixture, "a").served, 2);
    assert_int_equal(berth_try_acquire(other, &refused), EBUSY);
    assert_int_equal(history_of(fixture, "a").served, 2); /* nothing was drawn */
    assert_int_equal(berth_release(pool, &grant[0]), 0);
    assert_int_equal(history_of(fixture, "a").served, 2); /* a free slot is nobody's turn */
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(berth_acquire(other, &grant[0]), 0);
        assert_int_equal(berth_release(other, &grant[0]), 0);
    }
    assert_int_equal(history_of(fixture, "a").served, 102);
    assert_int_equal(history_of(fixture, "a").made, first.made);
    assert_int_equal(berth_close(pool), 0);
    assert_int_equal(berth_close(other), 0);
    assert_int_equal(history_of(fixture, "a").died, 0);
    assert_int_equal(berth_remove("a", &fixture->options), 0);
    assert_int_equal(pool_history(&(struct pool_history){0}, "a", &fixture->options), ENOENT);
    assert_int_equal(berth_open(&pool, "a", &fixture->options), 0);
    assert_true(history_of(fixture, "a").made != first.made);
    assert_int_equal(berth_close(pool), 0);
}

static int hold_for_ever(void *context)
{
    const struct fixture *fixture = context;
    berth_pool *pool;
    berth_grant grant;
    if (berth_open(&pool, "a", &fixture->options) != 0 || berth_acquire(pool, &grant) != 0)
        return 1;
    for (;;)
        pause();
}

static void wait_until_served(const struct fixture *fixture, uint64_t served)
{
    for (unsigned i = 0; i < 10000; i++) {
        struct pool_history history;
        if (pool_history(&history, "a", &fixture->options) == 0 && history.served >= served)
            return;
        usleep(1000);
    }
    fail_msg("not %u grants in ten seconds", (unsigned)served);
}

static void test_died(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned killed = 0; killed < 3; killed++) {
        pid_t child = start_child(hold_for_ever, fixture);
        /* The slot of the last one comes back to this one. */
        wait_until_served(fixture, killed + 1);
        assert_int_equal(history_of(fixture, "a").died, killed);
        kill_child(child);
        assert_int_equal(history_of(fixture, "a").died, killed + 1);
    }
}

/* ---- looking ---- */

static struct top top_of(const struct fixture *fixture, const char *pool)
{
    return (struct top){.options = {.pool = pool, .how = fixture->options, .delay = 1}};
}

static void make_pool(const struct fixture *fixture, const char *name)
{
    berth_pool *pool;
    assert_int_equal(berth_open(&pool, name, &fixture->options), 0);
    assert_int_equal(berth_close(pool), 0);
}

static void test_pools_come_and_go(void **state)
{
    struct fixture *fixture = *state;
    struct top top = top_of(fixture, NULL);
    assert_int_equal(top_look(&top), 0);
    assert_int_equal(top.count, 0);
    make_pool(fixture, "b");
    make_pool(fixture, "d");
    assert_int_equal(top_look(&top), 0);
    assert_int_equal(top.count, 2);
    top.selected = 1;
    make_pool(fixture, "a");
    make_pool(fixture, "c");
    assert_int_equal(top_look(&top), 0);
    assert_int_equal(top.count, 4);
    assert_string_equal(top.pool[top.selected].name, "d"); /* it stays with what was chosen */
    assert_false(top.pool[0].rate.known);
    assert_true(top.pool[1].rate.known);
    assert_string_equal(top.problem, "");
    assert_int_equal(berth_remove("b", &fixture->options), 0);
    assert_int_equal(top_look(&top), 0);
    assert_int_equal(top.count, 3);
    assert_string_equal(top.pool[top.selected].name, "d");
    assert_string_equal(top.problem, "pool b is not there any more");
    assert_int_equal(berth_remove("d", &fixture->options), 0);
    assert_int_equal(top_look(&top), 0);
    assert_string_equal(top.pool[top.selected].name, "c"); /* the one beside it */
    top_free(&top);
}

static void test_a_pool_asked_for(void **state)
{
    struct fixture *fixture = *state;
    struct top top = top_of(fixture, "a");
    assert_int_equal(top_look(&top), 0);
    assert_int_equal(top.count, 1);
    assert_int_equal(top.pool[0].error, ENOENT);
    assert_true(top.pool[0].problem[0] != '\0');
    make_pool(fixture, "a");
    make_pool(fixture, "b");
    assert_int_equal(top_look(&top), 0);
    assert_int_equal(top.count, 1);
    assert_non_null(top.pool[0].view);
    top_free(&top);
}

static void test_a_name_that_is_too_long(void **state)
{
    struct fixture *fixture = *state;
    char name[BERTH_NAME_MAX + 10];
    memset(name, 'a', sizeof name);
    name[BERTH_NAME_MAX] = '\0';
    make_pool(fixture, name);
    name[BERTH_NAME_MAX] = 'a'; /* one that begins like it */
    name[sizeof name - 1] = '\0';
    struct top top = top_of(fixture, name);
    assert_int_equal(top_look(&top), 0);
    assert_int_equal(top.pool[0].error, EINVAL);
    top_free(&top);
}

static void test_a_pool_that_is_damaged(void **state)
{
    struct fixture *fixture = *state;
    struct top top = top_of(fixture, NULL);
    make_pool(fixture, "a");
    make_pool(fixture, "b");
    assert_int_equal(top_look(&top), 0);
    assert_int_equal(truncate(path_of(fixture, "a.berth"), 100), 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(top_look(&top), 0);
        assert_int_equal(top.count, 2);
        assert_null(top.pool[0].view);
        assert_int_equal(top.pool[0].error, EPROTO);
        assert_true(top.pool[0].problem[0] != '\0');
        assert_non_null(top.pool[1].view);
    }
    assert_int_equal(truncate(path_of(fixture, "a.berth"), 0), 0); /* berth_list passes over it */
    assert_int_equal(top_look(&top), 0);
    assert_int_equal(top.count, 2);
    assert_int_equal(top.pool[0].error, EPROTO);
    top_free(&top);
}

/* Cuts the file short and makes it long again, as fast as it can. */
static int cut_and_mend(void *context)
{
    const char *path = context;
    struct stat status;
    if (stat(path, &status) != 0)
        return 1;
    for (unsigned round = 0;; round++) {
        if (truncate(path, 4096) != 0 || truncate(path, status.st_size) != 0)
            return 1;
        for (volatile unsigned i = 0; i < round % 64 * 1000; i++)
            ; /* a little time, each time another, for a look to begin */
    }
}

enum { SEEN = 0, NOT_SEEN = 10, INCONSISTENT = 11 };

/* Looks until it has been interrupted that way. What is leaked then ends with this child. */
static int look_until_cut_short(void *context)
{
    struct top top = top_of(context, "a");
    top_look_prepare();
    for (unsigned i = 0; i < 50000; i++) {
        if (top_look(&top) != 0 || (top.pool[0].error == 0) != (top.pool[0].view != NULL))
            return INCONSISTENT;
        if (strstr(top.pool[0].problem, "was cut short") != NULL) {
            /* And the next look is as good as ever. */
            return top_look(&top) == 0 ? SEEN : INCONSISTENT;
        }
    }
    return NOT_SEEN;
}

static void test_a_pool_that_is_cut_short_meanwhile(void **state)
{
    struct fixture *fixture = *state;
    char path[96];
    make_pool(fixture, "a");
    snprintf(path, sizeof path, "%s", path_of(fixture, "a.berth"));
    pid_t cutter = start_child(cut_and_mend, path);
    int status = wait_for_child(start_child(look_until_cut_short, fixture));
    kill_child(cutter);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == INCONSISTENT)
        fail_msg("looking ended with wait status %#x", (unsigned)status);
    if (WEXITSTATUS(status) == NOT_SEEN)
        print_message("no look was cut short this time\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_rate_of_another_pool),
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_clean_is_cut_at_the_column),
        cmocka_unit_test(test_clean_of_anything),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_scrolled),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_name_width),
        pool_test(test_served),
        pool_test(test_died),
        pool_test(test_pools_come_and_go),
        pool_test(test_a_pool_asked_for),
        pool_test(test_a_name_that_is_too_long),
        pool_test(test_a_pool_that_is_damaged),
        pool_test(test_a_pool_that_is_cut_short_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
