"""What a campaign's records say: etcd's whole history, and what the clients wrote down.

decide() gives a list of complaints. It looks at:

 - holders: by the clients' own clock, never two of a slot at a time, and never more than there are slots;
 - etcd's history: a slot's key is under a lease; it is put where there is none and nobody waits, or with the
   entry of the first in line, whose mail comes with it; nobody puts one over another's key otherwise;
 - tokens: each is the revision of a put of that slot, no two grants have the same, and those of a slot grow;
 - tickets: they are linearizable as a counter: of two acquires of which one had ended before the other was
   begun, the first has the smaller ticket. As no two have the same, this is all that a search for a
   linearization would find;
 - order: tickets are served in order.

A store that was set back to an old state begins a new epoch: what is about revisions is asked within one.
"""
import re
from collections import namedtuple

# good: until when the client was told that it held the slot; lost: it was told that it does not any more
Grant = namedtuple("Grant", "client slot token ticket asked had good lost epoch")
# value: as text, without what is not printable; create: the revision at which the key was made; at: when the
# recorder learned of it, by the clock of the grants
Event = namedtuple("Event", "epoch revision put key value lease create at", defaults=(0,))

ENTRY = re.compile(r"[0-9a-f]{16}\.[0-9]+")


def pairs(grants):
    """Those who had a slot at the same time."""
    found, last = [], {}
    for grant in sorted((grant for grant in grants if grant.good > grant.had), key=lambda grant: grant.had):
        other = last.get(grant.slot)
        if other is not None and grant.had < other.good:
            found.append((other, grant))
        if other is None or grant.good > other.good:
            last[grant.slot] = grant
    return found


def holders(grants, slots):
    wrong = [f"slot {one.slot} twice for {(min(one.good, other.good) - other.had) / 1e6:.1f} ms: {one} {other}"
             for one, other in pairs(grants)]
    relied_on = [grant for grant in grants if grant.good > grant.had]
    held = most = 0
    for _, change in sorted([(grant.had, 1) for grant in relied_on]
                            + [(grant.good, -1) for grant in relied_on]):
        held += change
        most = max(most, held)
    if most > slots:
        wrong.append(f"{most} held at once, of {slots} slots")
    return wrong


def story(slot, grants, events, prefix, begin, end):
    """What etcd and the clients say of a slot from `begin` to `end`, in the order of time."""
    mine = [event for event in events if event.key[len(prefix):] in (f"s/{slot:04}", f"u/{slot:04}")]
    entries = {entry_of(event.value) for event in mine if begin <= event.at <= end and event.put}
    mine += [event for event in events if entry_of(event.key) in entries]
    lines = [(event.at, f"{'put' if event.put else 'deleted'} {event.key[len(prefix):]} at revision "
              f"{event.revision}, lease {event.lease:x} {entry_of(event.value)!r}") for event in mine]
    for grant in grants:
        if grant.slot == slot:
            lines.append((grant.asked, f"{grant.client} asks"))
            lines.append((grant.had, f"{grant.client} has the slot, token {grant.token}"))
            lines.append((grant.good, f"{grant.client} has it for the last time{', lost' * grant.lost}"))
    return sorted(set(line for line in lines if begin <= line[0] <= end))


def entry_of(value):
    found = ENTRY.search(value)
    return found.group() if found else value


def by_revision(events):
    """Groups of the events of one transaction, in order."""
    groups = {}
    for event in events:
        groups.setdefault((event.epoch, event.revision), []).append(event)
    return [groups[key] for key in sorted(groups)]


