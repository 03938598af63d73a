# Hardening, of every program and library, whatever the distribution's flags are: position-independent programs,
# relocations that are read-only from the start, stack protectors, bounds in libc's functions, no jumps into the middle
# of a function. The test packages/hardening asks the files for them. Sanitizers have their own means.
#
# The steps of the protocols are left out, which are most of the time of a check, and read nothing that others wrote; so
# are the tests (berth_no_hardening).
include(CheckCCompilerFlag)

function(berth_hardening)
  if(BERTH_SANITIZE)
    return()
  endif()
  # What goes into a shared library is compiled with -fPIC, by its targets.
  set(flags "$<$<NOT:$<OR:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>,$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>>>:-fPIE>")
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "BERTH_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      list(APPEND flags ${flag})
    endif()
  endforeach()
  # It needs optimization.
  list(APPEND flags "$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>" "$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>")
  set(steps "$<OR:$<STREQUAL:$<TARGET_PROPERTY:NAME>,protocol_model>,$<STREQUAL:$<TARGET_PROPERTY:NAME>,protocol_native>>")
  list(TRANSFORM flags PREPEND "$<$<NOT:${steps}>:")
  list(TRANSFORM flags APPEND ">")
  add_compile_options(${flags})
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
  set(BERTH_HARDENING "${flags}" PARENT_SCOPE)
endfunction()

# berth_no_hardening(): for the targets of a folder, and of those below.
function(berth_no_hardening)
  foreach(property COMPILE_OPTIONS LINK_OPTIONS)
    get_directory_property(options ${property})
    list(REMOVE_ITEM options ${BERTH_HARDENING} -Wl,-z,relro,-z,now,-z,noexecstack)
    set_directory_properties(PROPERTIES ${property} "${options}")
  endforeach()
endfunction()

# berth_dynamic_program(target): links it as a position-independent program.
function(berth_dynamic_program target)
  if(NOT BERTH_SANITIZE)
    target_link_options(${target} PRIVATE -pie)
  endif()
endfunction()
