/* Protocol files as text: what is found wrong, and what is not; and text that is damaged. */
#include "support.h"

#include "notation/faults.h"
#include "notation/picture.h"

#include <stdlib.h>
#include <string.h>

/* What is wrong with a file that has this text after LOCALS; "": nothing is. Checks that every
 * section was understood if `whole`. */
static const char *wrong_with(const char *text, bool whole)
{
    static char said[300];
    char file[4096];
    struct notation_tokens tokens;
    struct notation_file read;
    struct notation_fault fault;
    snprintf(file, sizeof file,
             "# 1 \"x.c\"\n# 1 \"/h/step/bare_words.h\" 1\nstep_declares local seen;\n"
             "step_declares cell V;\n# 1 \"x.c\" 2\n%s\n",
             text);
    assert_true(notation_scan(file, "/h", &tokens));
    assert_true(notation_read(&tokens, &read));
    for (size_t s = 0; s < read.sections; s++)
        assert_true(!whole || !read.section[s].is_lost);
    said[0] = '\0';
    if (notation_find_fault(&read, &fault))
        snprintf(said, sizeof said, "%u: %s", fault.line, fault.text);
    notation_file_free(&read);
    return said;
}

static void assert_right(const char *text)
{
    assert_string_equal(wrong_with(text, true), "");
}

static void assert_wrong(const char *text, const char *what)
{
    const char *said = wrong_with(text, true);
    if (strstr(said, what) == NULL)
        print_message("\"%s\" says \"%s\" and not \"%s\"\n", text, said, what);
    assert_non_null(strstr(said, what));
}

static void test_values(void **state)
{
    (void)state;
    assert_right("ENTRY word a = 1; if (a) READ(x, seen, V); else WRITE(y, V, 1); END");
    assert_right("ENTRY READ(x, seen, V); word a = seen; WRITE(y, V, 1); END");
    assert_right("ENTRY word a; READ(x, seen, V); a = 1; if (a) goto CRITICAL; END");
    assert_right("ENTRY for (;;) { word a = 1; while (a) a--; READ(x, seen, V); } END");
    assert_right(
        "ENTRY TEST(t, v, V) ON(v == 0, v + 1); ON(v == 1, 2, goto CRITICAL); END_TEST END");
    assert_right("ENTRY struct pair p; READ(x, seen, V); p = two(); if (p.a) RETURN; END "
                 "static struct pair two(void) { return (struct pair){1, 2}; }");
    assert_wrong("ENTRY word a = 1; READ(x, seen, V); if (a) goto CRITICAL; END",
                 "1: a is a plain variable");
    assert_wrong("ENTRY word a = 1;\nWRITE(x, V, a); END", "2: a is a plain variable");
    assert_wrong("ENTRY word a[2]; a[0] = 1; if (n) READ(x, seen, V); else ;\na[1] = 1; END",
                 "2: a is a plain array");
    assert_wrong("ENTRY for (word i = 0; i < n; i++) READ(x, seen, V); END",
                 "i is a plain variable");
    assert_wrong("ENTRY word *p = &seen; do READ(x, seen, V); while (*p); END",
                 "p is a plain pointer");
    assert_wrong("ENTRY struct { word a; } s; s.a = 1; AWAIT(x, v, V, v == s.a); END",
                 "s is a plain structure");
    assert_wrong(
        "ENTRY word a = 1; CALL(c, sub, a); END SUB(sub, word b) READ(x, seen, V); END_SUB(sub)",
        "a is a plain variable");
    assert_wrong("ENTRY word a = 1; TEST(t, v, V) ON(v == a, 1); END_TEST END",
                 "a is a plain variable");
    assert_wrong("ENTRY word a = 1; again: if (a) { READ(x, seen, V); goto again; } END",
                 "a is a plain variable");
    assert_wrong("ENTRY word a = 1; switch (n) { case 1: READ(x, seen, V); break; default: ; } "
                 "if (a) RETURN; END",
                 "a is a plain variable");
}

