/* Authentication: a user and a password for a token, which every call then carries. */
#include "store/etcd/intake.h"
#include "store/etcd/link_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void refused_for_good(struct link *link, const char *reason)
{
    snprintf(link->reason, sizeof link->reason, "%s", reason);
    link->error = EACCES;
    link->failed_for_good = true;
}

static void signed_in(struct link_call *call, const struct link_answer *answer)
{
    struct link *link = call->context;
    Etcd__AuthenticateResponse *response =
        answer->outcome == ANSWER_GIVEN ? intake_message(&etcd__authenticate_response__descriptor,
                                                         answer->size, answer->message)
                                        : NULL;
    const bool unasked = answer->outcome == ANSWER_REFUSED && answer->error == ENOTSUP;
    if (response != NULL || unasked) { /* unasked: no authentication there */
        free(link->token);
        link->token = strdup(unasked ? "" : response->token);
        if (link->token != NULL)
            link->state = LINK_UP;
        else
            refused_for_good(link, "there is no memory for a token");
    } else if (answer->outcome == ANSWER_REFUSED) {
        refused_for_good(link, answer->reason);
    }
    if (response != NULL)
        etcd__authenticate_response__free_unpacked(response, NULL);
}

void sign_in(struct link *link, uint64_t now)
{
    Etcd__AuthenticateRequest request = ETCD__AUTHENTICATE_REQUEST__INIT;
    char user[ADDRESS_WORD], password[ADDRESS_WORD];
    layout_copy(user, sizeof user, link->address->user);
    layout_copy(password, sizeof password, link->address->password);
    request.name = user;
    request.password = password;
    link->state = LINK_SIGNING_IN;
    link->state_deadline = now + LINK_CONNECT_WITHIN;
    link->sign_in = (struct link_call){.path = "/etcdserverpb.Auth/Authenticate",
                                       .end = signed_in,
                                       .context = link,
                                       .deadline = link->state_deadline};
    if (link_call(link, &link->sign_in, &request.base) != 0)
        link_fail(link, now, ENOMEM, "there is no memory for a request");
}

bool sign_in_needed(const struct link *link)
{
    return link->address->user[0] != '\0' && link->token == NULL;
}
