#include "harness/config/source_text.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tuple>

#include "harness/core/utf8.h"

namespace benchbench::config {
namespace {

constexpr std::size_t kMaxDiagnostics = 100;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Returns the fault at the front of the rest of a line; "" where there is none.
std::string find_fault(std::string_view rest) {
  const auto c = static_cast<unsigned char>(rest.front());
  if (c == 0) return "a NUL byte: this is not a text file";
  if ((c < 0x20 && c != '\t') || c == 0x7f)
    return fmt::format("the control character 0x{:02x} is not allowed", c);
  return utf8_length(rest) > 0
             ? ""
             : fmt::format("the byte 0x{:02x} is not UTF-8: save the file as UTF-8", c);
}

bool check_line(const Source& source, int number, Diagnostics& diagnostics) {
  const std::string_view line = source.line(number);
  for (std::size_t i = 0; i < line.size(); i += utf8_length(line.substr(i)))
    if (std::string fault = find_fault(line.substr(i)); !fault.empty()) {
      diagnostics.add({&source, number, static_cast<int>(i) + 1, 1}, std::move(fault));
      return false;
    }
  return true;
}

bool check_indentation(const Source& source, int number, Diagnostics& diagnostics) {
  const std::string_view line = source.line(number);
  const std::size_t text = line.find_first_not_of(" \t");
  const std::size_t tab = line.find('\t');
  if (text == std::string_view::npos || line[text] == '#' || tab >= text) return true;
  diagnostics.add({&source, number, static_cast<int>(tab) + 1, 1},
                  "a tab in the indentation: YAML allows spaces only");
  return false;
}

// /dev/stdin, or what a shell's <(command) is: its writer is there.
bool is_descriptor(const std::string& path) {
  return path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") || path == "/dev/stdin";
}

struct CloseFile {
  void operator()(std::FILE* f) const noexcept {
    if (f != stdin) std::fclose(f);
  }
};

}  // namespace

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), lines_(split(text_)) {}

std::string_view Source::line(int number) const noexcept {
  return number >= 1 && number <= lines() ? lines_[number - 1] : std::string_view{};
}

void Diagnostics::add(const Span& at, std::string message) {
  if (!at.source) return add("the scenario", std::move(message));
  Diagnostic d{at.source->name(),
               at.line,
               at.column,
               std::move(message),
               std::string(at.source->line(at.line)),
               std::max(at.width, 1)};
  const auto same = [&](const Diagnostic& o) {
    return o.file == d.file && o.line == d.line && o.column == d.column && o.message == d.message &&
           o.excerpt == d.excerpt;
  };
  if (all_.size() < kMaxDiagnostics && std::ranges::none_of(all_, same))
    all_.push_back(std::move(d));
}

void Diagnostics::add(std::string_view file, std::string message) {
  all_.push_back({std::string(file), 0, 0, std::move(message), {}, 1});
}

void Diagnostics::throw_if_any() {
  if (all_.empty()) return;
  // The file before the command line's overlays, each by line.
  const auto place = [](const Diagnostic& d) {
    return std::tuple(d.file.starts_with("--"), d.file.starts_with("--") ? 0 : d.line,
                      d.file.starts_with("--") ? 0 : d.column);
  };
  std::ranges::stable_sort(
      all_, [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  throw ScenarioDiagnostics(std::move(all_));
}

namespace {

// Returns why the file is not one to read; "" where it is, or is not there.
std::string why_no_scenario(const std::string& path) {
  struct stat status{};
  if (path == "-" || stat(path.c_str(), &status) != 0) return "";
  if (S_ISDIR(status.st_mode)) return "is a folder; a scenario is a YAML file";
  if (is_descriptor(path)) return "";
  if (S_ISFIFO(status.st_mode))
    return "is a named pipe; a scenario is a file, or - for standard input";
  return S_ISCHR(status.st_mode) ? "is a device; a scenario is a YAML file" : "";
}

// Returns why it cannot be read, "" where `text` is what it holds.
std::string read_to(const std::string& path, std::string& text) {
  text.resize(kLargestFile + 1);
  const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin
                                                               : std::fopen(path.c_str(), "rb"));
  if (file) text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (!file || std::ferror(file.get()))
    return fmt::format("cannot be read: {}", std::strerror(errno));
  return text.size() > kLargestFile ? "is larger than 1 MiB, the limit for a scenario" : "";
}

}  // namespace

std::string read_scenario_text(const std::string& path, Diagnostics& diagnostics) {
  std::string text, why = why_no_scenario(path);
  if (why.empty()) why = read_to(path, text);
  if (why.empty()) return text;
  diagnostics.add(path, std::move(why));
  return {};
}

bool check_text(const Source& source, Diagnostics& diagnostics) {
  for (int n = 1; n <= source.lines(); ++n)
    if (!check_line(source, n, diagnostics) || !check_indentation(source, n, diagnostics))
      return false;
  return true;
}

}  // namespace benchbench::config