class Pool:
    """The keys of a pool, as they were between two transactions."""

    def __init__(self, prefix, slots):
        self.prefix, self.slots = prefix, slots
        self.holder, self.waiting = {}, {}
        self.wrong = []

    def complain(self, event, text):
        self.wrong.append(f"revision {event.revision} (epoch {event.epoch}): {text}")

    def check_put(self, event, group):
        slot = event.key[len(self.prefix) + 2:]
        entry = entry_of(event.value)
        served = any(not other.put and other.key == self.prefix + "w/" + entry for other in group)
        if event.lease == 0:
            self.complain(event, f"slot {slot} has no lease")
        if not slot.isdigit() or int(slot) >= self.slots:
            self.complain(event, f"there is no slot {slot}")
        if served:
            first = min(self.waiting, key=self.waiting.get, default=None)
            if entry != first:
                self.complain(event, f"{entry} was served before {first}")
            if not any(other.put and other.key == self.prefix + "m/" + entry for other in group):
                self.complain(event, f"{entry} got no mail")
        elif slot in self.holder:
            self.complain(event, f"{entry} took slot {slot} from {self.holder[slot]}")
        elif self.waiting:
            self.complain(event, f"{entry} barged in, while {len(self.waiting)} waited")

    def apply(self, group):
        for event in group:
            if event.key.startswith(self.prefix + "s/") and event.put:
                self.check_put(event, group)
        for event in group:
            kind, name = event.key[len(self.prefix):len(self.prefix) + 1], event.key[len(self.prefix) + 2:]
            if not event.key.startswith(self.prefix) or kind not in "sw":
                continue
            state = self.holder if kind == "s" else self.waiting
            if event.put:
                state[name] = entry_of(event.value) if kind == "s" else event.create
            else:
                state.pop(name, None)


def history(events, prefix, slots, restored):
    """`restored` gives, for each epoch, the revision that it goes on from: keys made later are void."""
    wrong, pool, epoch, past = [], Pool(prefix, slots), 0, []
    for group in by_revision(events):
        if group[0].epoch != epoch:
            epoch = group[0].epoch
            past = [one for one in past if one[0].revision <= restored[epoch]]
            wrong += pool.wrong
            pool = Pool(prefix, slots)
            for one in past:
                pool.apply(one)
            pool.wrong = []
        pool.apply(group)
        past.append(group)
    return wrong + pool.wrong


def tokens(grants, events, prefix):
    wrong = []
    puts = {(event.epoch, event.revision, event.key) for event in events if event.put}
    seen = {}
    for grant in sorted(grants, key=lambda grant: grant.had):
        key = f"{prefix}s/{grant.slot:04}"
        if (grant.epoch, grant.token, key) not in puts:
            wrong.append(f"no put of that slot at that revision: {grant}")
        if (grant.epoch, grant.token) in seen:
            wrong.append(f"a token twice: {seen[grant.epoch, grant.token]} {grant}")
        seen[grant.epoch, grant.token] = grant
    for slot in {grant.slot for grant in grants}:
        own = sorted((grant for grant in grants if grant.slot == slot), key=lambda grant: grant.had)
        for one, other in zip(own, own[1:]):
            if one.epoch == other.epoch and other.token <= one.token and other.good > other.had:
                wrong.append(f"the tokens of slot {slot} do not grow: {one} {other}")
    return wrong


def tickets(grants):
    wrong = []
    for epoch in {grant.epoch for grant in grants}:
        own = [grant for grant in grants if grant.epoch == epoch]
        ended, last, at = sorted(own, key=lambda grant: grant.had), None, 0
        for grant in sorted(own, key=lambda grant: grant.asked):
            while at < len(ended) and ended[at].had < grant.asked:
                if last is None or ended[at].ticket > last.ticket:
                    last = ended[at]
                at += 1
            if last is not None and last.ticket >= grant.ticket:
                wrong.append(f"came later, with a smaller ticket: {last} {grant}")
        served = sorted(own, key=lambda grant: grant.ticket)
        for one, other in zip(served, served[1:]):
            if other.token < one.token:
                wrong.append(f"overtaken: {one} by {other}")
    return wrong


def decide(grants, events, prefix, slots, restored):
    return (holders(grants, slots) + history(events, prefix, slots, restored)
            + tokens(grants, events, prefix) + tickets(grants))
