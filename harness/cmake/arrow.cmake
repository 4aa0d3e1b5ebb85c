# Arrow and Parquet as our own imported targets, for the module `arrow`. Debian has no package; the pyarrow wheel ships headers
# and libraries, which need nothing of python.
#
# Looked for, in this order: BENCHBENCH_ARROW_DIR (cache variable, else environment), arrow-*/pyarrow in the user's cache
# folder, the active python3's pyarrow. Either such a folder (include/, libarrow.so.N) or a prefix (include/, lib/libarrow.so.N).
# Sets BENCHBENCH_ARROW_FOUND, _VERSION, _FOLDER and, where there is none, _REASON; makes benchbench_parquet.
set(BENCHBENCH_ARROW_LEAST 15)
set(BENCHBENCH_ARROW_FOUND FALSE)
set(BENCHBENCH_ARROW_REASON "")

# Sets `version` and `libraries` (libparquet, libarrow by their full names) in the caller; "" where `folder` holds none.
function(benchbench_arrow_in folder)
  set(version "" PARENT_SCOPE)
  if(NOT EXISTS ${folder}/include/parquet/file_reader.h OR NOT EXISTS ${folder}/include/arrow/util/config.h)
    return()
  endif()
  # Only the major version and the patch level are in a soname: 26.0.1 is libarrow.so.2600.
  file(GLOB parquet ${folder}/libparquet.so.*[0-9] ${folder}/lib/libparquet.so.*[0-9])
  file(GLOB arrow ${folder}/libarrow.so.*[0-9] ${folder}/lib/libarrow.so.*[0-9])
  file(STRINGS ${folder}/include/arrow/util/config.h line REGEX "define ARROW_VERSION_STRING" LIMIT_COUNT 1)
  if(NOT parquet OR NOT arrow OR NOT line MATCHES "\"([0-9.]+)")
    return()
  endif()
  set(found ${CMAKE_MATCH_1})
  list(GET parquet 0 parquet)
  list(GET arrow 0 arrow)
  # Built with the old ABI of std::string it would fail at the last link, with a page of mangled names.
  file(STRINGS ${parquet} abi REGEX "OpenFileERKNSt7__cxx11" LIMIT_COUNT 1)
  if(NOT abi)
    return()
  endif()
  set(version ${found} PARENT_SCOPE)
  set(libraries ${parquet} ${arrow} PARENT_SCOPE)
endfunction()

macro(benchbench_find_arrow)
  set(arrow_named "${BENCHBENCH_ARROW_DIR}")
  if(NOT arrow_named)
    set(arrow_named "$ENV{BENCHBENCH_ARROW_DIR}")
  endif()
  if(arrow_named)
    set(arrow_folders "${arrow_named}")
  else()
    set(arrow_cache "$ENV{XDG_CACHE_HOME}")
    if(NOT arrow_cache)
      set(arrow_cache "$ENV{HOME}/.cache")
    endif()
    file(GLOB arrow_folders ${arrow_cache}/benchbench/arrow-*/pyarrow)
    list(SORT arrow_folders COMPARE NATURAL ORDER DESCENDING)
    execute_process(COMMAND python3 -c
"import os, sys
for p in sys.path:
    if p and os.path.exists(os.path.join(p, 'pyarrow', 'include', 'parquet')):
        print(os.path.join(p, 'pyarrow'))
        break" OUTPUT_VARIABLE arrow_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(APPEND arrow_folders ${arrow_python})
  endif()
  foreach(folder ${arrow_folders})
    benchbench_arrow_in(${folder})
    if(version AND version VERSION_GREATER_EQUAL BENCHBENCH_ARROW_LEAST)
      set(BENCHBENCH_ARROW_FOUND TRUE)
      set(BENCHBENCH_ARROW_FOLDER ${folder})
      set(BENCHBENCH_ARROW_VERSION ${version})
      set(BENCHBENCH_ARROW_LIBRARIES ${libraries})
      break()
    endif()
  endforeach()
  if(NOT BENCHBENCH_ARROW_FOUND)
    if(arrow_named)  # asked for by name: going on without it would be a silent fallback
      message(FATAL_ERROR "BENCHBENCH_ARROW_DIR: no Arrow of version ${BENCHBENCH_ARROW_LEAST} or newer with C++11 strings in ${arrow_named}")
    endif()
    set(BENCHBENCH_ARROW_REASON
        "Arrow was not found: pip install --no-deps --target ~/.cache/benchbench/arrow-26.0.1 pyarrow==26.0.1, or name it with BENCHBENCH_ARROW_DIR, then configure again")
  endif()
endmacro()

if(BENCHBENCH_SANITIZE)
  set(BENCHBENCH_ARROW_REASON "left out of sanitizer builds")
elseif(BENCHBENCH_ARROW STREQUAL "OFF")
  set(BENCHBENCH_ARROW_REASON "left out by BENCHBENCH_ARROW=OFF")
else()
  benchbench_find_arrow()
  if(BENCHBENCH_ARROW STREQUAL "ON" AND NOT BENCHBENCH_ARROW_FOUND)
    message(FATAL_ERROR "BENCHBENCH_ARROW=ON, but ${BENCHBENCH_ARROW_REASON}")
  endif()
endif()

if(BENCHBENCH_ARROW_FOUND)
  list(GET BENCHBENCH_ARROW_LIBRARIES 0 parquet_library)
  list(GET BENCHBENCH_ARROW_LIBRARIES 1 arrow_library)
  get_filename_component(BENCHBENCH_ARROW_RPATH ${parquet_library} DIRECTORY)
  add_library(benchbench_parquet INTERFACE)
  target_include_directories(benchbench_parquet SYSTEM INTERFACE ${BENCHBENCH_ARROW_FOLDER}/include)
  target_link_libraries(benchbench_parquet INTERFACE ${parquet_library} ${arrow_library})
endif()
