# benchbench_check_areas(TESTS AREAS label/area... DATA label/folder... SOURCES files...): an error where a folder
# TESTS/<label>/<area> is in neither list, or a .cpp below TESTS is in none of the programs: what is built of a test run must be
# all there is. Looked at again at every build.
function(benchbench_check_areas tests)
  cmake_parse_arguments(arg "" "" "AREAS;DATA;SOURCES" ${ARGN})
  file(GLOB folders RELATIVE ${tests} CONFIGURE_DEPENDS LIST_DIRECTORIES true ${tests}/*/*)
  foreach(folder ${folders})
    if(IS_DIRECTORY ${tests}/${folder} AND NOT folder MATCHES "^fuzz/|/__pycache__$"
       AND NOT folder IN_LIST arg_AREAS AND NOT folder IN_LIST arg_DATA)
      message(FATAL_ERROR "tests/${folder} is not listed in tests/CMakeLists.txt: nothing would run what is in it")
    endif()
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${tests}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "^${tests}/fuzz/")
  foreach(source ${sources})
    if(NOT source IN_LIST arg_SOURCES)
      message(FATAL_ERROR "${source} is part of no test program: it is in no folder tests/<label>/<area> that "
                          "tests/CMakeLists.txt lists")
    endif()
  endforeach()
endfunction()

# The sources of an area, in `out`; an error where there is none.
function(benchbench_area_sources tests area out)
  file(GLOB sources CONFIGURE_DEPENDS ${tests}/${area}/*.cpp)
  if(NOT sources)
    message(FATAL_ERROR "tests/${area} is listed in tests/CMakeLists.txt, and has no .cpp")
  endif()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
