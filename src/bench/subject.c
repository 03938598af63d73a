#include "bench/subject.h"

const struct bench_subject *const bench_subjects[BENCH_SUBJECTS] = {
    &bench_berth, &bench_sem,  &bench_sysv,   &bench_robust,
    &bench_flock, &bench_pipe, &bench_ticket, &bench_relay,
};

int bench_join_nothing(struct bench_seat *seat)
{
    (void)seat;
    return 0;
}

void bench_leave_nothing(struct bench_seat *seat)
{
    (void)seat;
}
