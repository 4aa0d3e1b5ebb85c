#include "harness/report/html/sort_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace benchbench {
namespace {

constexpr auto kUnits = std::to_array<std::pair<std::string_view, double>>({{"ns", 1e-9},
                                                                            {"us", 1e-6},
                                                                            {"ms", 1e-3},
                                                                            {"s", 1},
                                                                            {"min", 60},
                                                                            {"h", 3600},
                                                                            {"KiB", 0x1p10},
                                                                            {"MiB", 0x1p20},
                                                                            {"GiB", 0x1p30},
                                                                            {"TiB", 0x1p40},
                                                                            {"kB", 1e3},
                                                                            {"KB", 1e3},
                                                                            {"MB", 1e6},
                                                                            {"GB", 1e9},
                                                                            {"TB", 1e12},
                                                                            {"k", 1e3},
                                                                            {"M", 1e6},
                                                                            {"G", 1e9}});

double factor_of(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::string_view unit = rest.substr(0, rest.find_first_of(" )"));
  const auto found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  return found == kUnits.end() ? 1 : found->second;
}

}  // namespace

std::optional<double> sort_number(std::string_view cell) {
  if (cell.starts_with('(')) cell.remove_prefix(1);
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const std::size_t end = std::min(cell.find_first_not_of("-0123456789.,e"), cell.size());
  std::string digits(cell.substr(0, end));
  std::erase(digits, ',');
  double number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  return number * factor_of(cell.substr(end));
}

}  // namespace benchbench
