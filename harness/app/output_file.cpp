#include "harness/app/output_file.h"

#include <errno.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "harness/core/error.h"
#include "harness/core/parse_number.h"
#include "harness/core/visible_text.h"
#include "harness/report/text/display_text.h"
#include "harness/report/text/formats.h"

namespace benchbench {
namespace {
constexpr unsigned kPage = 80;
}

void write_to(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == "-") {
    write(std::cout);
    std::cout.flush();
    if (!std::cout) throw StoreError("standard output could not be written");
    return;
  }
  errno = 0;
  std::ofstream out(path);
  if (out) write(out);
  int why = errno;
  errno = 0;
  out.close();
  if (errno != 0) why = errno;  // of what was left to write: nothing else has happened since
  if (!out) output_failed(path, why);
}

void output_failed(const std::string& path, int number) {
  if (number == 0)
    throw StoreError(fmt::format("{} could not be written", path),
                     "does the folder exist, and is it writable and not full?");
  const char* hint = number == ENOENT   ? "make its folder first"
                     : number == ENOSPC ? "free some space, or write it elsewhere"
                                        : "";
  throw StoreError(fmt::format("{} could not be written: {}", path, strerrordesc_np(number)), hint);
}

void write_text(const std::string& text) {
  write_to("-", [&](std::ostream& out) { out << visible_lines(text); });
}

void write_report(const Arguments& arguments, const MakeText& text, const MakeText& json) {
  const std::string path = arguments.text("--json");
  if (arguments.flag("--json")) write_to(path, [&](std::ostream& out) { out << json(); });
  if (path != "-") write_text(text());
}

void replace_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (path == "-" || (fs::exists(path, failed) && !fs::is_regular_file(path, failed)))
    return write_to(path, write);
  const fs::path target =
      fs::is_symlink(path, failed) ? fs::canonical(path, failed) : fs::path(path);
  const std::string part = target.string() + ".part";
  // The file that a link leads to is not ours to write.
  if (fs::is_symlink(part, failed)) fs::remove(part, failed);
  try {
    write_to(part, write);
  } catch (const StoreError&) {
    fs::remove(part, failed);
    throw;
  }
  if (fs::rename(part, target, failed); !failed) return;
  const std::string why = failed.message();
  fs::remove(part, failed);
  throw StoreError(fmt::format("{} could not be put in place: {}", path, why));
}

std::optional<unsigned> output_width(std::FILE* out) {
  winsize size{};
  unsigned columns = ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  if (const char* set = std::getenv("COLUMNS"); columns == 0 && set)
    columns = parse_number<unsigned>(set).value_or(0);
  return columns == 0 ? std::nullopt : std::optional(std::max(columns, kLeastWidth));
}

unsigned page_width() { return std::min(kPage, output_width().value_or(kPage)); }

void print_fitted(std::FILE* out, const std::string& text) {
  const unsigned width = out == stdout ? page_width() : output_width(out).value_or(kPipeWidth);
  std::fputs(fitted(text, width).c_str(), out);
}

void print_fitted(const std::string& text) { print_fitted(stdout, text); }

}  // namespace benchbench
