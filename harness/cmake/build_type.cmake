# How code is compiled: one place for the standard, warnings, sanitizers, the compiler cache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)  # modules lie beside the program that loads them
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(BENCHBENCH_CCACHE ccache)
if(BENCHBENCH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the checkout count from its root, so that one checkout finds what another compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${BENCHBENCH_CCACHE})
endif()

# Flags of our own code only: third-party headers come in as SYSTEM.
add_library(benchbench_flags INTERFACE)
add_library(benchbench::flags ALIAS benchbench_flags)
target_include_directories(benchbench_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(benchbench_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                       $<$<BOOL:${BENCHBENCH_WERROR}>:-Werror>
                       # GCC 12 at -O3 sees an overlap in every "literal" + std::string (its bug 105651).
                       $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>)
if(BENCHBENCH_SANITIZE)
  add_compile_options(-fsanitize=${BENCHBENCH_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BENCHBENCH_SANITIZE})
  add_compile_definitions(BENCHBENCH_SANITIZED=1)
endif()

# The seam's id: its headers and the compiler. A module built against other headers is refused when loaded.
file(GLOB seam_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/harness/part/*.h ${CMAKE_SOURCE_DIR}/harness/core/*.h
     ${CMAKE_SOURCE_DIR}/scenarios/trainers/torch_device.h)
set(seam_text "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
foreach(header ${seam_headers})
  file(SHA256 ${header} hash)
  string(APPEND seam_text " ${hash}")
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${seam_headers})
string(SHA256 seam_hash "${seam_text}")
string(SUBSTRING ${seam_hash} 0 16 BENCHBENCH_SEAM)
