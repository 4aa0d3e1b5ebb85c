#include "harness/config/value_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "harness/config/unit_hint.h"
#include "harness/core/spelling.h"
#include "harness/dataset/dataset_need.h"
#include "harness/record/external_keys.h"
#include "harness/record/setting_keys.h"
#include "harness/record/trial.h"

namespace benchbench::config {
namespace {

// Thrown with what to say under the value; caught in check_value.
struct Refused {
  std::string message;
};

std::string shown(std::string_view text) {
  return text.size() <= 60 ? fmt::format("\"{}\"", text)
                           : fmt::format("\"{}...\"", text.substr(0, 57));
}

std::optional<std::int64_t> whole(std::string_view text, int base = 10) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

bool is_beyond_64_bits(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

bool is_number(ParameterType type) {
  return type != ParameterType::boolean && type != ParameterType::text &&
         type != ParameterType::choice;
}

// YAML 1.1 reads 010 as 8, YAML 1.2 as 10, yaml-cpp as either: 0o10 is taken, 010 is not.
std::string without_octal(const std::string& text, ParameterType type) {
  if (!is_number(type)) return text;
  if (type == ParameterType::integer && text.starts_with("0o"))
    if (const auto n = whole(std::string_view(text).substr(2), 8)) return std::to_string(*n);
  const std::size_t first = text.find_first_not_of("+-");
  if (first == std::string::npos || text[first] != '0' || first + 1 >= text.size()) return text;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
  if (end - first < 2) return text;
  const std::string digits = text.substr(first, end - first);
  const std::size_t significant = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  throw Refused{fmt::format(
      "{} is ambiguous, since some parsers read it as octal: write {} or 0o{}", text,
      digits.substr(significant), digits.substr(significant), digits.substr(significant))};
}

double number_in(const Value& value) {
  if (const auto* n = std::get_if<std::int64_t>(&value.held)) return static_cast<double>(*n);
  const auto* x = std::get_if<double>(&value.held);
  return x ? *x : 0;
}

std::string limit_text(double limit, ParameterType type) {
  const bool whole_units = type == ParameterType::integer || type == ParameterType::duration ||
                           type == ParameterType::bytes;
  if (whole_units && std::abs(limit) < 9.2e18)
    return Value{type, static_cast<std::int64_t>(limit)}.text();
  return Value{type, limit}.text();
}

std::string range_text(const Parameter& p) {
  const bool low = std::isfinite(p.min), high = std::isfinite(p.max);
  if (low && high)
    return fmt::format("{} to {}", limit_text(p.min, p.type), limit_text(p.max, p.type));
  return low ? fmt::format("at least {}", limit_text(p.min, p.type))
             : fmt::format("at most {}", limit_text(p.max, p.type));
}

bool is_infinite(std::string_view text, ParameterType type) {
  return (type == ParameterType::rate && is_infinite_rate(text)) ||
         (type == ParameterType::bandwidth && is_infinite_bandwidth(text));
}

void check_range(const Value& value, const Parameter& p) {
  if (!is_number(p.type) || value.none()) return;
  const double x = number_in(value);
  if (x >= p.min && x <= p.max) return;
  throw Refused{fmt::format("{} is out of range; allowed: {}", value.text(), range_text(p))};
}

void check_choice(const std::string& text, const Parameter& p) {
  if (p.choices.empty() || std::find(p.choices.begin(), p.choices.end(), text) != p.choices.end())
    return;
  const std::vector<std::string> choices(p.choices.begin(), p.choices.end());
  throw Refused{fmt::format("{} is not allowed{} Allowed: {}", shown(text),
                            did_you_mean(text, choices).empty() ? "." : did_you_mean(text, choices),
                            listed(choices))};
}

void check_part(const std::string& text, PartKind kind, const Catalog& catalog) {
  if (catalog.find(kind, text)) return;
  const std::vector<std::string> names = catalog.names(kind);
  const std::string near = nearest_part(kind, text, catalog);
  const bool has_keys = near != text && !catalog.find(kind, near)->description->parameters.empty();
  throw Refused{fmt::format(
      "unknown {} {}{} Allowed: {}{}", kind == PartKind::sample_format ? "format" : name_of(kind),
      shown(text), near == text ? "." : fmt::format("; did you mean {}?", near), listed(names),
      has_keys ? fmt::format(". Its keys are checked as those of {}", near) : "")};
}

Value device_value(const std::string& text) {
  if (text == "cpu" || text == "auto" || text == "emulated") return {ParameterType::text, text};
  if (text == "cuda") return {ParameterType::text, std::string("cuda:0")};
  const auto number =
      text.starts_with("cuda:") ? whole(std::string_view(text).substr(5)) : std::nullopt;
  if (!number || *number < 0 || *number > 1023 || text != fmt::format("cuda:{}", *number))
    throw Refused{
        fmt::format("{} is not a device. Allowed: cpu, cuda:N, emulated, auto", shown(text))};
  return {ParameterType::text, text};
}

Value threads_value(const std::string& text) {
  if (text == "auto") return {ParameterType::text, text};
  const auto n = whole(without_octal(text, ParameterType::integer));
  if (!n) throw Refused{fmt::format("{} is neither a whole number nor auto", shown(text))};
  if (*n < 1 || *n > 4096)
    throw Refused{fmt::format("{} is out of range; allowed: 1 to 4096, or auto", *n)};
  return {ParameterType::integer, *n};
}

Value warmup_value(const std::string& text) {
  if (text == "until_steady") return {ParameterType::text, text};
  const auto time = parse_duration(text);
  if (!time || time->count() < 0)
    throw Refused{fmt::format("{} is neither until_steady nor a duration such as 500ms{}",
                              shown(text), unit_hint(ParameterType::duration, text))};
  return {ParameterType::text, duration_text(*time)};
}

Value checkpoint_bytes_value(const std::string& text) {
  if (text == "model") return {ParameterType::text, text};
  const auto bytes = parse_bytes(text);
  if (!bytes || bytes->value == 0)
    throw Refused{fmt::format("{} is neither model nor a size such as 64MiB{}", shown(text),
                              unit_hint(ParameterType::bytes, text))};
  return {ParameterType::text, bytes_text(*bytes)};
}

// Modes in their usual order, whatever the order written, so that equal choices have equal text.
Value modes_value(const std::vector<std::string>& words) {
  const std::vector<std::string> all{"loader", "trainer", "pipeline"};
  for (const std::string& w : words)
    if (!from_name<Mode>(w))
      throw Refused{fmt::format("{} is not a mode{} Allowed: {}", shown(w),
                                did_you_mean(w, all).empty() ? "." : did_you_mean(w, all),
                                listed(all))};
  std::string text;
  for (const std::string& mode : all)
    if (std::find(words.begin(), words.end(), mode) != words.end())
      text += (text.empty() ? "" : ",") + mode;
  if (text.empty()) throw Refused{"no mode is selected. Allowed: loader, trainer, pipeline"};
  return {ParameterType::text, text};
}

std::vector<std::string> words_of(const YamlNode& node) {
  std::vector<std::string> words;
  if (node.scalar()) {
    for (std::size_t from = 0; from <= node.text.size();) {
      const std::size_t comma = std::min(node.text.find(',', from), node.text.size());
      std::string word = node.text.substr(from, comma - from);
      word.erase(0, word.find_first_not_of(' '));
      words.push_back(word.substr(0, word.find_last_not_of(' ') + 1));
      from = comma + 1;
    }
  }
  for (const YamlNode& item : node.items) words.push_back(item.text);
  return words;
}

Value shuffle_value(const std::string& text) {
  if (text == "true") return {ParameterType::text, std::string("random")};
  if (text == "false") return {ParameterType::text, std::string("sequential")};
  throw Refused{
      fmt::format("{} is not true or false; for other orders write access: {}", shown(text), text)};
}

Value typed_value(const std::string& text, const Parameter& p) {
  if (text == "auto" && p.type != ParameterType::text &&
      (p.standard == "auto" || p.key == "max_jobs"))
    return {ParameterType::text, text};
  std::string why;
  if (is_infinite(text, p.type))
    throw Refused{fmt::format("{} is out of range; allowed: {}", text, range_text(p))};
  auto value = Value::parse(p.type, without_octal(text, p.type), &why);
  if (!value && p.type == ParameterType::integer && is_beyond_64_bits(text))
    throw Refused{fmt::format(
        "{} is out of range; allowed: {}", shown(text),
        std::isfinite(p.min) || std::isfinite(p.max) ? range_text(p) : "what fits 64 bits")};
  if (!value)
    throw Refused{fmt::format("{} is not {}{}", shown(text), why, unit_hint(p.type, text))};
  if (value->none() && p.standard != "none")
    throw Refused{p.standard.empty()
                      ? std::string("none is not allowed: a value is required")
                      : fmt::format("none is not allowed; the default is {}", p.standard)};
  check_range(*value, p);
  if (p.type == ParameterType::choice) check_choice(text, p);
  return *value;
}

// Of whatever type YAML gives it; none is "not given", as everywhere.
Value free_value(const YamlNode& node) {
  if (node.quoted) return {ParameterType::text, node.text};
  if (node.text == "none") return {};
  const bool digits = node.text.find_first_not_of("+-0123456789") == std::string::npos;
  auto value = yaml_scalar(digits ? without_octal(node.text, ParameterType::integer) : node.text);
  if (!value)
    throw Refused{
        fmt::format("{} does not fit 64 bits: write it in quotes to pass it as text", node.text)};
  return *std::move(value);
}

Value value_of(const Entry& entry, const KnownKey& known, const Catalog& catalog) {
  const YamlNode& node = *entry.value;
  if (known.free && (node.map() || node.list()))
    throw Refused{fmt::format(
        "only true, false, numbers and text are passed on, not a {}; "
        "make it in the function itself{}",
        node.map() ? "map" : "list", node.list() ? ", or list several to try under `sweep:`" : "")};
  if (entry.key == keys::measure.modes && !node.map()) return modes_value(words_of(node));
  if (node.map()) throw Refused{"takes one value, not a map"};
  if (node.list()) throw Refused{"takes one value; to try several, list them under `sweep:`"};
  if (!node.scalar() || (node.text.empty() && !node.quoted)) throw Refused{"the value is missing"};
  if (known.free) return free_value(node);
  if (entry.written == "loader.shuffle") return shuffle_value(node.text);
  if (entry.key == keys::dataset.format && format_called(node.text, catalog) != node.text)
    return {ParameterType::text, format_called(node.text, catalog)};
  if (const PartKind* kind = part_kind_named_by(entry.key)) {
    if (!(node.text == "none" && known.parameter->standard == "none"))
      check_part(node.text, *kind, catalog);
  }
  if (entry.key == keys::trainer.device) return device_value(node.text);
  if (entry.key == keys::trainer.intra_op_threads) return threads_value(node.text);
  if (entry.key == keys::measure.warmup) return warmup_value(node.text);
  if (entry.key == keys::trainer.checkpoint.bytes) return checkpoint_bytes_value(node.text);
  if (known.parameter->type == ParameterType::text && node.text.empty())
    throw Refused{"the value is empty"};
  return typed_value(node.text, *known.parameter);
}

}  // namespace

std::optional<Value> check_value(const Entry& entry, const KnownKey& known, const Catalog& catalog,
                                 Diagnostics& diagnostics) {
  try {
    return value_of(entry, known, catalog);
  } catch (const Refused& refused) {
    diagnostics.add(entry.value->at, fmt::format("{}: {}", entry.written, refused.message));
    return std::nullopt;
  }
}

bool is_auto(const Value& value) {
  const auto* word = std::get_if<std::string>(&value.held);
  return word && *word == "auto";
}

}  // namespace benchbench::config
