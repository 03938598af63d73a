# BERTH_WARNINGS: for every file. BERTH_PROTOCOL_WARNINGS: also for the protocol files, which keep
# their paper's labels even where nothing jumps to them, and which in the model expansion run from
# one access into the next through a case label.
set(BERTH_WARNINGS
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
  -Wpointer-arith -Wno-missing-field-initializers)
set(BERTH_PROTOCOL_WARNINGS -Wno-unused-label -Wno-implicit-fallthrough)

if(BERTH_DEV)
  list(APPEND BERTH_WARNINGS -Werror)
endif()
