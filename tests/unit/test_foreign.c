/* Text of strangers: what is shown of it, and that nothing is read beyond its end. */
#include "support.h"

#include "os/foreign.h"
#include "pool/reason.h"

#include "berth.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Cleans `size` bytes that lie before a page that nobody may read. */
static void assert_cleaned_to(const char *expected, const char *bytes, size_t size, size_t room)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_equal(mprotect(map + page, page, PROT_NONE), 0);
    char *text = memcpy(map + page - size, bytes, size), *clean = malloc(room);
    assert_non_null(clean);
    os_clean(clean, room, (struct os_foreign){text, size});
    assert_string_equal(clean, expected);
    free(clean);
    munmap(map, 2 * page);
}

#define assert_cleaned(expected, bytes) assert_cleaned_to(expected, bytes, sizeof(bytes) - 1, 256)

static void text_is_kept(void **state)
{
    (void)state;
    assert_cleaned("", "");
    assert_cleaned("make -j 4 all", "make -j 4 all");
    assert_cleaned("\u00e9t\u00e9 \u6f22 \U0001f600 $(x) `y` \"z\"",
                   "\u00e9t\u00e9 \u6f22 \U0001f600 $(x) `y` \"z\"");
    assert_cleaned("ends", "ends\0here");
}

static void what_a_terminal_obeys_is_not(void **state)
{
    (void)state;
    assert_cleaned(" [31m  ]2;t ", "\x1b[31m\x7f\x1b]2;t\a");
    assert_cleaned(" a b c ", "\ta\nb\rc\v");
    assert_cleaned("?31m", "\xc2\x9b"
                           "31m");
    assert_cleaned("a?b?c?d?e?", "a\u202eb\u2066c\u200bd\u2028e\ufeff");
    assert_cleaned("??", "\u061c\U000e0041");
}

static void what_is_no_character_is_not(void **state)
{
    (void)state;
    assert_cleaned("???a", "\xff\xfe\x80"
                           "a");
    assert_cleaned("??.", "\xc0\xaf.");           /* a slash, too long */
    assert_cleaned("???.", "\xed\xa0\x80.");      /* a surrogate */
    assert_cleaned("????.", "\xf4\x90\x80\x80."); /* beyond the last */
    assert_cleaned("?(", "\xc3(");
    assert_cleaned("x", "x\xc3"); /* cut off */
    assert_cleaned("x", "x\xf0\x9f\x98");
}

static void there_may_be_no_room(void **state)
{
    (void)state;
    assert_cleaned_to("", "abc", 3, 1);
    assert_cleaned_to("a", "abc", 3, 2);
    assert_cleaned_to("a", "a\u00e9", 3, 3);
    assert_cleaned_to("a\u00e9", "a\u00e9", 3, 4);
}

static void any_bytes_give_text(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (unsigned round = 0; round < 20000; round++) {
        char bytes[24], clean[24], again[24];
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 1103515245 + 12345;
            const char special[] = "\x1b\xc2\x9b\xe2\x80\xae\xf0\x9f";
            bytes[i] = (seed >> 16 & 1) != 0 ? (char)(seed >> 20) : special[seed >> 20 & 7];
        }
        os_clean(clean, sizeof clean, (struct os_foreign){bytes, sizeof bytes});
        for (const char *c = clean; *c != '\0';) {
            unsigned code = 0;
            const size_t length = os_character(c, strlen(c), &code);
            assert_true(length > 0 && code >= 0x20 && (code < 0x7f || code > 0x9f) &&
                        code != 0x202e);
            c += length;
        }
        os_clean(again, sizeof again, (struct os_foreign){clean, sizeof clean});
        assert_string_equal(again, clean);
    }
}

static void the_reason_of_a_failure_is_clean(void **state)
{
    (void)state;
    assert_int_equal(pool_fail(5, "a server says %s",
                               "\x1b[2J\xc2\x9b"
                               "2J\xff"),
                     5);
    assert_string_equal(berth_reason(), "a server says  [2J?2J?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_kept),
        cmocka_unit_test(what_a_terminal_obeys_is_not),
        cmocka_unit_test(what_is_no_character_is_not),
        cmocka_unit_test(there_may_be_no_room),
        cmocka_unit_test(any_bytes_give_text),
        cmocka_unit_test(the_reason_of_a_failure_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
