#include "store/etcd/plain.h"

#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int plain_open(struct plain *plain, const char *store, char reason[STORE_REASON])
{
    const int error = address_parse(&plain->address, store, reason);
    return error != 0 ? error : link_open(&plain->link, &plain->address, reason);
}

void plain_close(struct plain *plain)
{
    link_close(&plain->link);
}

struct once {
    struct link_call call;
    bool done;
    enum machine_outcome outcome;
    int error;
    char *reason;
    void (*take)(const uint8_t *message, size_t size, void *context);
    void *context;
};

static void end(struct link_call *call, const struct link_answer *answer)
{
    struct once *once = call->context;
    once->done = true;
    once->outcome = answer->outcome;
    once->error = answer->error;
    if (answer->outcome != ANSWER_GIVEN)
        snprintf(once->reason, STORE_REASON, "%s", answer->reason);
    else if (once->take != NULL)
        once->take(answer->message, answer->size, once->context);
}

static struct once ask_once(struct plain *plain, const char *path, const ProtobufCMessage *request,
                            void (*take)(const uint8_t *, size_t, void *), void *context,
                            uint64_t deadline, char reason[STORE_REASON])
{
    struct once once = {.take = take, .context = context, .reason = reason};
    once.call =
        (struct link_call){.path = path, .end = end, .context = &once, .deadline = deadline};
    if (link_call(&plain->link, &once.call, request) != 0) {
        snprintf(reason, STORE_REASON, "there is no memory for a request");
        once.outcome = ANSWER_REFUSED;
        once.error = ENOMEM;
        return once;
    }
    link_drive(&plain->link, &once.done);
    return once;
}

int plain_call(struct plain *plain, const char *path, const ProtobufCMessage *request,
               void (*take)(const uint8_t *message, size_t size, void *context), void *context,
               char reason[STORE_REASON])
{
    const uint64_t patience = (uint64_t)plain->address.timeout * OS_SECOND;
    const uint64_t last = os_now(STORE_CLOCK) + patience;
    for (;;) {
        const uint64_t now = os_now(STORE_CLOCK);
        const uint64_t attempt = now + patience / 2;
        const struct once once =
            ask_once(plain, path, request, take, context, attempt < last ? attempt : last, reason);
        if (once.outcome == ANSWER_GIVEN)
            return 0;
        if (once.outcome == ANSWER_REFUSED || os_now(STORE_CLOCK) >= last)
            return once.error;
    }
}

static void take_txn(const uint8_t *message, size_t size, void *context)
{
    Etcd__TxnResponse **response = context;
    *response = intake_message(&etcd__txn_response__descriptor, size, message);
    if (*response != NULL && (*response)->header == NULL) {
        etcd__txn_response__free_unpacked(*response, NULL);
        *response = NULL;
    }
}

static const char not_etcd[] = "the store's answer is not etcd's";
static const char txn_path[] = "/etcdserverpb.KV/Txn";

int plain_txn(struct plain *plain, const Etcd__TxnRequest *request, Etcd__TxnResponse **response,
              char reason[STORE_REASON])
{
    *response = NULL;
    const int error = plain_call(plain, txn_path, &request->base, take_txn, response, reason);
    if (error != 0 || *response != NULL)
        return error;
    snprintf(reason, STORE_REASON, not_etcd);
    return EPROTO;
}

static enum machine_next ask_machine(struct plain *plain, struct machine *machine,
                                     char reason[STORE_REASON])
{
    Etcd__TxnResponse *txn = NULL;
    struct build *build = machine->request;
    machine->request = NULL;
    const struct once once =
        ask_once(plain, txn_path, &build->txn->base, take_txn, &txn,
                 os_now(STORE_CLOCK) + (uint64_t)plain->address.timeout * OS_SECOND / 2, reason);
    free(build);
    struct machine_answer answer = {
        .outcome = once.outcome, .txn = txn, .error = once.error, .reason = reason};
    if (once.outcome == ANSWER_GIVEN && txn == NULL)
        answer =
            (struct machine_answer){.outcome = ANSWER_REFUSED, .error = EPROTO, .reason = not_etcd};
    const enum machine_next next = machine_reply(machine, os_now(STORE_CLOCK), &answer);
    if (txn != NULL)
        etcd__txn_response__free_unpacked(txn, NULL);
    return next;
}

int plain_turn(struct plain *plain, struct machine *machine, char reason[STORE_REASON])
{
    enum machine_next next = machine_start(machine, os_now(STORE_CLOCK));
    while (next == MACHINE_SEND || next == MACHINE_WAIT) {
        if (next == MACHINE_SEND) {
            next = ask_machine(plain, machine, reason);
            continue;
        }
        const struct timespec left =
            os_timespec(moment_left(machine->wake_at, os_now(STORE_CLOCK)));
        clock_nanosleep(STORE_CLOCK, 0, &left, NULL);
        next = machine_tick(machine, os_now(STORE_CLOCK));
    }
    snprintf(reason, STORE_REASON, "%s", machine->reason);
    return next == MACHINE_LOST ? ESTALE : machine->error;
}
