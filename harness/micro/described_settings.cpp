#include "harness/micro/described_settings.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/parse_number.h"

namespace benchbench::micro {
namespace {

template <class Number>
Number number_from(const std::string& text) {
  Number number{};
  if (!read_number(text, number)) throw PartError(fmt::format("'{}' is not a number", text));
  return number;
}

template <class Quantity>
Quantity quantity_from(const std::string& text, const std::optional<Quantity>& quantity) {
  if (!quantity) throw PartError(fmt::format("cannot parse '{}'", text));
  return *quantity;
}

}  // namespace

DescribedSettings::DescribedSettings(const PartDescription& description, const Given& given)
    : part_(description.name) {
  for (const Parameter& parameter : description.parameters)
    values_[std::string(parameter.key)] = parameter.standard;
  for (const auto& [key, value] : given) {
    if (!values_.contains(key)) throw PartError(fmt::format("{} has no parameter {}", part_, key));
    values_[key] = value;
  }
  for (const auto& [key, value] : values_)
    if (value.empty()) throw PartError(fmt::format("{} needs a value for {}", part_, key));
}

bool DescribedSettings::has(std::string_view key) const noexcept {
  const auto found = values_.find(key);
  return found != values_.end() && found->second != "none";
}

const std::string& DescribedSettings::at(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) throw PartError(fmt::format("{} has no parameter {}", part_, key));
  return found->second;
}

std::int64_t DescribedSettings::integer(std::string_view key) const {
  return number_from<std::int64_t>(at(key));
}
double DescribedSettings::real(std::string_view key) const { return number_from<double>(at(key)); }
Nanoseconds DescribedSettings::duration(std::string_view key) const {
  return quantity_from(at(key), parse_duration(at(key)));
}
Bytes DescribedSettings::bytes(std::string_view key) const {
  return quantity_from(at(key), parse_bytes(at(key)));
}
double DescribedSettings::rate(std::string_view key) const {
  const auto rate = parse_rate(at(key));
  return quantity_from(at(key), rate ? rate : parse_bandwidth(at(key)));
}

}  // namespace benchbench::micro
