/* Burns et al. 1982, Algorithm C: floor(N/2)+9 values, N processes, one test-and-set variable.
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

#define K	(N / 2)
#define FREE	(K + 1)		/* 0 .. K are S0 .. SK */
#define STOP	(K + 2)
#define ENTER	(K + 3)
#define ELECT	(K + 4)
#define COUNT	(K + 5)
#define ACK	(K + 6)
#define BYE	(K + 7)
#define GO	(K + 8)
#define isS	(V < FREE)

#define enter_critical	assert(!critical); critical = 1
#define leave_critical	critical = 0

byte V = FREE;
bit critical;			/* somebody is in the critical region: a function of the control points */

active [N] proctype P()
{
	/* Widths for N <= 8: with Spin's own 20 bits of process header they fill one 32-bit word. For that m holds
	 * the message less FREE; 0 stands for S0, no message. */
	unsigned main : 3, buff : 3, idlers : 3, m : 3;

REMAINDER:
	if
	:: d_step { V == FREE -> V = 0; enter_critical }; goto CRITICAL
	:: d_step { V < K -> V++ }; goto BUFFER
	:: d_step { V == K -> V = 0; buff = K }; goto EXECUTIVE
	:: d_step { V == STOP -> V = 1 }; goto IDLE
	:: d_step { V > STOP -> m = V - FREE; V = 1 }; goto HOLDING
	fi;
EXECUTIVE:
	if
	:: d_step { isS && buff + V > 1 -> buff = buff + V - 1; idlers++; V = STOP }; goto EXECUTIVE
	:: d_step { isS && buff + V == 1 -> buff = 0; idlers++; V = STOP }; goto STOPPED
	:: d_step { V == FREE -> V = 0; m = 0; enter_critical }; goto CRITICAL
	:: d_step { V > STOP -> m = V - FREE; V = 0 }; goto EXECUTIVE
	fi;
STOPPED:
	if
	:: d_step { V != STOP && m != 0 }; goto RESTORE
	:: d_step { V != STOP && m == 0 }; goto ANNOUNCE
	fi;
RESTORE:
	if
	:: d_step { V == 0 -> V = m + FREE; m = 0 }
	fi;
ANNOUNCE:
	if
	:: d_step { V == FREE -> V = 0; enter_critical }; goto CRITICAL
	:: d_step { isS -> V++ }; goto BUFFER
	:: d_step { V > FREE -> m = V - FREE; V = 1 }; goto HOLDING
	fi;
HOLDING:
	if
	:: d_step { V == 0 -> V = m + FREE; m = 0 }; goto BUFFER
	:: d_step { V == STOP -> V = m + FREE; m = 0 }; goto IDLE
	fi;
BUFFER:
	if
	:: d_step { V == ENTER -> V = ACK }; goto MAINAREA
	:: d_step { V == STOP -> V = 0 }; goto IDLE
	fi;
IDLE:
	if
	:: d_step { V == GO -> V = ACK }
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
	:: d_step { idlers > 0 && isS -> buff = buff + V; idlers--; main++; V = GO; leave_critical }; goto GONE
	:: d_step { idlers == 0 && main == 0 && buff == 0 && V == 0 -> V = FREE; leave_critical }; goto REMAINDER
	:: d_step { idlers == 0 && main == 0 && buff == 0 && isS && V > 0 -> buff = V; V = 0; leave_critical }; goto SEND_ENTER
	:: d_step { idlers == 0 && main == 0 && buff > 0 && isS -> buff = buff + V - 1; main = 1; V = ENTER; leave_critical }; goto ENTERED
	:: d_step { idlers == 0 && main > 0 && isS -> buff = buff + V; main--; V = ELECT; leave_critical }; goto ELECTED
	:: d_step { !isS && idlers > 0 -> leave_critical }; goto SEND_GO
	:: d_step { !isS && idlers == 0 && main == 0 && buff == 0 -> leave_critical }; goto EXIT
	:: d_step { !isS && idlers == 0 && main == 0 && buff > 0 -> leave_critical }; goto SEND_ENTER
	:: d_step { !isS && idlers == 0 && main > 0 -> leave_critical }; goto SEND_ELECT
	fi;
SEND_GO:
	if
	:: d_step { isS -> buff = buff + V; idlers--; main++; V = GO }
	fi;
GONE:
	if
	:: d_step { isS && V > 0 -> buff = buff + V; V = 0 }; goto GONE
	:: d_step { V == ACK && idlers > 0 -> V = 0 }; goto SEND_GO
	:: d_step { V == ACK && idlers == 0 -> V = 0 }; goto SEND_ELECT
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
