#include "harness/config/measure_rules.h"

#include <fmt/format.h>

#include "harness/record/measure_limits.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

bool set_true(const SettingsMap& settings, std::string_view key) {
  return settings.has(key) && settings.boolean(key);
}

bool has_mode(const SettingsMap& settings, std::string_view mode) {
  return ("," + settings.get(keys::measure.modes) + ",").find(fmt::format(",{},", mode)) !=
         std::string::npos;
}

void check_rounds(const SettingsMap& s, const Given& given, std::vector<std::string>& decisions,
                  Diagnostics& diagnostics) {
  const Entry* max = find_entry(given, keys::measure.max_rounds);
  if (!max || !s.has(keys::measure.max_rounds) || !s.has(keys::measure.rounds)) return;
  if (!s.has(keys::measure.stop_at)) {
    decisions.push_back("measure.max_rounds has no effect without measure.stop_at");
  } else if (s.get(keys::measure.max_rounds) < s.get(keys::measure.rounds)) {
    diagnostics.add(max->value->at,
                    fmt::format("measure.max_rounds is {}, less than measure.rounds, {}",
                                s.get(keys::measure.max_rounds), s.get(keys::measure.rounds)));
  }
}

// A substitution is a change of the pipeline, and what runs beside the trainer is compared with the
// trainer alone.
void check_modes(const SettingsMap& s, const Given& given, Diagnostics& diagnostics) {
  if (!s.has(keys::measure.modes)) return;
  const Entry* modes = find_entry(given, keys::measure.modes);
  const auto needs = [&](std::string_view key, std::string_view mode) {
    if (!set_true(s, key) || has_mode(s, mode)) return;
    diagnostics.add(
        (modes ? modes : find_entry(given, key))->value->at,
        fmt::format("{} needs mode {}, which measure.modes does not include", key, mode));
  };
  for (const std::string_view mode : {"trainer", "pipeline"})
    if (s.has(keys::measure.au_at_least) && !has_mode(s, mode))
      diagnostics.add(
          (modes ? modes : find_entry(given, keys::measure.au_at_least))->value->at,
          fmt::format("measure.au_at_least needs mode {}, which measure.modes leaves out", mode));
  needs(keys::measure.substitute, "pipeline");
  needs(keys::measure.interference, "trainer");
}

void check_whole_batch(const SettingsMap& s, const Given& given, const PartRow* loader,
                       Diagnostics& diagnostics) {
  if (!loader || !loader->description->needs_dataset || !s.has("dataset.synthesize.samples"))
    return;
  if (!s.has(keys::loader.batch_size) || !s.has(keys::loader.drop_last) ||
      !s.get(keys::loader.drop_last))
    return;
  const auto samples =
      count_kept(s, static_cast<std::uint64_t>(s.integer("dataset.synthesize.samples")));
  const auto batch = static_cast<std::uint64_t>(s.get(keys::loader.batch_size));
  if (batch <= samples) return;
  const Entry* at = find_entry(given, keys::dataset.keep);
  for (const std::string_view key : std::initializer_list<std::string_view>{
           keys::loader.batch_size, "dataset.synthesize.samples", keys::loader.use})
    if (!at) at = find_entry(given, key);
  diagnostics.add(
      at->value->at,
      fmt::format("loader.batch_size is {}, but {} and drop_last drops incomplete batches: there "
                  "would be no batch; use more samples, a smaller batch, or drop_last: false",
                  batch, samples_there(s, samples)));
}

// Known before anything is measured: R07 will judge so.
void tell_short_window(const SettingsMap& s, const Given& given,
                       std::vector<std::string>& decisions) {
  const WindowClass& min = window_class("normal");
  if (!find_entry(given, keys::measure.window) || !s.has(keys::measure.window) ||
      s.get(keys::measure.window) >= min.window)
    return;
  decisions.push_back(fmt::format(
      "measure.window {} is below the {} of class normal: a trial whose {} batches take less is "
      "INVALID (R07); class selftest allows {}",
      s.text(keys::measure.window), human_duration(min.window),
      s.has(keys::measure.window_batches) ? s.text(keys::measure.window_batches) : "5",
      human_duration(window_class("selftest").window)));
}

}  // namespace

void settle_window(SettingsMap& s, const Given& given, std::vector<std::string>& decisions) {
  if (!s.has(keys::measure.window_class) || s.get(keys::measure.window_class) == "normal")
    return tell_short_window(s, given, decisions);
  const WindowClass& min = window_class(s.get(keys::measure.window_class));
  std::string decided;
  const auto settle = [&](std::string_view key, Value value) {
    if (find_entry(given, key)) return;
    decided += fmt::format("{}{} is {}", decided.empty() ? "" : ", ", key, value.text());
    s.set(key, std::move(value));
  };
  settle(keys::measure.window,
         {ParameterType::duration, static_cast<std::int64_t>(min.window.count())});
  settle(keys::measure.window_batches, {ParameterType::integer, min.batches});
  if (!decided.empty())
    decisions.push_back(fmt::format("{}: the minimum of class {}", decided, min.name));
}

void check_measure(const SettingsMap& settings, const Given& given, const PartRow* loader,
                   std::vector<std::string>& decisions, Diagnostics& diagnostics) {
  check_rounds(settings, given, decisions, diagnostics);
  check_modes(settings, given, diagnostics);
  check_whole_batch(settings, given, loader, diagnostics);
}

}  // namespace benchbench::config
