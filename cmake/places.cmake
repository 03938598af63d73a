# Where things are installed: the one definition, for what is installed and for the code that looks for
# it (src/os/places.h). Each of GNUInstallDirs' folders is below the prefix, or absolute.
include(GNUInstallDirs)
set(BERTH_PROGRAMS_DIR "${CMAKE_INSTALL_LIBEXECDIR}/berth")
set(BERTH_DATA_DIR "${CMAKE_INSTALL_DATADIR}/berth")
# Below the prefix, where systemd looks if that is /usr or /usr/local.
set(BERTH_TMPFILES_DIR "lib/tmpfiles.d" CACHE STRING "Where systemd-tmpfiles looks")
set(BERTH_SYSTEMD_DIR "lib/systemd/system" CACHE STRING "Where systemd looks for units")

# Without it nothing is found in the folder of the build, whose path is then in no program: for packages.
option(BERTH_FROM_BUILD "Programs can be run where they were built" ON)

# berth_places(): the library berth_places, which code asks.
function(berth_places)
  add_library(berth_places STATIC "${PROJECT_SOURCE_DIR}/src/os/places/places.c")
  target_include_directories(berth_places PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_compile_options(berth_places PRIVATE ${BERTH_WARNINGS})
  target_compile_definitions(berth_places PRIVATE
    "BERTH_PLACE_BUILD=\"$<$<BOOL:${BERTH_FROM_BUILD}>:${PROJECT_BINARY_DIR}>\""
    "BERTH_PLACE_PREFIX=\"${CMAKE_INSTALL_PREFIX}\""
    "BERTH_PLACE_COMMAND=\"${CMAKE_INSTALL_BINDIR}\""
    "BERTH_PLACE_LIBRARIES=\"${CMAKE_INSTALL_LIBDIR}\""
    "BERTH_PLACE_PROGRAMS=\"${BERTH_PROGRAMS_DIR}\""
    "BERTH_PLACE_DATA=\"${BERTH_DATA_DIR}\"")
  set_target_properties(berth_places PROPERTIES
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
endfunction()

# berth_absolute_dirs(): for install(CODE): absolute(RESULT FOLDER) there makes a folder absolute, by the
# prefix that is known then.
set(BERTH_ABSOLUTE "
  macro(absolute result folder)
    if(IS_ABSOLUTE \"\${folder}\")
      set(\${result} \"\${folder}\")
    else()
      set(\${result} \"\${CMAKE_INSTALL_PREFIX}/\${folder}\")
    endif()
  endmacro()")
