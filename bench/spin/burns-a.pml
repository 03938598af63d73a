/* Burns et al. 1982, Algorithm A: N+6 values, N processes, one test-and-set variable.
 *
 * A control point is a label; every transition is one d_step that makes one shared access and the local work
 * after it. A test that fails changes nothing and is left out: the process is blocked there instead. Where the
 * first test of the exit code fails, the process does leave its critical region: CRITICAL has a branch for it. */
#ifndef N
#define N 4
#endif
#if N < 2 || N > 8
#error N must be 2 to 8: the widths of the locals are for that
#endif

#define FREE	(N)		/* 0 .. N-1 are S0 .. S(N-1) */
#define ENTER	(N + 1)
#define ELECT	(N + 2)
#define COUNT	(N + 3)
#define ACK	(N + 4)
#define BYE	(N + 5)
#define isS	(V < FREE)

#define enter_critical	assert(!critical); critical = 1
#define leave_critical	critical = 0

byte V = FREE;
bit critical;			/* somebody is in the critical region: a function of the control points */

active [N] proctype P()
{
	/* Widths for N <= 8: with Spin's own 19 bits of process header they fit one 32-bit word. */
	unsigned main : 4, buff : 4, m : 4;

REMAINDER:
	if
	:: d_step { V == FREE -> V = 0; enter_critical }; goto CRITICAL
	:: d_step { isS -> V++ }; goto BUFFER
	:: d_step { V > FREE -> m = V; V = 1 }; goto HOLDING
	fi;
HOLDING:
	if
	:: d_step { V == 0 -> V = m; m = 0 }
	fi;
BUFFER:
	if
	:: d_step { V == ENTER -> V = ACK }
	fi;
MAINAREA:
	if
	:: d_step { V == ELECT -> V = ACK }
	fi;
RECEIVE:
	if
	:: d_step { isS && V > 0 -> buff = buff + V; V = 0 }; goto RECEIVE
	:: d_step { V == COUNT -> V = ACK; main++ }; goto RECEIVE
	:: d_step { V == BYE -> V = 0; enter_critical }; goto CRITICAL
	fi;
CRITICAL:
	if
	:: d_step { main == 0 && buff == 0 && V == 0 -> V = FREE; leave_critical }; goto REMAINDER
	:: d_step { main == 0 && buff == 0 && isS && V > 0 -> buff = V; V = 0; leave_critical }; goto SEND_ENTER
	:: d_step { main == 0 && buff > 0 && isS -> buff = buff + V - 1; main = 1; V = ENTER; leave_critical }; goto ENTERED
	:: d_step { main > 0 && isS -> buff = buff + V; main--; V = ELECT; leave_critical }; goto ELECTED
	:: d_step { !isS && main == 0 && buff == 0 -> leave_critical }; goto EXIT
	:: d_step { !isS && main == 0 && buff > 0 -> leave_critical }; goto SEND_ENTER
	:: d_step { !isS && main > 0 -> leave_critical }; goto SEND_ELECT
	fi;
EXIT:
	if
	:: d_step { V == 0 -> V = FREE }; goto REMAINDER
	:: d_step { isS && V > 0 -> buff = V; V = 0 }; goto SEND_ENTER
	fi;
SEND_ENTER:
	if
	:: d_step { isS -> buff = buff + V - 1; main++; V = ENTER }
	fi;
ENTERED:
	if
	:: d_step { isS && V > 0 -> buff = buff + V; V = 0 }; goto ENTERED
	:: d_step { V == ACK && buff > 0 -> V = 0 }; goto SEND_ENTER
	:: d_step { V == ACK && buff == 0 -> V = 0 }; goto SEND_ELECT
	fi;
SEND_ELECT:
	if
	:: d_step { isS -> buff = buff + V; main--; V = ELECT }
	fi;
ELECTED:
	if
	:: d_step { isS && V > 0 -> buff = buff + V; V = 0 }; goto ELECTED
	:: d_step { V == ACK && main > 0 -> V = 0 }; goto SEND_COUNT
	:: d_step { V == ACK && main == 0 && buff > 0 -> V = 0 }; goto SEND_BUFF
	:: d_step { V == ACK && main == 0 && buff == 0 -> V = 0 }; goto SEND_BYE
	fi;
SEND_COUNT:
	if
	:: d_step { V == 0 -> V = COUNT; main-- }
	fi;
COUNTED:
	if
	:: d_step { V == ACK && main > 0 -> V = 0 }; goto SEND_COUNT
	:: d_step { V == ACK && main == 0 && buff > 0 -> V = 0 }; goto SEND_BUFF
	:: d_step { V == ACK && main == 0 && buff == 0 -> V = 0 }; goto SEND_BYE
	fi;
SEND_BUFF:
	if
	:: d_step { V == 0 && buff > 1 -> V = 1; buff-- }; goto SEND_BUFF
	:: d_step { V == 0 && buff == 1 -> V = 1; buff = 0 }; goto SEND_BYE
	fi;
SEND_BYE:
	if
	:: d_step { V == 0 -> V = BYE }
	fi;
	goto REMAINDER
}
