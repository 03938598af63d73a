/* Burns et al. 1982, Theorem 3.1: two values, N processes, one test-and-set variable.
 *
 * A control point is a label; every transition is one d_step that makes one shared access and the local work
 * after it. A test that fails changes nothing and is left out: the process is blocked there instead. */
#ifndef N
#define N 4
#endif

bit V;
bit critical;			/* somebody is in the critical region: a function of the control points */

active [N] proctype P()
{
REMAINDER:
	if
	:: d_step { V == 0 -> V = 1; assert(!critical); critical = 1 }; goto CRITICAL
	:: d_step { V == 1 }; goto TRYING
	fi;
TRYING:
	if
	:: d_step { V == 0 -> V = 1; assert(!critical); critical = 1 }
	fi;
CRITICAL:
	if
	:: d_step { V = 0; critical = 0 }
	fi;
	goto REMAINDER
}
