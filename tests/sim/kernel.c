#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, NAP_NS = 30 * 1000, END = 24 /* of the bytes that are locked */ };

/* ---- an actor ---- */

struct actor {
    const struct kernel_stage *stage;
    unsigned number;
    int fd[KERNEL_FDS]; /* -1: none */
    _Atomic(uint32_t) *map;
    bool not_for_children;
    unsigned char *wiped;
};

static int64_t find_lock(const struct actor *actor, const struct kernel_move *move,
                         struct kernel_answer *answer)
{
    struct flock lock = {
        .l_type = move->type, .l_whence = SEEK_SET, .l_start = move->start, .l_len = move->length};
    const int result = actor->stage->fcntl(actor->fd[move->fd], F_OFD_GETLK, &lock);
    if (result == 0 && lock.l_type == F_UNLCK)
        answer->found[0] = F_UNLCK;
    else if (result == 0)
        memcpy(answer->found, (int64_t[]){lock.l_type, lock.l_start, lock.l_len},
               sizeof answer->found);
    return result;
}

static int64_t set_lock(const struct actor *actor, const struct kernel_move *move)
{
    struct flock lock = {
        .l_type = move->type, .l_whence = SEEK_SET, .l_start = move->start, .l_len = move->length};
    return actor->stage->fcntl(actor->fd[move->fd], F_OFD_SETLK, &lock);
}

static int64_t sleep_on(const struct actor *actor, const struct kernel_move *move)
{
    _Atomic(uint32_t) *const word = &actor->map[move->word];
    const uint32_t seen = atomic_load(word) + move->number;
    if (move->verb == KERNEL_NAP) {
        const struct timespec nap = {.tv_nsec = NAP_NS};
        return actor->stage->syscall(SYS_futex, word, FUTEX_WAIT, seen, &nap, NULL, 0);
    }
    actor->stage->sleeps(actor->number);
    return actor->stage->syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, NULL, NULL,
                                 FUTEX_BITSET_MATCH_ANY);
}

static int open_file(const struct actor *actor)
{
    return actor->stage->open(actor->stage->file, O_RDWR | O_CLOEXEC);
}

static int64_t map_file(struct actor *actor, int fd)
{
    void *const map = actor->stage->mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return -1;
    actor->map = map;
    actor->not_for_children = false;
    return 0;
}

static int64_t unmap_file(struct actor *actor)
{
    void *const map = (void *)actor->map;
    actor->map = NULL;
    return actor->stage->munmap(map, PAGE);
}

static int64_t make_child(struct actor *actor, unsigned child)
{
    const int pid = actor->stage->fork();
    if (pid == 0) {
        actor->number = child;
        if (actor->not_for_children)
            actor->map = NULL;
    }
    return pid < 0 ? -1 : pid > 0;
}

/* A new descriptor in place of another. */
static int64_t put(struct actor *actor, unsigned place, int fd)
{
    if (fd < 0)
        return -1;
    if (actor->fd[place] >= 0)
        actor->stage->close(actor->fd[place]);
    actor->fd[place] = fd;
    return 0;
}

/* What the actor cannot do is not asked of the kernel. */
static bool is_possible(const struct actor *actor, const struct kernel_move *move)
{
    switch (move->verb) {
    case KERNEL_MAP: return actor->map == NULL && actor->fd[move->fd] >= 0;
    case KERNEL_UNMAP:
    case KERNEL_NOT_FOR_CHILDREN:
    case KERNEL_SLEEP:
    case KERNEL_NAP:
    case KERNEL_STORE:
    case KERNEL_WAKE: return actor->map != NULL;
    case KERNEL_OPEN:
    case KERNEL_FORK:
    case KERNEL_WIPED: return true;
    default: return actor->fd[move->fd] >= 0;
    }
}

static int64_t make_move(struct actor *actor, const struct kernel_move *move,
                         struct kernel_answer *answer)
{
    const struct kernel_stage *stage = actor->stage;
    int *const fd = &actor->fd[move->fd];
    switch (move->verb) {
    case KERNEL_OPEN: return put(actor, move->fd, open_file(actor));
    case KERNEL_DUP: return put(actor, move->other, stage->fcntl(*fd, F_DUPFD_CLOEXEC, 0));
    case KERNEL_CLOSE: {
        const int closed = *fd;
        *fd = -1;
        return stage->close(closed);
    }
    case KERNEL_MAP: return map_file(actor, *fd);
    case KERNEL_UNMAP: return unmap_file(actor);
    case KERNEL_NOT_FOR_CHILDREN:
        actor->not_for_children = true;
        return stage->madvise((void *)actor->map, PAGE, MADV_DONTFORK);
    case KERNEL_LOCK: return set_lock(actor, move);
    case KERNEL_FIND_LOCK: return find_lock(actor, move, answer);
    case KERNEL_SEEK: return stage->lseek(*fd, move->start, SEEK_SET);
    case KERNEL_TELL: return stage->lseek(*fd, 0, SEEK_CUR);
    case KERNEL_WIPED: {
        const unsigned char before = *actor->wiped;
        *actor->wiped = (unsigned char)(actor->number + 1);
        return before;
    }
    case KERNEL_FORK: return make_child(actor, move->child);
    case KERNEL_SLEEP:
    case KERNEL_NAP: return sleep_on(actor, move);
    case KERNEL_STORE: return atomic_fetch_add(&actor->map[move->word], move->number);
    case KERNEL_WAKE:
        return stage->syscall(SYS_futex, &actor->map[move->word], FUTEX_WAKE, move->number, NULL,
                              NULL, 0);
    case KERNEL_KILL:
    case KERNEL_SIGNAL:
    case KERNEL_VERBS: break;
    }
    return -1;
}

