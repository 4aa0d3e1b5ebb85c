// Where the tests find the sources and what was built. These paths stand in one object file: all
// others are the same in each checkout, so that a second one finds them in the compiler's cache.
#pragma once
#include <string>

namespace benchbench::test {

// Returns the absolute path of "configs/resnet.yaml", say, below the root of the sources.
std::string source_path(const std::string& below);

// Returns the absolute path of "stub_cuda/libcuda.so.1", say, below the build folder.
std::string built_path(const std::string& below);

// Returns the absolute path of the program.
std::string program_path();

}  // namespace benchbench::test