static void test_names(void **state)
{
    (void)state;
    assert_right("static const word sizes[] = {1, 2}; ENTRY if (sizes[0]) READ(x, seen, V); END");
    assert_right("static word twice(word a) { return 2 * a; } ENTRY WRITE(x, V, twice(1)); END");
    assert_right("static word counter; static void use(void) { counter++; } SHOW use(); END_SHOW");
    assert_wrong("static word counter; ENTRY WRITE(x, V, counter); END",
                 "counter is a variable of the");
    assert_wrong("static const char *last; ENTRY if (last) READ(x, seen, V); END",
                 "last is a variable");
    assert_wrong("ENTRY static word a; READ(x, seen, V); END", "a keeps its value");
    assert_wrong("ENTRY if (rand() > 3) READ(x, seen, V); END", "rand is called");
    assert_wrong("static word f(void) { return (word)time(0); } ENTRY WRITE(x, V, f()); END",
                 "time is called");
    assert_wrong("ENTRY READ(x, seen, V); my->seen = 1; END", "seen is accessed as my->");
    assert_wrong("ENTRY struct step_local *m = my; READ(x, seen, V); END",
                 "my is not for sections");
    assert_wrong("ENTRY if (__builtin_ia32_rdtsc() > 3) READ(x, seen, V); END", "rdtsc is called");
    assert_right("ENTRY if (__builtin_popcountll(n) > 3) READ(x, seen, V); END");
    assert_wrong("ENTRY __asm__(\"nop\"); READ(x, seen, V); END", "__asm__");
    assert_wrong("static word a, b; ENTRY WRITE(x, V, b); END", "b is a variable of the file");
    assert_wrong("static word a = 1, b = f(1, 2), c; ENTRY WRITE(x, V, c); END", "c is a variable");
    assert_wrong("DEATH WRITE(x, V, 0); END PROTOCOL(.fault = 1)", "WRITE is an access, and DEATH");
    assert_wrong("static word g; static word *const h = &g; ENTRY WRITE(x, V, *h); END",
                 "g is a variable of the file, to which");
    assert_wrong("ENTRY AWAIT(x, seen, V, seen == 0); END", "seen is one of the LOCALS");
    assert_wrong("ENTRY { word seen = 1; (void)seen; } READ(x, seen, V); END", "seen is one of");
    assert_wrong("ENTRY RETURN; READ(x, seen, V); END",
                 "x is the label of an access that is never");
    assert_wrong("DEATH DIES(V, 0); END PROTOCOL(.n = 1)", "DEATH is never made");
    assert_right("DEATH DIES(V, 0); END PROTOCOL(.fault = STEP_FAULT_DEATH)");
    assert_wrong("static const struct c c[] = {{A, B, .bound = 0}};", "bound is given");
    assert_right("static const struct c c[] = {{A, B, .has_bound = true, .bound = 0}};");
    assert_wrong("# 1 \"/h/step/bare_words.h\" 1\nstep_declares cells alive;\n# 2 \"x.c\" 2\n",
                 "alive cannot be the name");
}

/* Text with a token left out, doubled or in another place is read to an end, or not understood. */
static void test_damage(void **state)
{
    (void)state;
    static const char *const words[] = {
        "ENTRY",    "word",   "a",       "=",    "1",    ";",    "if",    "(",    "a",      ")",
        "{",        "READ",   "(",       "x",    ",",    "seen", ",",     "V",    ")",      ";",
        "}",        "else",   "TEST",    "(",    "t",    ",",    "v",     ",",    "V",      ")",
        "ON",       "(",      "v",       ",",    "1",    ",",    "goto",  "done", ")",      ";",
        "END_TEST", "done",   ":",       "for",  "(",    ";",    ";",     ")",    "switch", "(",
        "a",        ")",      "{",       "case", "1",    ":",    "break", ";",    "}",      "END",
        "SUB",      "(",      "s",       ")",    "LOCK", "(",    "l",     ")",    "a",      "++",
        ";",        "UNLOCK", "END_SUB", "(",    "s",    ")"};
    enum { COUNT = sizeof words / sizeof words[0] };
    uint64_t random = 1;
    unsigned understood = 0;
    for (unsigned run = 0; run < 20000; run++) {
        char text[2048] = "";
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const unsigned from = (unsigned)(random >> 33) % COUNT,
                       to = (unsigned)(random >> 43) % COUNT;
        for (unsigned w = 0; w < COUNT; w++) {
            const unsigned at = w == from ? to : run % 3 == 0 && w == to ? from : w;
            if (run % 3 == 1 && w == from)
                continue;
            strcat(text, words[at]);
            strcat(text, " ");
        }
        understood += wrong_with(text, false)[0] == '\0';
    }
    assert_true(understood > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
