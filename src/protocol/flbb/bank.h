/* The beginning of the bank reduction (bank.inc); TRANSFORMED is defined already. */
#define MORE_CELLS(cell, cells, registers) \
    cell(count, l + 1 + (params->variant == BANK_HASTY)) /* COUNT; Burns et al. have another */
#define HAS_LOCK
enum { BANK_ITSELF, BANK_HASTY, BANK_KEEPS };
