// Text that diagnostics point into: a scenario file, or one --set or --sweep as given.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/config/scenario_file.h"

namespace benchbench::config {

class Source {
 public:
  Source(std::string name, std::string text);
  Source(const Source&) = delete;
  const std::string& name() const noexcept { return name_; }
  const std::string& text() const noexcept { return text_; }
  // Line `number` from 1, without its end; empty beyond the last.
  std::string_view line(int number) const noexcept;
  int lines() const noexcept { return static_cast<int>(lines_.size()); }

 private:
  std::string name_;
  std::string text_;
  std::vector<std::string_view> lines_;
};

// A stretch of one line. `source` outlives it.
struct Span {
  const Source* source = nullptr;
  int line = 1, column = 1, width = 1;  // bytes, from 1
};

// What is wrong, gathered so that all of it is told at once.
class Diagnostics {
 public:
  void add(const Span& at, std::string message);
  template <class First, class... Rest>
  void add(const Span& at, fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest) {
    add(at, fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  // Where no line can be shown.
  void add(std::string_view file, std::string message);
  bool empty() const noexcept { return all_.empty(); }
  std::size_t count() const noexcept { return all_.size(); }
  // Throws ScenarioDiagnostics with what was gathered, in order of place; returns where there is
  // nothing.
  void throw_if_any();

 private:
  std::vector<Diagnostic> all_;
};

// Adds what was decided on the user's behalf, in words.
template <class... Values>
void note(std::vector<std::string>& decisions, fmt::format_string<Values...> text,
          Values&&... values) {
  decisions.push_back(fmt::format(text, std::forward<Values>(values)...));
}

inline constexpr std::size_t kLargestFile = 1 << 20;

// The file's text, at most kLargestFile; "-" is stdin. Adds a diagnostic and returns "" where it
// cannot be read; a named pipe is refused, since its writer may never come.
std::string read_scenario_text(const std::string& path, Diagnostics& diagnostics);

// What no scenario holds: NUL and other control characters, bytes that are not UTF-8, tabs in
// indentation. False where the text should not be parsed at all.
bool check_text(const Source& source, Diagnostics& diagnostics);

}  // namespace benchbench::config
