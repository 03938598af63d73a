# Builds everything with the sanitizers named in BERTH_SANITIZE; the first finding ends the program.
if(BERTH_SANITIZE)
  add_compile_options("-fsanitize=${BERTH_SANITIZE}" -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${BERTH_SANITIZE}")
  # The instrumentation itself makes gcc see uses of uninitialised values that are not there. The
  # release build, which has none, keeps the warning.
  list(APPEND BERTH_WARNINGS -Wno-maybe-uninitialized)
  if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    list(APPEND BERTH_WARNINGS -Wno-unknown-warning-option)
  endif()
endif()
