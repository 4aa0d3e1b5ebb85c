# benchbench_row(NAME COMMAND...): one row of ctest, measured by run/row.py. Rows with the largest budget start first, so that
# the run does not end with one core waiting for a long row.
function(benchbench_row name)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run/row.py ${name} ${ARGN})
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/run/budgets.tsv budget REGEX "^${name}\t")
  if(budget MATCHES "^[^\t]+\t([0-9.]+)\t")
    set_tests_properties(${name} PROPERTIES COST ${CMAKE_MATCH_1})
  endif()
endfunction()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/run/budgets.tsv)
