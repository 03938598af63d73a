/* Rivest and Pratt 1977, Figures 1 and 2: two processes that may die at any point and start again.
 *
 * A control point is a label; every transition is one d_step that makes one shared access and the local work
 * after it. A test that fails changes nothing and is left out: the process is blocked there instead. Death is one
 * step from anywhere but the remainder region, where the register is dead already. */
#ifndef N
#define N 2
#endif
#if N != 2
#error two processes only
#endif

#define DEAD	3			/* 0, 1, 2: arithmetic modulo 3 */
#define me	S[_pid]
#define other	S[1 - _pid]

#define enter_critical	assert(!critical); critical = 1
#define die	d_step { me = DEAD; u = 0 }; goto A

byte S[2] = DEAD;
bit critical;			/* somebody is in the critical region: a function of the control points */

active [2] proctype P()
{
	unsigned u : 2;

A:
	if
	:: d_step { u = other }
	fi;
B:
	if
	:: d_step { me = (u == DEAD -> 0 : (u + 1) % 3); u = 0 }; goto C
	:: die
	fi;
C:
	if
	:: d_step { u = other }; goto D
	:: die
	fi;
D:
	if
	:: d_step { me = (u == DEAD -> me : (u + 1) % 3); u = 0 }; goto E
	:: die
	fi;
E:
	if
	:: d_step { other == DEAD || other == (me + 1) % 3 || (_pid == 0 && other == me) -> enter_critical }; goto CRITICAL
	:: die
	fi;
CRITICAL:
	if
	:: d_step { me = DEAD; critical = 0 }; goto A	/* leaving and dying are the same store */
	fi
}
