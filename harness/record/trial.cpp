#include "harness/record/trial.h"

#include <algorithm>

#include "harness/record/device_presets.h"
#include "harness/record/setting_keys.h"
#include "harness/record/trial_record.h"

namespace benchbench {
namespace {

constexpr std::string_view kFree = "free:";
// By AblationKind; what is free follows the second.
constexpr std::string_view kAblations[] = {"",          kFree,    "batch:4",
                                           "workers:1", "beside", "on_device"};

// A base of more labels than these is called by the first one where the name would be wider than
// that: columns of rates come after it.
constexpr std::size_t kLabelsOfBase = 2, kBaseWidth = 40;

// "loader.num_workers" is plain num_workers in a table's row; "loader" stays.
std::string_view last_word(std::string_view key) {
  constexpr std::string_view like = ".like";  // dataset.storage.like: the word before says more
  if (key.ends_with(like)) key.remove_suffix(like.size());
  const auto dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

}  // namespace

bool steps_missed_card(std::string_view device, const Facts& facts) noexcept {
  return is_cuda(device) && !facts.device && !facts.gpu && facts.external &&
         facts.external->device.empty();
}

bool wraps_script(const Plan& plan) noexcept {
  return plan.scenario.base.get_if(keys::measure.window_class) == "stretch";
}

std::string Ablation::text() const {
  std::string text(kAblations[static_cast<std::size_t>(kind)]);
  if (kind == AblationKind::free) text += name_of(component);
  return text;
}

std::optional<Ablation> Ablation::parse(std::string_view text) {
  if (text.starts_with(kFree)) {
    const auto component = from_name<Component>(text.substr(kFree.size()));
    return component ? std::optional(free_of(*component)) : std::nullopt;
  }
  const auto at = std::ranges::find(kAblations, text);
  if (at == std::end(kAblations)) return std::nullopt;
  return Ablation{static_cast<AblationKind>(at - std::begin(kAblations)), {}};
}

std::string CacheState::text() const {
  std::string text(name_of(degree));
  return why.empty() ? text : text + ": " + why;
}

std::optional<CacheState> CacheState::parse(std::string_view text) {
  const std::size_t colon = text.find(": ");
  const auto degree = from_name<CacheDegree>(text.substr(0, colon));
  if (!degree) return std::nullopt;
  return CacheState{*degree,
                    std::string(colon == std::string_view::npos ? "" : text.substr(colon + 2))};
}

std::string Point::name() const {
  if (labels.empty()) return "base";
  std::string name, first;
  for (const auto& [key, label] : labels) {
    if (!name.empty()) name += ' ';
    name.append(last_word(key)).append("=").append(label);
    if (first.empty()) first = name;
  }
  if (index != 0) return name;
  if (labels.size() > kLabelsOfBase && name.size() > kBaseWidth)
    name = first + " +" + std::to_string(labels.size() - 1);
  return name + " (base)";
}

}  // namespace benchbench