void kernel_act(const struct kernel_stage *stage, unsigned number)
{
    struct actor actor = {.stage = stage, .number = number};
    for (unsigned i = 0; i < KERNEL_FDS; i++)
        actor.fd[i] = -1;
    actor.wiped =
        stage->mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stage->madvise(actor.wiped, PAGE, MADV_WIPEONFORK);
    for (;;) {
        struct kernel_move move;
        struct kernel_answer answer = {.result = -1, .error = ENOTSUP};
        stage->take(actor.number, &move);
        if (is_possible(&actor, &move)) {
            errno = 0;
            answer.result = make_move(&actor, &move, &answer);
            answer.error = answer.result < 0 ? errno : 0;
        }
        stage->answer(actor.number, &answer);
    }
}

/* ---- the director ---- */

/* splitmix64, apart from the generator that the simulated kernel decides by */
static unsigned draw(uint64_t *state, unsigned below)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % below);
}

static struct kernel_move draw_move(uint64_t *state)
{
    static const unsigned char verbs[] = {
        KERNEL_OPEN,      KERNEL_OPEN,      KERNEL_DUP,
        KERNEL_CLOSE,     KERNEL_CLOSE,     KERNEL_MAP,
        KERNEL_MAP,       KERNEL_MAP,       KERNEL_UNMAP,
        KERNEL_LOCK,      KERNEL_LOCK,      KERNEL_LOCK,
        KERNEL_LOCK,      KERNEL_LOCK,      KERNEL_LOCK,
        KERNEL_FIND_LOCK, KERNEL_FIND_LOCK, KERNEL_FIND_LOCK,
        KERNEL_FIND_LOCK, KERNEL_FIND_LOCK, KERNEL_NOT_FOR_CHILDREN,
        KERNEL_SEEK,      KERNEL_TELL,      KERNEL_WIPED,
        KERNEL_FORK,      KERNEL_FORK,      KERNEL_SLEEP,
        KERNEL_SLEEP,     KERNEL_SLEEP,     KERNEL_NAP,
        KERNEL_STORE,     KERNEL_WAKE,      KERNEL_WAKE,
        KERNEL_KILL,      KERNEL_SIGNAL};
    static const short types[] = {F_WRLCK, F_WRLCK, F_RDLCK, F_UNLCK};
    struct kernel_move move = {.actor = draw(state, KERNEL_ACTORS),
                               .verb = verbs[draw(state, sizeof verbs)],
                               .fd = draw(state, KERNEL_FDS),
                               .other = draw(state, KERNEL_FDS),
                               .start = draw(state, END),
                               .length = draw(state, 3) != 0 ? 1 : draw(state, END),
                               .word = draw(state, KERNEL_WORDS),
                               .number = draw(state, 3)};
    move.type = types[draw(state, move.verb == KERNEL_FIND_LOCK ? 3 : 4)];
    if (move.verb == KERNEL_SLEEP || move.verb == KERNEL_NAP)
        move.number = draw(state, 8) == 0; /* not what is there: it does not sleep */
    return move;
}

struct cast {
    uint32_t here, asleep; /* actors, one bit each */
};

static bool is_among(uint32_t actors, unsigned actor)
{
    return (actors >> actor & 1) != 0;
}

static bool can_be_made(const struct cast *cast, struct kernel_move *move)
{
    if (!is_among(cast->here, move->actor))
        return false;
    if (move->verb == KERNEL_KILL)
        return (cast->here & (cast->here - 1)) != 0; /* not the last one */
    if (is_among(cast->asleep, move->actor))
        return move->verb == KERNEL_SIGNAL;
    for (move->child = 0; is_among(cast->here, move->child);)
        move->child++;
    return move->verb != KERNEL_SIGNAL &&
           (move->verb != KERNEL_FORK || move->child < KERNEL_ACTORS);
}

/* As many as the kernel says that it has woken. */
static uint32_t hear_awoken(const struct kernel_stage *stage, struct cast *cast, int64_t count)
{
    uint32_t awoken = 0;
    while (count > 0) {
        for (unsigned actor = 0; actor < KERNEL_ACTORS; actor++) {
            struct kernel_answer answer;
            if (!is_among(cast->asleep, actor) || !stage->has_answered(actor))
                continue;
            stage->hear(actor, true, &answer);
            cast->asleep &= ~(UINT32_C(1) << actor);
            awoken |= UINT32_C(1) << actor;
            count--;
        }
    }
    return awoken;
}

