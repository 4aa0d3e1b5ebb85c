#include "harness/app/input_output_error.h"

#include <fmt/format.h>

#include <filesystem>
#include <ios>

namespace benchbench {

std::optional<StoreError> input_output_error(const std::exception& thrown) {
  if (const auto* of_path = dynamic_cast<const std::filesystem::filesystem_error*>(&thrown)) {
    const std::string path = of_path->path1().string();
    return StoreError(path.empty() ? std::string(of_path->what())
                                   : fmt::format("{}: {}", path, of_path->code().message()));
  }
  if (const auto* of_stream = dynamic_cast<const std::ios_base::failure*>(&thrown))
    return StoreError(fmt::format("a file cannot be read or written: {}", of_stream->what()));
  return std::nullopt;
}

}  // namespace benchbench
