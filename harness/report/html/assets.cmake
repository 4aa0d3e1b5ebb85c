# The page's style and scripts as C++ text, with their SHA-256: page_assets.cpp. Included by ../CMakeLists.txt.
#
# Charts are drawn by D3 of Debian's node-d3, pinned: another one draws another page from the same run. Name another one with both
# -DBENCHBENCH_D3=FILE and -DBENCHBENCH_D3_SHA256=..., or fetch this one: apt-get install --no-install-recommends node-d3
set(BENCHBENCH_D3 /usr/share/nodejs/d3/dist/d3.min.js CACHE FILEPATH "D3 5, one file, for the HTML report")
set(BENCHBENCH_D3_SHA256 63cdc8691107d063922c58ece1b9b4eeb9fef305429a55d3d962eea0812f1e03 CACHE STRING "SHA-256 of BENCHBENCH_D3")
if(NOT EXISTS ${BENCHBENCH_D3})
  message(FATAL_ERROR "D3 for the HTML report was not found at ${BENCHBENCH_D3}: apt-get install --no-install-recommends node-d3, or name the file with -DBENCHBENCH_D3=FILE")
endif()
file(SHA256 ${BENCHBENCH_D3} d3_sha256)
if(NOT d3_sha256 STREQUAL BENCHBENCH_D3_SHA256)
  message(FATAL_ERROR "${BENCHBENCH_D3} has SHA-256 ${d3_sha256}, and not ${BENCHBENCH_D3_SHA256}: it is another D3. To use it, give -DBENCHBENCH_D3_SHA256=${d3_sha256}")
endif()

set(page_folder ${CMAKE_CURRENT_SOURCE_DIR}/html/assets)
set(page_out ${CMAKE_CURRENT_BINARY_DIR}/html)
file(STRINGS ${page_folder}/order.txt page_scripts REGEX "\\.js$")
list(TRANSFORM page_scripts PREPEND ${page_folder}/)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_folder}/order.txt ${BENCHBENCH_D3})
add_custom_command(
  OUTPUT ${page_out}/page_assets.cpp
  COMMAND ${CMAKE_COMMAND} "-DSCRIPTS=${page_scripts}" -DSTYLE=${page_folder}/page.css -DPATTERNS=${page_folder}/patterns.svg -DLICENCE=${page_folder}/d3_licence.txt -DD3=${BENCHBENCH_D3} -DOUT=${page_out}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/html/embed.cmake
  DEPENDS ${page_scripts} ${page_folder}/page.css ${page_folder}/patterns.svg ${page_folder}/d3_licence.txt ${BENCHBENCH_D3} ${CMAKE_CURRENT_SOURCE_DIR}/html/embed.cmake
  COMMENT "Embedding the HTML report's style and scripts"
  VERBATIM)
# Longer literals than the standard asks of every compiler.
set_source_files_properties(${page_out}/page_assets.cpp PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings SKIP_UNITY_BUILD_INCLUSION ON)
