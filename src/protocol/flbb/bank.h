/* The beginning of the bank reduction (bank.inc); TRANSFORMED is defined already. */
#define MORE_CELLS(cell, cells, registers) \
    cell(count, l + 1 + (params->variant == BANK_HASTY)) /* COUNT; Burns et al. have another */
#define HAS_LOCK
#ifdef STEP_RULES
/* S has let somebody in who has not got its copy yet. */
#define BANK_ON_ITS_WAY (OTHER_IN(CRITICAL) || OTHER_IN(EXIT))
#define ENTRIES (ENTRIES_SO_FAR + ONE(RETURNED_SINCE && BANK_ON_ITS_WAY))
#define RETURNED ((RETURNED_SINCE && !BANK_ON_ITS_WAY) || OTHER_TRANSFORMED_IN(CRITICAL))
/* A process with a copy is in S's remainder, and has to give it back before it tries again. */
#define YET_TO_COME (TRANSFORMED_IN(REMAINDER) + 2 * TRANSFORMED_IN(CRITICAL))
#endif
enum { BANK_ITSELF, BANK_HASTY, BANK_KEEPS };
