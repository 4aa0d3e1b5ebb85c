// Where a command's output goes.
#pragma once
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace benchbench {

// Into the file at `path`, which is made new, or "-": standard output. StoreError where it could not be written.
void write_to(const std::string& path, const std::function<void(std::ostream&)>& write);
// Columns of the terminal that standard output is; nullopt where it is none, or a narrow one.
std::optional<unsigned> output_width();

}  // namespace benchbench
