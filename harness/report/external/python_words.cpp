#include "harness/report/external/python_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace benchbench {
namespace {

constexpr std::string_view kLoaderSection = "loader.", kArguments = "loader.args.";

std::string python_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "'";
}

bool is_number_text(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// A text that looks like a number is a text all the same.
std::string argument_value(const Point& point, const std::string& key, const std::string& label) {
  const Value* value = point.settings.find(key);
  const bool text =
      value && std::holds_alternative<std::string>(value->held) && value->text() == label;
  return text ? python_text(label) : python_value(label);
}

std::string call_of(const Point& point) {
  const Value* call = point.settings.find("loader.call");
  return call && !call->none() ? call->text() : "call";
}

void add_call(std::string& all, std::string_view name, const std::vector<std::string>& arguments) {
  if (!arguments.empty())
    all += fmt::format("{}{}({})", all.empty() ? "" : ", ", name, fmt::join(arguments, ", "));
}

}  // namespace

std::string python_value(std::string_view text) {
  if (text == "true") return "True";
  if (text == "false") return "False";
  if (text == "none" || text.empty()) return "None";
  if (is_number_text(text)) return std::string(text);
  return python_text(text);
}

std::string python_keyword(std::string_view key, std::string_view text) {
  constexpr std::string_view same[] = {
      "num_workers", "batch_size", "prefetch_factor",    "in_order",
      "drop_last",   "pin_memory", "persistent_workers", "multiprocessing_context"};
  if (!key.starts_with(kLoaderSection)) return "";
  key.remove_prefix(kLoaderSection.size());
  if (std::ranges::find(same, key) != std::end(same))
    return fmt::format("{}={}", key, python_value(text));
  if (key == "shuffle" && (text == "true" || text == "false"))
    return fmt::format("shuffle={}", python_value(text));
  if (key == "access" && (text == "random" || text == "sequential"))
    return fmt::format("shuffle={}", text == "random" ? "True" : "False");
  return "";
}

std::string python_settings(const Point& point,
                            const std::vector<std::pair<std::string, std::string>>& labels) {
  std::vector<std::string> loader, call;
  std::string others;
  for (const auto& [key, label] : labels) {
    const std::string keyword = python_keyword(key, label);
    if (!keyword.empty())
      loader.push_back(keyword);
    else if (key.starts_with(kArguments))
      call.push_back(
          fmt::format("{}={}", key.substr(kArguments.size()), argument_value(point, key, label)));
    else
      others += fmt::format(", {}: {}", key, label);
  }
  std::string all;
  add_call(all, "DataLoader", loader);
  add_call(all, call_of(point), call);
  return all.empty() ? others.substr(std::min<std::size_t>(2, others.size())) : all + others;
}

}  // namespace benchbench
