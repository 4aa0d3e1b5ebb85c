# libtorch as our own imported targets: find_package(Torch) asks for a CUDA toolkit and injects flags of its own.
#
# Looked for, in this order: BENCHBENCH_TORCH_DIR (cache variable, else environment), what scripts/benchbench put into
# the user's cache folder, the active python3's torch; that one before the cache folder's where there is a GPU, since
# what is put there has no libraries of CUDA. Sets BENCHBENCH_TORCH_FOUND, _VERSION, _FOLDER and, where there
# is none, _REASON; makes benchbench_torch_cpu. BENCHBENCH_TORCH_CUDA_REASON is "" where that torch has CUDA and headers
# of its run time are there; The target benchbench_torch_cuda_libraries is made then.
set(BENCHBENCH_TORCH_LEAST 2.7)  # since then the wheels have the C++11 ABI, which is ours
set(BENCHBENCH_TORCH_WANTED 2.11.0)
set(BENCHBENCH_TORCH_FOUND FALSE)
set(BENCHBENCH_TORCH_REASON "")
set(BENCHBENCH_TORCH_CUDA_REASON "")

# The version of the torch package in `folder`, "" where that holds none, without running or importing it.
function(benchbench_torch_version folder out)
  set(${out} "" PARENT_SCOPE)
  foreach(file lib/libtorch_cpu.so lib/libc10.so include/ATen/core/Tensor.h)
    if(NOT EXISTS ${folder}/${file})
      return()
    endif()
  endforeach()
  foreach(file version.py build-version)  # of the Python package, of a libtorch archive
    if(EXISTS ${folder}/${file})
      file(READ ${folder}/${file} text LIMIT 4096)
      if(text MATCHES "([0-9]+\\.[0-9]+\\.[0-9]+)")
        set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
endfunction()

