/* Sizes, places and names. */
#include "pool_support.h"

#include "pool/header.h"
#include "pool/name.h"
#include "store/store.h"

static void test_geometry(void **state)
{
    (void)state;
    for (uint32_t seats = 1; seats <= BERTH_MAX_SEATS; seats += seats < 3000 ? 1 : 977) {
        struct pool_geometry g = pool_geometry_of(seats);
        const uint32_t least = 2 * (seats + BERTH_MAX_SLOTS);
        assert_int_equal(g.seats, seats);
        assert_int_equal(g.ring & (g.ring - 1), 0);
        assert_true(g.ring >= least && g.ring / 2 < least);
        /* All seats and nobody, and not a bit more. */
        assert_true(UINT32_C(1) << g.seat_bits >= seats + 1);
        assert_true(UINT32_C(1) << (g.seat_bits - 1) < seats + 1);

        const size_t at[] = {POOL_CONTROL_AT, POOL_SLOT_AT, POOL_SINCE_AT, POOL_RING_AT,
                             g.arrived,       g.seat,       g.size};
        const size_t needs[] = {
            sizeof(struct pool_control),        BERTH_MAX_SLOTS * sizeof(uint64_t),
            BERTH_MAX_SLOTS * sizeof(uint64_t), g.ring * sizeof(uint64_t),
            g.ring * sizeof(uint64_t),          seats * sizeof(struct pool_seat)};
        for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
            assert_int_equal(at[i] % POOL_PAGE, 0);
            assert_true(at[i + 1] - at[i] >= needs[i]);
            assert_true(at[i + 1] - at[i] < needs[i] + POOL_PAGE);
        }
    }
}

/* What docs/FORMAT.md says. */
static void test_known_sizes(void **state)
{
    (void)state;
    struct pool_geometry small = pool_geometry_of(1024), large = pool_geometry_of(65536);
    assert_int_equal(small.ring, 4096);
    assert_int_equal(small.seat_bits, 11);
    assert_int_equal(pool_geometry_of(BERTH_DEFAULT_SEATS).seat_bits, POOL_USUAL_SEAT_BITS);
    assert_int_equal(pool_geometry_of(BERTH_DEFAULT_SEATS).ring_bits, POOL_USUAL_RING_BITS);
    assert_int_equal(POOL_SLOT_AT, 8192);
    assert_int_equal(POOL_SINCE_AT, 16384);
    assert_int_equal(POOL_RING_AT, 24576);
    assert_int_equal(small.arrived, 57344);
    assert_int_equal(small.seat, 90112);
    assert_int_equal(small.size, 221184);
    assert_int_equal(large.ring, 262144);
    assert_int_equal(large.seat_bits, 17);
    assert_int_equal(large.size, 12607488);
    assert_int_equal(offsetof(struct pool_header, signature), 24);
    assert_int_equal(offsetof(struct pool_header, token_base), 32);
    assert_int_equal(offsetof(struct pool_header, boot), 40);
    assert_int_equal(offsetof(struct pool_header, name), 80);
    assert_int_equal(offsetof(struct pool_control, removed), 264);
    assert_int_equal(offsetof(struct pool_control, door), 384);
    assert_int_equal(offsetof(struct pool_seat, owner), 112);
}

static void test_signature(void **state)
{
    (void)state;
    struct pool_geometry one = pool_geometry_of(1000), same = pool_geometry_of(1000);
    assert_true(pool_signature(&one) == pool_signature(&same));
    same.arrived += POOL_PAGE;
    assert_true(pool_signature(&one) != pool_signature(&same));
    same = pool_geometry_of(1001);
    assert_true(pool_signature(&one) != pool_signature(&same));
}

#define X64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void test_names(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "gpu", "A-Z.0_9", "x.", "x-", "_", "9", X64, "a.berth"};
    static const char *const bad[] = {"",    ".",    "..",       ".a",    "-a", "a/b",   "/",
                                      "a b", "a\nb", "\xc3\xa4", "a\x7f", "a*", X64 "x", "a:b"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char file[POOL_FILE_NAME_SIZE], name[BERTH_NAME_MAX + 1];
        assert_int_equal(pool_name_check(good[i], NULL), 0);
        pool_name_to_file(good[i], file);
        assert_true(pool_name_from_file(file, false, name));
        assert_string_equal(name, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(EINVAL, pool_name_check(bad[i], NULL), "name");
    assert_refused(EINVAL, pool_name_check(NULL, NULL), "no name");

    /* The name of a lane is no pool's, and that of a pool no lane's. */
    static const char *const lanes[] = {"gpu@a", "gpu@a.b@0123abcd", "a@@b"};
    const berth_options lane = {.flags = STORE_LANE};
    for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
        char file[POOL_FILE_NAME_SIZE], name[BERTH_NAME_MAX + 1];
        assert_int_equal(pool_name_check(lanes[i], &lane), 0);
        assert_refused(EINVAL, pool_name_check(lanes[i], NULL), "name");
        pool_name_to_file(lanes[i], file);
        assert_true(pool_name_from_file(file, true, name));
        assert_false(pool_name_from_file(file, false, name));
    }
    assert_refused(EINVAL, pool_name_check("gpu", &lane), "name");
    assert_refused(EINVAL, pool_name_check("@a", &lane), "name");
    assert_refused(EINVAL, pool_name_check("gpu@a/b", &lane), "name");

    static const char *const no_pools[] = {"",        "a",           ".berth",
                                           "a.bert",  ".a.berth",    "a berth",
                                           "-.berth", X64 "x.berth", ".new-0.berth"};
    for (size_t i = 0; i < sizeof no_pools / sizeof no_pools[0]; i++) {
        char name[BERTH_NAME_MAX + 1];
        assert_false(pool_name_from_file(no_pools[i], false, name));
    }
}

/* A reason is its thread's own, and is cut rather than overrun. */
static void test_reasons(void **state)
{
    (void)state;
    char longest[3000];
    memset(longest, 'y', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(pool_name_check(longest, NULL), EINVAL);
    assert_reason("64");
    char store[PATH_MAX + 10];
    memset(store, 'z', sizeof store - 1);
    store[0] = '/';
    store[sizeof store - 1] = '\0';
    char path[PATH_MAX];
    assert_refused(ENAMETOOLONG,
                   pool_directory(&(berth_options){.store = store}, path, sizeof path), "too long");
    assert_true(strlen(berth_reason()) > 500 && strlen(berth_reason()) < 2000);
    errno = EDOM;
    pool_name_check("", NULL);
    assert_int_equal(errno, EDOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometry),  cmocka_unit_test(test_known_sizes),
        cmocka_unit_test(test_signature), cmocka_unit_test(test_names),
        cmocka_unit_test(test_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
