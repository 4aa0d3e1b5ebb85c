message(STATUS "benchbench ${PROJECT_VERSION}")