static void do_to(const struct kernel_stage *stage, struct cast *cast,
                  const struct kernel_move *move, struct kernel_answer *answer)
{
    const uint32_t bit = UINT32_C(1) << move->actor;
    if (move->verb == KERNEL_KILL) {
        stage->kill(move->actor);
        cast->here &= ~bit;
    } else {
        stage->signal(move->actor);
        stage->hear(move->actor, true, answer);
    }
    cast->asleep &= ~bit;
}

static void make(const struct kernel_stage *stage, struct cast *cast,
                 const struct kernel_move *move, struct kernel_answer *answer)
{
    *answer = (struct kernel_answer){0};
    if (move->verb == KERNEL_KILL || move->verb == KERNEL_SIGNAL) {
        do_to(stage, cast, move, answer);
        return;
    }
    stage->give(move);
    if (!stage->hear(move->actor, false, answer)) {
        answer->asleep = UINT32_C(1) << move->actor;
        cast->asleep |= answer->asleep;
    } else if (move->verb == KERNEL_FORK && answer->result == 1) {
        struct kernel_answer childs;
        cast->here |= UINT32_C(1) << move->child;
        stage->hear(move->child, true, &childs);
        answer->found[0] = childs.result;
    } else if (move->verb == KERNEL_WAKE && answer->result > 0) {
        answer->awoken = hear_awoken(stage, cast, answer->result);
    }
}

void kernel_direct(const struct kernel_stage *stage, uint64_t seed, struct kernel_play *play)
{
    struct cast cast = {.here = 1};
    uint64_t state = seed;
    play->moves = 0;
    while (play->moves < KERNEL_MOVES) {
        struct kernel_move move = draw_move(&state);
        if (!can_be_made(&cast, &move))
            continue;
        play->move[play->moves] = move;
        make(stage, &cast, &move, &play->answer[play->moves]);
        play->moves++;
    }
    for (unsigned actor = 0; actor < KERNEL_ACTORS; actor++) {
        if (is_among(cast.here, actor))
            stage->kill(actor);
    }
}

/* ---- the comparison ---- */

static void print_move(unsigned number, const struct kernel_move *move,
                       const struct kernel_answer *answer)
{
    static const char *const names[KERNEL_VERBS] = {
        "open",  "dup",  "close", "map",  "unmap", "not-for-children",
        "lock",  "find", "seek",  "tell", "wiped", "fork",
        "sleep", "nap",  "store", "wake", "kill",  "signal"};
    printf("%4u actor %u %-16s fd %u %u type %d [%" PRId64 " + %" PRId64 "] word %u %" PRIu32
           "  = %" PRId64 " %s (%" PRId64 " %" PRId64 " %" PRId64 ") asleep %" PRIx32
           " awoken %" PRIx32 "\n",
           number, move->actor, names[move->verb], move->fd, move->other, move->type, move->start,
           move->length, move->word, move->number, answer->result,
           answer->error == 0 ? "" : strerrorname_np((int)answer->error), answer->found[0],
           answer->found[1], answer->found[2], answer->asleep, answer->awoken);
}

static bool are_alike(const struct kernel_answer *left, const struct kernel_answer *right)
{
    return left->result == right->result && left->error == right->error &&
           memcmp(left->found, right->found, sizeof left->found) == 0 &&
           left->asleep == right->asleep && left->awoken == right->awoken;
}

static bool compare_one(uint64_t seed, bool verbose, unsigned *answers)
{
    static struct kernel_play real, simulated;
    kernel_play_for_real(seed, &real);
    kernel_play_simulated(seed, &simulated);
    for (unsigned i = 0; i < real.moves; i++) {
        if (verbose)
            print_move(i, &real.move[i], &real.answer[i]);
        if (i < simulated.moves && are_alike(&real.answer[i], &simulated.answer[i]))
            continue;
        for (unsigned k = 0; !verbose && k <= i; k++)
            print_move(k, &real.move[k], &real.answer[k]);
        printf("the simulated kernel's answer to the last one%s\n",
               i < simulated.moves ? ":" : " is missing");
        if (i < simulated.moves)
            print_move(i, &simulated.move[i], &simulated.answer[i]);
        printf("FAILED: seed %" PRIu64 ", call %u\n"
               "to see it again: berth-sim --kernel 1 --first %" PRIu64 "\n",
               seed, i, seed);
        return false;
    }
    for (unsigned i = 0; i < real.moves; i++)
        *answers += real.answer[i].error != ENOTSUP;
    return true;
}

bool kernel_compare(uint64_t first, uint64_t plays, bool verbose)
{
    unsigned answers = 0;
    for (uint64_t i = 0; i < plays; i++) {
        if (!compare_one(first + i, verbose, &answers))
            return false;
    }
    printf("%" PRIu64 " plays on the real kernel and on the simulated one: %u answers alike\n",
           plays, answers);
    return true;
}
