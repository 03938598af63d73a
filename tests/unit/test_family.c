/* Processes are not signalled by a number that has become another's. */
#include "support.h"

#include "os/family.h"

#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that sleeps, with this number if it is not 0; -1: that is not permitted. */
static pid_t sleeper(pid_t number)
{
    const struct clone_args arguments = {.exit_signal = SIGCHLD,
                                         .set_tid = number != 0 ? (uintptr_t)&number : 0,
                                         .set_tid_size = number != 0};
    const pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0) {
        pause();
        _exit(0);
    }
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_number_that_has_become_another_s(void **state)
{
    (void)state;
    const pid_t first = sleeper(0);
    assert_true(first > 0);
    const int is = (int)syscall(SYS_pidfd_open, first, 0);
    assert_true(is > 0);
    end(first);
    const pid_t stranger = sleeper(first);
    if (stranger < 0)
        skip(); /* it takes CAP_CHECKPOINT_RESTORE */
    assert_int_equal(stranger, first);
    struct os_family_result result;
    const struct os_family family = {.with = first, .with_is = is};
    assert_int_equal(os_family_kill(&family, &result), 0);
    assert_int_equal(result.count, 0);
    assert_int_equal(waitpid(stranger, NULL, WNOHANG), 0); /* it lives */
    const struct os_family children = {.of = {first}, .of_is = is};
    assert_int_equal(os_family_kill(&children, &result), 0);
    assert_int_equal(result.count, 0);
    end(stranger);
    close(is);
}

static void a_number_that_is_its_own(void **state)
{
    (void)state;
    const pid_t pid = sleeper(0);
    const int is = (int)syscall(SYS_pidfd_open, pid, 0);
    struct os_family_result result;
    const struct os_family family = {.with = pid, .with_is = is};
    assert_int_equal(os_family_kill(&family, &result), 0);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(is);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_that_has_become_another_s),
        cmocka_unit_test(a_number_that_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
