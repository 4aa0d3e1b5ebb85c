#include "tests/places.h"

namespace benchbench::test {

std::string source_path(const std::string& below) { return BENCHBENCH_SOURCE_DIR "/" + below; }

std::string built_path(const std::string& below) { return BENCHBENCH_BUILD_DIR "/" + below; }

std::string program_path() { return built_path("bin/benchbench"); }

}  // namespace benchbench::test
