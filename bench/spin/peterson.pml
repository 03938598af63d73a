/* Peterson's filter lock for N >= 2 processes.
 *
 * A control point is a label; every transition is one d_step that makes one shared access and the local work
 * after it. level[_pid] is the process's own register: reading it is local work, so the level that the process
 * is at needs no local of its own. k is the other process whose level is read next. */
#ifndef N
#define N 3
#endif
#if N < 2 || N > 8
#error N must be 2 to 8: the width of k is for that
#endif

#define first	(_pid == 0)		/* the first other process in ascending order */
#define final	(N - 1 - (_pid == N - 1))
#define after_k	(k + 1 + (k + 1 == _pid))

#define enter_critical	assert(!critical); critical = 1
#define leave_critical	critical = 0

byte level[N];
byte last[N - 1];		/* last[j - 1] belongs to level j */
bit critical;			/* somebody is in the critical region: a function of the control points */

active [N] proctype P()
{
	unsigned k : 3;

CLIMB:	/* with level[_pid] == 0 this is the remainder region */
	if
	:: d_step { level[_pid]++ }
	fi;
LAST:
	if
	:: d_step { last[level[_pid] - 1] = _pid; k = first }
	fi;
SCAN:
	if
	:: d_step { level[k] < level[_pid] && k != final -> k = after_k }; goto SCAN
	:: d_step { level[k] < level[_pid] && k == final && level[_pid] < N - 1 -> k = 0 }; goto CLIMB
	:: d_step { level[k] < level[_pid] && k == final && level[_pid] == N - 1 -> k = 0; enter_critical }; goto CRITICAL
	:: d_step { level[k] >= level[_pid] -> k = 0 }; goto SECOND
	fi;
SECOND:
	if
	:: d_step { last[level[_pid] - 1] == _pid -> k = first }; goto SCAN
	:: d_step { last[level[_pid] - 1] != _pid && level[_pid] < N - 1 }; goto CLIMB
	:: d_step { last[level[_pid] - 1] != _pid && level[_pid] == N - 1 -> enter_critical }; goto CRITICAL
	fi;
CRITICAL:
	if
	:: d_step { level[_pid] = 0; leave_critical }
	fi;
	goto CLIMB
}
