# berth_gpu(): the kernels of `berth check --gpu`, one PTX file for each protocol, and two more for
# states of one word and of two. They are made by clang, if it knows the target; no CUDA toolkit is
# needed, nor a GPU. Without it, `berth check --gpu` says so and goes on with the CPU. They are 34 MB of
# text: a machine without a GPU does better without them.
option(BERTH_GPU "Make the kernels of `berth check --gpu`, where clang can" OFF)
set(BERTH_GPU_OPTIMIZE -O2 CACHE STRING "How they are optimized: -O0 is ten times as fast to compile")
mark_as_advanced(BERTH_GPU_OPTIMIZE)

function(berth_gpu)
  if(NOT BERTH_GPU)
    return()
  endif()
  find_program(BERTH_CLANG NAMES clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19)
  mark_as_advanced(BERTH_CLANG)
  set(targets "")
  if(BERTH_CLANG)
    execute_process(COMMAND "${BERTH_CLANG}" --print-targets OUTPUT_VARIABLE targets ERROR_QUIET)
  endif()
  if(NOT targets MATCHES "nvptx64")
    message(STATUS "no clang that knows nvptx64: no code for GPUs")
    return()
  endif()
  file(GLOB algorithms CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/protocol/*/*.c")
  file(GLOB parts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/protocol/*/*.inc"
    "${PROJECT_SOURCE_DIR}/src/protocol/*/*.h" "${PROJECT_SOURCE_DIR}/src/step/*.h"
    "${PROJECT_SOURCE_DIR}/src/check/*.h")
  set(folder "${PROJECT_BINARY_DIR}/share/berth/gpu")
  file(MAKE_DIRECTORY "${folder}")
  set(made)
  foreach(algorithm IN LISTS algorithms)
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/src/protocol" "${algorithm}")
    string(REGEX REPLACE "\\.c$" "" name "${name}")
    string(REPLACE "/" "_" name "${name}")
    file(STRINGS "${algorithm}" normal REGEX "^#define HAS_NORMAL")
    foreach(words any 1 2)
      set(output "${folder}/${name}.ptx")
      set(known)
      if(NOT words STREQUAL "any")
        if(normal)
          continue() # its states are large
        endif()
        set(output "${folder}/${name}.${words}.ptx")
        set(known -DSTEP_STATE_WORDS=${words})
      endif()
      add_custom_command(OUTPUT "${output}"
        COMMAND "${BERTH_CLANG}" --target=nvptx64-nvidia-cuda -march=sm_70 -Xclang -target-feature
          -Xclang +ptx63 -std=gnu17 ${BERTH_GPU_OPTIMIZE} -fno-unroll-loops -S -ffreestanding -nostdlibinc -w
          -DSTEP_MODEL -DSTEP_BARE -DSTEP_DEVICE ${known} "-I${PROJECT_SOURCE_DIR}/src" "${algorithm}" -o "${output}"
        DEPENDS "${algorithm}" ${parts} VERBATIM
        COMMENT "Compiling ${name} for GPUs")
      list(APPEND made "${output}")
    endforeach()
  endforeach()
  add_custom_target(berth_gpu_kernels ALL DEPENDS ${made})
  install(FILES ${made} DESTINATION "${BERTH_DATA_DIR}/gpu")
  set(BERTH_HAS_GPU ON PARENT_SCOPE)
endfunction()
