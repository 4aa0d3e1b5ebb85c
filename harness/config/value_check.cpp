#include "harness/config/value_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "harness/config/unit_hint.h"
#include "harness/core/contains.h"
#include "harness/core/parse_number.h"
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
template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> message, Values&&... values) {
  throw Refused{fmt::format(message, std::forward<Values>(values)...)};
}

std::string shown(std::string_view text) {
  return text.size() <= 60 ? fmt::format("\"{}\"", text)
                           : fmt::format("\"{}...\"", text.substr(0, 57));
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

// Returns the digits that a text begins with, behind a sign.
std::string find_digits(const std::string& text) {
  const std::size_t first = std::min(text.find_first_not_of("+-"), text.size());
  return text.substr(first, text.find_first_not_of("0123456789", first) - first);
}

// YAML 1.1 reads 010 as 8, YAML 1.2 as 10, yaml-cpp as either: 0o10 is taken, 010 is not.
std::string without_octal(const std::string& text, ParameterType type) {
  if (!is_number(type)) return text;
  if (type == ParameterType::integer && text.starts_with("0o"))
    if (const auto n = parse_number<std::int64_t>(std::string_view(text).substr(2), 8))
      return std::to_string(*n);
  const std::string digits = find_digits(text);
  if (digits.size() < 2 || digits.front() != '0') return text;
  const std::string significant =
      digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  refuse("{} is ambiguous, since some parsers read it as octal: write {} or 0o{}", text,
         significant, significant);
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
  refuse("{} is out of range; allowed: {}", value.text(), range_text(p));
}

void check_choice(const std::string& text, const Parameter& p) {
  if (p.choices.empty() || contains(p.choices, text)) return;
  const std::vector<std::string> choices(p.choices.begin(), p.choices.end());
  refuse("{} is not allowed{}", shown(text), suggest_allowed(text, choices));
}

void check_part(const std::string& text, PartKind kind, const Catalog& catalog) {
  if (catalog.find(kind, text)) return;
  const std::vector<std::string> names = catalog.names(kind);
  const std::string near = nearest_part(kind, text, catalog);
  const bool has_keys = near != text && !catalog.find(kind, near)->description->parameters.empty();
  refuse("unknown {} {}{} Allowed: {}{}",
         kind == PartKind::sample_format ? "format" : name_of(kind), shown(text),
         suggest(near == text ? "" : near, "."), listed(names),
         has_keys ? fmt::format(". Its keys are checked as those of {}", near) : "");
}

Value text_value(std::string text) { return {ParameterType::text, std::move(text)}; }

Value device_value(const std::string& text) {
  if (text == "cpu" || text == "auto" || text == "emulated") return text_value(text);
  if (text == "cuda") return text_value("cuda:0");
  const auto number = text.starts_with("cuda:")
                          ? parse_number<std::int64_t>(std::string_view(text).substr(5))
                          : std::nullopt;
  if (!number || *number < 0 || *number > 1023 || text != fmt::format("cuda:{}", *number))
    refuse("{} is not a device. Allowed: cpu, cuda:N, emulated, auto", shown(text));
  return text_value(text);
}

Value threads_value(const std::string& text) {
  if (text == "auto") return text_value(text);
  const auto n = parse_number<std::int64_t>(without_octal(text, ParameterType::integer));
  if (!n) refuse("{} is neither a whole number nor auto", shown(text));
  if (*n < 1 || *n > 4096) refuse("{} is out of range; allowed: 1 to 4096, or auto", *n);
  return {ParameterType::integer, *n};
}

Value warmup_value(const std::string& text) {
  if (text == "until_steady") return text_value(text);
  const auto time = parse_duration(text);
  if (!time || time->count() < 0)
    refuse("{} is neither until_steady nor a duration such as 500ms{}", shown(text),
           unit_hint(ParameterType::duration, text));
  return text_value(duration_text(*time));
}

Value checkpoint_bytes_value(const std::string& text) {
  if (text == "model") return text_value(text);
  const auto bytes = parse_bytes(text);
  if (!bytes || bytes->value == 0)
    refuse("{} is neither model nor a size such as 64MiB{}", shown(text),
           unit_hint(ParameterType::bytes, text));
  return text_value(bytes_text(*bytes));
}

// The form of a key's values that is neither a parameter's type alone nor a part's name.
struct OwnForm {
  std::string_view key;
  Value (*make_value)(const std::string& text);
};
constexpr OwnForm kOwnForms[] = {{keys::trainer.device, device_value},
                                 {keys::trainer.intra_op_threads, threads_value},
                                 {keys::measure.warmup, warmup_value},
                                 {keys::trainer.checkpoint.bytes, checkpoint_bytes_value}};

// Modes in their usual order, whatever the order written, so that equal choices have equal text.
Value modes_value(const std::vector<std::string>& words) {
  const std::vector<std::string> all{"loader", "trainer", "pipeline"};
  for (const std::string& w : words)
    if (!from_name<Mode>(w)) refuse("{} is not a mode{}", shown(w), suggest_allowed(w, all));
  std::string text;
  for (const std::string& mode : all)
    if (contains(words, mode)) text += (text.empty() ? "" : ",") + mode;
  if (text.empty()) refuse("no mode is selected. Allowed: loader, trainer, pipeline");
  return text_value(text);
}

std::vector<std::string> words_in_list(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    std::string word(list.substr(from, comma - from));
    word.erase(0, word.find_first_not_of(' '));
    words.push_back(word.substr(0, word.find_last_not_of(' ') + 1));
    from = comma + 1;
  }
  return words;
}