function(benchbench_torch_of_python out)
  set(${out} "" PARENT_SCOPE)
  find_program(BENCHBENCH_PYTHON3 python3)
  mark_as_advanced(BENCHBENCH_PYTHON3)
  if(NOT BENCHBENCH_PYTHON3)
    return()
  endif()
  execute_process(COMMAND ${BENCHBENCH_PYTHON3} -c
"import os, sys
for p in sys.path:
    if p and os.path.exists(os.path.join(p, 'torch', 'version.py')):
        print(os.path.join(p, 'torch'))
        break" OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

# Sets BENCHBENCH_TORCH_FOUND, _FOLDER, _VERSION or _REASON.
macro(benchbench_find_torch)
  set(torch_named "${BENCHBENCH_TORCH_DIR}")
  if(NOT torch_named)
    set(torch_named "$ENV{BENCHBENCH_TORCH_DIR}")
  endif()
  if(torch_named)
    set(torch_folders "${torch_named}")
  else()
    set(torch_cache "$ENV{XDG_CACHE_HOME}")
    if(NOT torch_cache)
      set(torch_cache "$ENV{HOME}/.cache")
    endif()
    set(torch_folders "${torch_cache}/benchbench/torch-${BENCHBENCH_TORCH_WANTED}/torch")
    benchbench_torch_of_python(torch_python)
    find_program(BENCHBENCH_NVIDIA_SMI nvidia-smi)
    mark_as_advanced(BENCHBENCH_NVIDIA_SMI)
    if(BENCHBENCH_NVIDIA_SMI OR EXISTS /dev/nvidiactl OR EXISTS /proc/driver/nvidia/version OR EXISTS /dev/dxg)
      list(PREPEND torch_folders ${torch_python})
    else()
      list(APPEND torch_folders ${torch_python})
    endif()
  endif()

  set(torch_seen "")
  foreach(folder ${torch_folders})
    benchbench_torch_version(${folder} version)
    if(version AND version VERSION_GREATER_EQUAL BENCHBENCH_TORCH_LEAST)
      set(BENCHBENCH_TORCH_FOUND TRUE)
      set(BENCHBENCH_TORCH_FOLDER ${folder})
      set(BENCHBENCH_TORCH_VERSION ${version})
      break()
    elseif(version)
      list(APPEND torch_seen "${folder} (${version} is older than ${BENCHBENCH_TORCH_LEAST})")
    else()
      list(APPEND torch_seen "${folder}")
    endif()
  endforeach()
  if(NOT BENCHBENCH_TORCH_FOUND)
    list(JOIN torch_seen ", " torch_seen)
    set(BENCHBENCH_TORCH_REASON "libtorch not found: looked in ${torch_seen}")
    if(torch_named)  # asked for by name: going on without it would be a silent fallback
      message(FATAL_ERROR "BENCHBENCH_TORCH_DIR: no torch of version ${BENCHBENCH_TORCH_LEAST} or newer: ${torch_seen}")
    endif()
  endif()
endmacro()

if(BENCHBENCH_SANITIZE)
  set(BENCHBENCH_TORCH_REASON "left out of sanitizer builds")
elseif(BENCHBENCH_TORCH STREQUAL "OFF")
  set(BENCHBENCH_TORCH_REASON "left out by BENCHBENCH_TORCH=OFF")
else()
  benchbench_find_torch()
  if(BENCHBENCH_TORCH STREQUAL "ON" AND NOT BENCHBENCH_TORCH_FOUND)
    message(FATAL_ERROR "BENCHBENCH_TORCH=ON, but ${BENCHBENCH_TORCH_REASON}")
  endif()
endif()

if(BENCHBENCH_TORCH_FOUND)
  # A module fits exactly the torch it was built with: another version in the same place configures and builds anew.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${BENCHBENCH_TORCH_FOLDER}/version.py)
  foreach(name c10 torch_cpu c10_cuda torch_cuda)
    add_library(benchbench_${name} SHARED IMPORTED)
    set_target_properties(benchbench_${name} PROPERTIES IMPORTED_LOCATION ${BENCHBENCH_TORCH_FOLDER}/lib/lib${name}.so)
    target_include_directories(benchbench_${name} SYSTEM INTERFACE
                               ${BENCHBENCH_TORCH_FOLDER}/include
                               ${BENCHBENCH_TORCH_FOLDER}/include/torch/csrc/api/include)
  endforeach()
  target_link_libraries(benchbench_torch_cpu INTERFACE benchbench_c10)
  # The package that scripts/downloads.sh fetches with torch, else a toolkit.
  find_path(BENCHBENCH_CUDA_RUNTIME_HEADERS cuda_runtime_api.h NO_DEFAULT_PATH
            PATHS ${BENCHBENCH_TORCH_FOLDER}/../nvidia/cu13 ${BENCHBENCH_TORCH_FOLDER}/../nvidia/cuda_runtime
                  $ENV{CUDA_HOME} /usr/local/cuda
            PATH_SUFFIXES include)
  mark_as_advanced(BENCHBENCH_CUDA_RUNTIME_HEADERS)
  if(NOT EXISTS ${BENCHBENCH_TORCH_FOLDER}/lib/libtorch_cuda.so)
    set(BENCHBENCH_TORCH_CUDA_REASON "torch ${BENCHBENCH_TORCH_VERSION} in ${BENCHBENCH_TORCH_FOLDER} has no CUDA")
  elseif(NOT BENCHBENCH_CUDA_RUNTIME_HEADERS)
    set(BENCHBENCH_TORCH_CUDA_REASON "cuda_runtime_api.h was not found: the package nvidia-cuda-runtime brings it")
  endif()
  target_include_directories(benchbench_c10_cuda SYSTEM INTERFACE ${BENCHBENCH_CUDA_RUNTIME_HEADERS})
  add_library(benchbench_torch_cuda_libraries INTERFACE)
  target_link_libraries(benchbench_torch_cuda_libraries INTERFACE benchbench_torch_cuda benchbench_c10_cuda benchbench_torch_cpu)
else()
  set(BENCHBENCH_TORCH_CUDA_REASON "${BENCHBENCH_TORCH_REASON}")
endif()
