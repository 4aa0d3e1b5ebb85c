#include "harness/app/preparation/csv_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

constexpr double kLongest = 86400;  // s: a day
constexpr std::string_view kAllowed = "allowed: a number from 0 to one day";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  text.remove_suffix(text.size() - std::min(text.find_last_not_of(blank) + 1, text.size()));
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return text;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    cells.push_back(trimmed(line.substr(from, comma - from)));
    from = comma + 1;
  }
  return cells;
}

// NaN and infinities are numbers here, so that they are told as such.
std::optional<double> number_in(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (cell.empty() || end != cell.data() + cell.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return cell.find("e-") == cell.npos ? HUGE_VAL : 0.0;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// Seconds a unit of the column named so.
double unit_of(std::string_view name) {
  const auto is = [&](std::string_view unit) {
    return name == unit || (name.size() > unit.size() && name.ends_with(unit) &&
                            name[name.size() - unit.size() - 1] == '_');
  };
  return is("ns") ? 1e-9 : is("us") ? 1e-6 : is("ms") ? 1e-3 : 1;
}

struct Line {
  std::size_t number = 0;  // from 1
  std::vector<std::string_view> cells;
};

// Blank lines at the end are none; elsewhere they lack a value.
std::vector<Line> lines_of(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<Line> lines;
  std::size_t number = 0, filled = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.starts_with('#')) continue;
    lines.push_back({number, cells_of(line)});
    if (!trimmed(line).empty()) filled = lines.size();
  }
  lines.resize(filled);
  return lines;
}

class Column {
 public:
  Column(const std::vector<Line>& lines, const std::string& path, const std::string& name)
      : path_(path) {
    const Line& first = lines.front();
    const bool headed =
        std::ranges::none_of(first.cells, [](auto cell) { return number_in(cell).has_value(); });
    if (headed) check_header(first);
    if (!name.empty())
      index_ = named(first, headed, name);
    else
      index_ = only_numbers(first, headed && lines.size() > 1 ? lines[1] : first, headed);
    if (headed && index_ < first.cells.size()) seconds_ = unit_of(first.cells[index_]);
    begin_ = headed ? 1 : 0;
  }
  std::size_t begin() const noexcept { return begin_; }

  std::int64_t ns(const Line& line) const {
    const std::string_view cell =
        index_ < line.cells.size() ? line.cells[index_] : std::string_view{};
    if (cell.empty()) refuse(line, "the value is missing");
    const auto value = number_in(cell);
    if (!value) refuse(line, fmt::format("\"{}\" is not a number", cell.substr(0, 40)));
    const double seconds = *value * seconds_;
    if (std::isnan(seconds) || seconds < 0 || seconds > kLongest)
      refuse(line, fmt::format("{} is not a valid time", cell.substr(0, 40)));
    return std::llround(seconds * 1e9);
  }

 private:
  [[noreturn]] void refuse(const Line& line, const std::string& what) const {
    throw ScenarioError(fmt::format("{}:{}: {}; {}", path_, line.number, what, kAllowed),
                        "one time per line; a column name ending in _ns, _us or _ms gives the "
                        "unit, otherwise it is seconds");
  }
  std::size_t named(const Line& first, bool headed, const std::string& name) const {
    std::vector<std::string> names;
    if (headed) names.assign(first.cells.begin(), first.cells.end());
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    throw ScenarioError(fmt::format("{}:{}: no column \"{}\"{}", path_, first.number, name,
                                    did_you_mean(name, names)),
                        headed ? fmt::format("its columns: {}", listed(names))
                               : "its first line has no column names");
  }
  // A first line without a number is one of names: "-1ms" is neither.
  void check_header(const Line& first) const {
    for (const std::string_view cell : first.cells)
      if (!cell.empty() && !std::isalpha(static_cast<unsigned char>(cell.front())) &&
          cell.front() != '_')
        refuse(first,
               fmt::format("\"{}\" is neither a number nor a column name", cell.substr(0, 40)));
  }
  std::size_t only_numbers(const Line& first, const Line& line, bool headed) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < line.cells.size(); ++i)
      if (number_in(line.cells[i])) found.push_back(i);
    if (found.size() < 2) return found.empty() ? 0 : found.front();
    std::vector<std::string> names;
    if (headed) names.assign(first.cells.begin(), first.cells.end());
    throw ScenarioError(
        fmt::format("{}:{}: {} columns contain numbers, and `column` does not select one", path_,
                    line.number, found.size()),
        headed ? fmt::format("its columns: {}", listed(names))
               : "add a first line with column names, or use a single column");
  }
  const std::string& path_;
  std::size_t index_ = 0, begin_ = 0;
  double seconds_ = 1;
};

}  // namespace

std::vector<std::int64_t> times_of_csv(std::string_view text, const std::string& path,
                                       const std::string& column) {
  const std::vector<Line> lines = lines_of(text);
  if (lines.empty())
    throw ScenarioError(fmt::format("{} contains no times", path),
                        "expected: one time per line, at least one");
  const Column of(lines, path, column);
  std::vector<std::int64_t> times;
  times.reserve(lines.size());
  for (std::size_t i = of.begin(); i < lines.size(); ++i) times.push_back(of.ns(lines[i]));
  if (times.empty())
    throw ScenarioError(fmt::format("{} contains only a line of column names", path),
                        "expected: one time per line, at least one");
  return times;
}

}  // namespace benchbench
