# benchbench_folder(NAME [UNMEASURED] SOURCES a.cpp ... DEPENDS core part ... PRIVATE third::party ...)
# One folder, one static library benchbench_<NAME>, alias benchbench::<NAME>. Later benchbench_part() lines in the same
# CMakeLists.txt add to it. With BENCHBENCH_UNITY up to 8 of its files are compiled as one: names in their anonymous
# namespaces must differ, across nested namespaces too (an inner one would be taken in silence). Preset ci tests this.
# UNMEASURED: none of its code runs while a trial is measured. It is compiled at -O1, in two thirds of the time.
macro(benchbench_folder name)
  cmake_parse_arguments(arg "UNMEASURED" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(benchbench_${name} STATIC ${arg_SOURCES})
  add_library(benchbench::${name} ALIAS benchbench_${name})
  set_target_properties(benchbench_${name} PROPERTIES LINKER_LANGUAGE CXX UNITY_BUILD ${BENCHBENCH_UNITY}
                        UNITY_BUILD_BATCH_SIZE 8)
  list(TRANSFORM arg_DEPENDS PREPEND benchbench::)
  target_link_libraries(benchbench_${name} PUBLIC ${arg_DEPENDS} PRIVATE benchbench::flags ${arg_PRIVATE})
  target_include_directories(benchbench_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  if(arg_UNMEASURED)
    target_compile_options(benchbench_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  set(BENCHBENCH_FOLDER ${name})
endmacro()
