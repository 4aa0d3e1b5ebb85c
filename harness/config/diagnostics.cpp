#include <fmt/format.h>

#include <algorithm>

#include "harness/config/scenario_file.h"
#include "harness/core/visible_text.h"

namespace benchbench {
namespace {

constexpr std::size_t kWidest = 160;  // bytes of an excerpt shown

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Characters, not bytes: a terminal's columns for everything but wide scripts.
std::size_t characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

// A line that fits: cut around `column` (bytes, from 0), which moves along.
std::string fitted(std::string_view line, std::size_t& column) {
  if (line.size() <= kWidest) return std::string(line);
  std::size_t first = column > kWidest / 2 ? column - kWidest / 2 : 0;
  while (first > 0 && continues(line[first])) --first;
  std::size_t end = std::min(line.size(), first + kWidest);
  while (end < line.size() && continues(line[end])) ++end;
  column -= first;
  std::string cut{first > 0 ? "..." : ""};
  column += cut.size();
  return cut.append(line.substr(first, end - first)).append(end < line.size() ? "..." : "");
}

std::string place(const Diagnostic& d) {
  return d.line > 0 ? fmt::format("{}:{}:{}", visible(d.file), d.line, d.column) : visible(d.file);
}

std::string one_line(const Diagnostic& d) {
  return fmt::format("{}: error: {}", place(d), visible(d.message));
}

std::string first_line(const std::vector<Diagnostic>& all) {
  if (all.empty()) return "the scenario is not valid";
  return all.size() == 1 ? one_line(all[0])
                         : fmt::format("{} (and {} more)", one_line(all[0]), all.size() - 1);
}

// Returns blanks as wide as the text: its tabs stay, other characters become spaces.
std::string padding_to(std::string_view text) {
  std::string pad;
  for (const char c : text)
    if (!continues(c)) pad += c == '\t' ? '\t' : ' ';
  return pad;
}

std::string drawn(const Diagnostic& d) {
  if (d.line <= 0) return {};
  std::size_t column = std::min<std::size_t>(d.column > 0 ? d.column - 1 : 0, d.excerpt.size());
  const std::string before = visible_lines(d.excerpt.substr(0, column)),
                    after = visible_lines(d.excerpt.substr(column));
  column = before.size();
  const std::string shown = fitted(before + after, column);
  const std::string pad = padding_to(std::string_view(shown).substr(0, column));
  const std::size_t room = characters(std::string_view(shown).substr(column));
  const auto width = std::min<std::size_t>(std::max(d.width, 1), std::max<std::size_t>(room, 1));
  return fmt::format("    {}\n    {}^{}\n", shown, pad, std::string(width - 1, '~'));
}

}  // namespace

ScenarioDiagnostics::ScenarioDiagnostics(std::vector<Diagnostic> all)
    : ScenarioError(first_line(all)), all_(std::move(all)) {}

std::string ScenarioDiagnostics::text() const {
  std::string text;
  for (const Diagnostic& d : all_) text += one_line(d) + "\n" + drawn(d);
  return text;
}

}  // namespace benchbench
