# libberth, shared and static, from one set of objects: the layers that a native pool runs on and
# nothing of the checker. That this is so, and that nothing but berth_* is visible from outside, is the
# business of the test cli/library.

# berth_library_layer(layer...): their objects go into libberth, so they are position-independent and
# export what BERTH_API says alone.
function(berth_library_layer)
  foreach(layer IN LISTS ARGN)
    get_target_property(type ${layer} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      set_target_properties(${layer} PROPERTIES
        POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
      set_property(GLOBAL APPEND PROPERTY BERTH_LIBRARY_LAYERS ${layer})
    endif()
  endforeach()
endfunction()

# berth_library(): the targets libberth and libberth-static, and what others find them by.
function(berth_library)
  get_property(layers GLOBAL PROPERTY BERTH_LIBRARY_LAYERS)
  set(objects)
  foreach(layer IN LISTS layers)
    list(APPEND objects "$<TARGET_OBJECTS:${layer}>")
  endforeach()

  # Nothing may be left undefined but libc: the linker says so, unless a sanitizer's runtime is to
  # come with the program. It is never unloaded: threads keep a key of it.
  # It alone can load other libraries: what is linked statically cannot.
  add_library(libberth SHARED ${objects} "${PROJECT_SOURCE_DIR}/src/store/loader/loader.c")
  target_compile_options(libberth PRIVATE ${BERTH_WARNINGS})
  target_include_directories(libberth PRIVATE
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  set_target_properties(libberth PROPERTIES C_VISIBILITY_PRESET hidden)
  set(map "${PROJECT_SOURCE_DIR}/src/pool/libberth.map")
  target_link_options(libberth PRIVATE -Wl,-z,nodelete "-Wl,--version-script=${map}")
  set_target_properties(libberth PROPERTIES LINK_DEPENDS "${map}")
  if(NOT BERTH_SANITIZE)
    target_link_options(libberth PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(libberth PROPERTIES
    VERSION "${PROJECT_VERSION}" SOVERSION "${BERTH_SOVERSION}" EXPORT_NAME berth)
  target_link_libraries(libberth PRIVATE berth_places)

  # In an archive every symbol that is not static could meet one of the program's. So the objects are
  # made into one, and what is hidden becomes its own.
  set(whole "${PROJECT_BINARY_DIR}/libberth.o")
  add_custom_command(OUTPUT "${whole}"
    COMMAND "${CMAKE_C_COMPILER}" -r -nostdlib -o "${whole}" ${objects}
    COMMAND "${CMAKE_OBJCOPY}" --localize-hidden "${whole}"
    DEPENDS ${layers} ${objects} COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Joining the objects of libberth.a")
  set_source_files_properties("${whole}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(libberth-static STATIC "${whole}")
  set_target_properties(libberth-static PROPERTIES EXPORT_NAME berth-static)

  foreach(library libberth libberth-static)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME berth LINKER_LANGUAGE C
      ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
    target_include_directories(${library} INTERFACE
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
      "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_link_libraries(${library} PRIVATE Threads::Threads)
  endforeach()
  _berth_library_install()
endfunction()

function(_berth_library_install)
  include(CMakePackageConfigHelpers)
  set(package "${CMAKE_INSTALL_LIBDIR}/cmake/berth")
  set(made "${PROJECT_BINARY_DIR}/package")

  install(FILES "${PROJECT_SOURCE_DIR}/include/berth.h" "${PROJECT_SOURCE_DIR}/bindings/cpp/berth.hpp"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(TARGETS libberth libberth-static EXPORT berth
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT berth NAMESPACE berth:: FILE berthTargets.cmake DESTINATION "${package}")

  write_basic_package_version_file("${made}/berthConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/berthConfig.cmake"
    "${made}/berthConfigVersion.cmake" DESTINATION "${package}")

  # The prefix is known for certain when it is installed, and not before.
  foreach(folder LIBDIR INCLUDEDIR)
    set(${folder} "${CMAKE_INSTALL_${folder}}")
    if(NOT IS_ABSOLUTE "${${folder}}")
      set(${folder} "\\\${prefix}/${${folder}}")
    endif()
  endforeach()
  install(CODE "
    set(PROJECT_VERSION \"${PROJECT_VERSION}\")
    set(LIBDIR \"${LIBDIR}\")
    set(INCLUDEDIR \"${INCLUDEDIR}\")
    configure_file(\"${PROJECT_SOURCE_DIR}/cmake/berth.pc.in\" \"${made}/berth.pc\" @ONLY)")
  install(FILES "${made}/berth.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
