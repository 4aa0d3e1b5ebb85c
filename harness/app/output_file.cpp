#include "harness/app/output_file.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "harness/core/error.h"

namespace benchbench {

void write_to(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == "-") {
    write(std::cout);
    std::cout.flush();
    if (!std::cout) throw StoreError("standard output could not be written");
    return;
  }
  std::ofstream out(path);
  if (out) write(out);
  out.close();
  if (!out)
    throw StoreError(fmt::format("{} could not be written", path),
                     "does the folder exist, and is it writable and not full?");
}

std::optional<unsigned> output_width() {
  constexpr unsigned short kNarrowest = 60;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < kNarrowest) return std::nullopt;
  return size.ws_col;
}

}  // namespace benchbench
