#include "harness/config/measure_rules.h"

#include <fmt/format.h>

#include "harness/record/measure_limits.h"
#include "harness/record/resolved_settings.h"

namespace benchbench::config {
namespace {

using Given = std::map<std::string, const Entry*>;

const Entry* entry(const Given& given, const char* key) {
  const auto found = given.find(key);
  return found == given.end() ? nullptr : found->second;
}

bool set_true(const SettingsMap& settings, std::string_view key) {
  return settings.has(key) && settings.boolean(key);
}

bool has_mode(const SettingsMap& settings, std::string_view mode) {
  return ("," + settings.text("measure.modes") + ",").find(fmt::format(",{},", mode)) !=
         std::string::npos;
}

void check_rounds(const SettingsMap& s, const Given& given, std::vector<std::string>& decisions,
                  Diagnostics& diagnostics) {
  const Entry* max = entry(given, "measure.max_rounds");
  if (!max || !s.has("measure.max_rounds") || !s.has("measure.rounds")) return;
  if (!s.has("measure.stop_at")) {
    decisions.push_back("measure.max_rounds has no effect without measure.stop_at");
  } else if (s.integer("measure.max_rounds") < s.integer("measure.rounds")) {
    diagnostics.add(max->value->at,
                    fmt::format("measure.max_rounds is {}, less than measure.rounds, {}",
                                s.integer("measure.max_rounds"), s.integer("measure.rounds")));
  }
}

// A substitution is a change of the pipeline, and what runs beside the trainer is compared with the
// trainer alone.
void check_modes(const SettingsMap& s, const Given& given, Diagnostics& diagnostics) {
  if (!s.has("measure.modes")) return;
  const Entry* modes = entry(given, "measure.modes");
  const auto needs = [&](const char* key, std::string_view mode) {
    if (!set_true(s, key) || has_mode(s, mode)) return;
    diagnostics.add(
        (modes ? modes : entry(given, key))->value->at,
        fmt::format("{} needs mode {}, which measure.modes does not include", key, mode));
  };
  for (const std::string_view mode : {"trainer", "pipeline"})
    if (s.has("measure.au_at_least") && !has_mode(s, mode))
      diagnostics.add(
          (modes ? modes : entry(given, "measure.au_at_least"))->value->at,
          fmt::format("measure.au_at_least needs mode {}, which measure.modes leaves out", mode));
  needs("measure.substitute", "pipeline");
  needs("measure.interference", "trainer");
}

void check_whole_batch(const SettingsMap& s, const Given& given, const PartRow* loader,
                       Diagnostics& diagnostics) {
  if (!loader || !loader->description->needs_dataset || !s.has("dataset.synthesize.samples"))
    return;
  if (!s.has("loader.batch_size") || !s.has("loader.drop_last") || !s.boolean("loader.drop_last"))
    return;
  const auto samples =
      count_kept(s, static_cast<std::uint64_t>(s.integer("dataset.synthesize.samples")));
  const auto batch = static_cast<std::uint64_t>(s.integer("loader.batch_size"));
  if (batch <= samples) return;
  const Entry* at = entry(given, "dataset.keep");
  for (const char* key : {"loader.batch_size", "dataset.synthesize.samples", "loader.use"})
    if (!at) at = entry(given, key);
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
  if (!entry(given, "measure.window") || !s.has("measure.window") ||
      s.duration("measure.window") >= min.window)
    return;
  decisions.push_back(fmt::format(
      "measure.window {} is below the {} of class normal: a trial whose {} batches take less is "
      "INVALID (R07); class selftest allows {}",
      s.text("measure.window"), human_duration(min.window),
      s.has("measure.window_batches") ? s.text("measure.window_batches") : "5",
      human_duration(window_class("selftest").window)));
}

}  // namespace

void settle_window(SettingsMap& s, const Given& given, std::vector<std::string>& decisions) {
  if (!s.has("measure.class") || s.text("measure.class") == "normal")
    return tell_short_window(s, given, decisions);
  const WindowClass& min = window_class(s.text("measure.class"));
  std::string decided;
  const auto settle = [&](const char* key, Value value) {
    if (entry(given, key)) return;
    decided += fmt::format("{}{} is {}", decided.empty() ? "" : ", ", key, value.text());
    s.set(key, std::move(value));
  };
  settle("measure.window",
         {ParameterType::duration, static_cast<std::int64_t>(min.window.count())});
  settle("measure.window_batches", {ParameterType::integer, min.batches});
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
