#include "harness/config/rules.h"
#include "harness/core/spelling.h"
#include "harness/record/measure_limits.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

constexpr auto& kMeasure = keys::measure;

void check_rounds(const RuleContext& c) {
  const SettingsMap& s = c.settings;
  const Entry* max = c.entry(kMeasure.max_rounds);
  if (!max || !s.has(kMeasure.max_rounds) || !s.has(kMeasure.rounds)) return;
  if (!s.has(kMeasure.stop_at))
    note(c.decisions, "measure.max_rounds has no effect without measure.stop_at");
  else if (s.get(kMeasure.max_rounds) < s.get(kMeasure.rounds))
    c.diagnostics.add(max->value->at, "measure.max_rounds is {}, less than measure.rounds, {}",
                      s.get(kMeasure.max_rounds), s.get(kMeasure.rounds));
}

bool has_mode(const SettingsMap& settings, std::string_view mode) {
  return is_listed(settings.get(kMeasure.modes), mode);
}

// The place of measure.modes, of another key where the modes are not given.
const Span& find_place(const RuleContext& c, std::string_view otherwise) {
  const Entry* modes = c.entry(kMeasure.modes);
  return (modes ? modes : c.entry(otherwise))->value->at;
}

void require_mode(const RuleContext& c, const SettingKey<bool>& key, std::string_view mode) {
  if (c.settings.get_if(key) == true && !has_mode(c.settings, mode))
    c.diagnostics.add(find_place(c, key), "{} needs mode {}, which measure.modes does not include",
                      std::string_view(key), mode);
}

// A substitution is a change of the pipeline, and what runs beside the trainer is compared with the
// trainer alone.
void check_modes(const RuleContext& c) {
  if (!c.settings.has(kMeasure.modes)) return;
  for (const std::string_view mode : {"trainer", "pipeline"})
    if (c.settings.has(kMeasure.au_at_least) && !has_mode(c.settings, mode))
      c.diagnostics.add(find_place(c, kMeasure.au_at_least),
                        "measure.au_at_least needs mode {}, which measure.modes leaves out", mode);
  require_mode(c, kMeasure.substitute, "pipeline");
  require_mode(c, kMeasure.interference, "trainer");
}

void check_whole_batch(const RuleContext& c) {
  const PartRow* loader = c.catalog.find(PartKind::loader, c.selection.loader);
  const auto why = why_no_whole_batch(c.settings);
  if (!why || !loader || !loader->description->needs_dataset) return;
  const Entry* at = c.entry(keys::dataset.keep);
  for (const std::string_view key : std::initializer_list<std::string_view>{
           keys::loader.batch_size, "dataset.synthesize.samples", keys::loader.use})
    if (!at) at = c.entry(key);
  c.diagnostics.add(at->value->at,
                    "{}: there would be no batch; use more samples, a smaller batch, or "
                    "drop_last: false",
                    *why);
}

// Known before anything is measured: R07 will judge so.
void tell_short_window(const RuleContext& c) {
  const SettingsMap& s = c.settings;
  const WindowClass& min = window_class("normal");
  if (!c.entry(kMeasure.window) || !s.has(kMeasure.window) || s.get(kMeasure.window) >= min.window)
    return;
  note(c.decisions,
       "measure.window {} is below the {} of class normal: a trial whose {} batches take less is "
       "INVALID (R07); class selftest allows {}",
       s.text(kMeasure.window), human_duration(min.window), s.text_or(kMeasure.window_batches, "5"),
       human_duration(window_class("selftest").window));
}

}  // namespace

void settle_window(const RuleContext& c) {
  const std::string name = c.settings.get_if(kMeasure.window_class).value_or("normal");
  if (name == "normal") return tell_short_window(c);
  const WindowClass& min = window_class(name);
  std::string decided;
  const auto settle = [&](const auto& key, auto value) {
    if (c.entry(key)) return;
    c.settings.set(key, value);
    decided += fmt::format("{}{} is {}", decided.empty() ? "" : ", ", std::string_view(key),
                           c.settings.text(key));
  };
  settle(kMeasure.window, min.window);
  settle(kMeasure.window_batches, static_cast<std::uint64_t>(min.batches));
  if (!decided.empty()) note(c.decisions, "{}: the minimum of class {}", decided, min.name);
}

void check_measure(const RuleContext& context) {
  check_rounds(context);
  check_modes(context);
  check_whole_batch(context);
}

}  // namespace benchbench::config