std::vector<std::string> words_of(const YamlNode& node) {
  if (node.scalar()) return words_in_list(node.text);
  std::vector<std::string> words;
  for (const YamlNode& item : node.items) words.push_back(item.text);
  return words;
}

Value shuffle_value(const std::string& text) {
  if (text != "true" && text != "false")
    refuse("{} is not true or false; for other orders write access: {}", shown(text), text);
  return text_value(text == "true" ? "random" : "sequential");
}

[[noreturn]] void refuse_text(const std::string& text, const Parameter& p, std::string_view why) {
  if (p.type != ParameterType::integer || !is_beyond_64_bits(text))
    refuse("{} is not {}{}", shown(text), why, unit_hint(p.type, text));
  refuse("{} is out of range; allowed: {}", shown(text),
         std::isfinite(p.min) || std::isfinite(p.max) ? range_text(p) : "what fits 64 bits");
}

Value typed_value(const std::string& text, const Parameter& p) {
  if (text == "auto" && p.type != ParameterType::text &&
      (p.standard == "auto" || p.key == "max_jobs"))
    return text_value(text);
  if (is_infinite(text, p.type)) refuse("{} is out of range; allowed: {}", text, range_text(p));
  std::string why;
  auto value = Value::parse(p.type, without_octal(text, p.type), &why);
  if (!value) refuse_text(text, p, why);
  if (value->none() && p.standard.empty()) refuse("none is not allowed: a value is required");
  if (value->none() && p.standard != "none")
    refuse("none is not allowed; the default is {}", p.standard);
  check_range(*value, p);
  if (p.type == ParameterType::choice) check_choice(text, p);
  return *std::move(value);
}

// Of whatever type YAML gives it; none is "not given", as everywhere.
Value free_value(const YamlNode& node) {
  if (node.quoted) return text_value(node.text);
  if (node.text == "none") return {};
  const bool digits = node.text.find_first_not_of("+-0123456789") == std::string::npos;
  auto value = yaml_scalar(digits ? without_octal(node.text, ParameterType::integer) : node.text);
  if (!value) refuse("{} does not fit 64 bits: write it in quotes to pass it as text", node.text);
  return *std::move(value);
}

// Refuses a map, a list, and nothing.
void check_shape(const YamlNode& node, bool free) {
  if (free && (node.map() || node.list()))
    refuse(
        "only true, false, numbers and text are passed on, not a {}; make it in the function "
        "itself{}",
        node.map() ? "map" : "list", node.list() ? ", or list several to try under `sweep:`" : "");
  if (node.map()) refuse("takes one value, not a map");
  if (node.list()) refuse("takes one value; to try several, list them under `sweep:`");
  if (!node.scalar() || (node.text.empty() && !node.quoted)) refuse("the value is missing");
}

Value scalar_value(const Entry& entry, const KnownKey& known, const Catalog& catalog) {
  const YamlNode& node = *entry.value;
  if (entry.written == "loader.shuffle") return shuffle_value(node.text);
  if (entry.key == keys::dataset.format)
    if (std::string format = format_called(node.text, catalog); format != node.text)
      return text_value(std::move(format));
  const bool absent = node.text == "none" && known.parameter->standard == "none";
  if (const PartKind* kind = part_kind_named_by(entry.key); kind && !absent)
    check_part(node.text, *kind, catalog);
  if (const OwnForm* form = find_element(kOwnForms, std::string_view(entry.key), &OwnForm::key))
    return form->make_value(node.text);
  if (known.parameter->type == ParameterType::text && node.text.empty())
    refuse("the value is empty");
  return typed_value(node.text, *known.parameter);
}

Value value_of(const Entry& entry, const KnownKey& known, const Catalog& catalog) {
  const YamlNode& node = *entry.value;
  if (entry.key == keys::measure.modes && !node.map()) return modes_value(words_of(node));
  check_shape(node, known.free);
  return known.free ? free_value(node) : scalar_value(entry, known, catalog);
}

}  // namespace

std::optional<Value> check_value(const Entry& entry, const KnownKey& known, const Catalog& catalog,
                                 Diagnostics& diagnostics) {
  try {
    return value_of(entry, known, catalog);
  } catch (const Refused& refused) {
    diagnostics.add(entry.value->at, "{}: {}", entry.written, refused.message);
    return std::nullopt;
  }
}

bool is_auto(const Value& value) {
  const auto* word = std::get_if<std::string>(&value.held);
  return word && *word == "auto";
}

}  // namespace benchbench::config
