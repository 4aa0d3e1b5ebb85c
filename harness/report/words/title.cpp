#include "harness/report/words/title.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/conclusion/answer.h"
#include "harness/record/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"
#include "harness/report/external/external_lines.h"
#include "harness/report/words/surroundings.h"

namespace benchbench {
namespace {

constexpr std::size_t kReplacedNamed = 4;

// Settings that a reader looks for first, and how they are said without their key.
struct Told {
  std::string_view key;
  std::string_view words;
};
constexpr Told kTold[] = {{keys::trainer.use, "{}"},
                          {keys::loader.use, "loader {}"},
                          {"loader.transform.random_resized_crop", "{} px"},
                          {"loader.transform.center_crop", "{} px"},
                          {"loader.transform.random_patch", "patches of {}"},
                          {"loader.transform.max_length", "up to {} tokens"},
                          {keys::loader.batch_size, "batch {}"},
                          {keys::dataset.format, "{}"},
                          {keys::dataset.path, "{}"},
                          {"dataset.synthesize.samples", "{} samples"}};

std::size_t rank_of(std::string_view key) {
  return static_cast<std::size_t>(std::ranges::find(kTold, key, &Told::key) - std::begin(kTold));
}

bool is_none(const std::string& text) { return text.empty() || text == "none"; }

std::string setting_text(const std::string& key, const std::string& text) {
  const std::string value = text.empty() ? "none" : text;
  if (const std::size_t rank = rank_of(key); rank < std::size(kTold) && value != "none")
    return fmt::format(fmt::runtime(kTold[rank].words), value);
  return fmt::format("{} {}", key.substr(key.find('.') + 1), value);
}

std::string millions(std::uint64_t parameters) {
  const auto n = static_cast<double>(parameters);
  return n < 1e6 ? human_count(n) : fmt::format("{:.1f} M", n / 1e6);
}

// "250 KB": as files are told by their size.
std::string size_text(double bytes) {
  if (bytes < 999.5) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < 999.5e3) return fmt::format("{:.3g} KB", bytes / 1e3);
  return bytes < 999.5e6 ? fmt::format("{:.3g} MB", bytes / 1e6)
                         : fmt::format("{:.3g} GB", bytes / 1e9);
}

bool is_mock(const Plan& plan, std::string_view section, std::string_view use) {
  return std::ranges::find(plan.scenario.mocks, fmt::format("{}={}", section, use)) !=
         plan.scenario.mocks.end();
}

// "mock loader 5 ms per batch and 10 us per sample": the times that it has, else its name. `whole`:
// "batch", "step".
std::string mock_text(const SettingsMap& base, std::string_view section, std::string_view whole) {
  std::string times;
  for (const std::string_view a : {whole, std::string_view("sample")}) {
    const Value* time = base.find(fmt::format("{}.{}_time", section, a));
    const auto* ns = time ? std::get_if<std::int64_t>(&time->held) : nullptr;
    if (ns && *ns > 0)
      times += fmt::format("{}{} per {}", times.empty() ? "" : " and ",
                           human_duration(Nanoseconds{*ns}), a);
  }
  return fmt::format("mock {} {}", section,
                     times.empty() ? base.text_or(fmt::format("{}.use", section)) : times);
}

// "train.py:make_data" of a part that the user wrote.
std::string call_text(const SettingsMap& base, std::string_view section, const std::string& use) {
  const auto named = [&](std::string_view key) {
    return base.text_or(fmt::format("{}.{}", section, key));
  };
  const std::string script = named("script"),
                    from = script.empty() ? named("module") : script.substr(script.rfind('/') + 1),
                    call = named("call");
  return from.empty() || call.empty() ? use : from + ":" + call;
}

std::string emulated_text(const SettingsMap& base) {
  if (base.text_or(keys::trainer.device) != "emulated") return "";
  const EmulatedFigures figures = emulated_device_of(base);
  return fmt::format(" on an emulated accelerator ({:.4g} GB/s pinned, {:.4g} pageable)",
                     figures.pinned / 1e9, figures.pageable / 1e9);
}

std::string trainer_text(const Findings& f, const Plan& plan) {
  const SettingsMap& base = plan.scenario.base;
  const std::string use = base.text_or(keys::trainer.use);
  if (use.empty()) return "";
  if (is_mock(plan, "trainer", use))
    return mock_text(base, "trainer", "step") + emulated_text(base);
  std::string text = std::ranges::find(f.external.trainers, use) == f.external.trainers.end()
                         ? use
                         : call_text(base, "trainer", use);
  if (f.trainer_parameters > 0)
    text += fmt::format(" ({} parameters)", millions(f.trainer_parameters));
  if (const std::string device = base.text_or(keys::trainer.device); !device.empty())
    text += " on " + device;
  if (const std::string precision = base.text_or("trainer.precision");
      !precision.empty() && precision != "fp32")
    text += ", " + precision;
  return text;
}

std::string loader_text(const Findings& f, const Plan& plan) {
  const std::string use = plan.scenario.base.text_or(keys::loader.use);
  if (use.empty()) return "";
  if (std::ranges::find(f.external.loaders, use) != f.external.loaders.end())
    return "loader " + call_text(plan.scenario.base, "loader", use);
  return is_mock(plan, "loader", use) ? mock_text(plan.scenario.base, "loader", "batch")
                                      : "loader " + use;
}

std::string data_text(const Findings& f, const Plan& plan) {
  const SettingsMap& base = plan.scenario.base;
  const std::string format = base.text_or(keys::dataset.format);
  if (format.empty()) return "";
  std::string text;
  if (f.epoch_samples)
    text = *f.epoch_samples == 1 ? "1 sample"
                                 : human_count(static_cast<double>(*f.epoch_samples)) + " samples";
  if (!f.points.empty() && f.points.front().payload_bytes_per_sample)
    text += fmt::format("{}of {}", text.empty() ? "samples " : " ",
                        size_text(*f.points.front().payload_bytes_per_sample));
  text += (text.empty() ? "" : " in ") + format;
  if (const std::string path = base.text_or(keys::dataset.path); !path.empty())
    text += fmt::format(" ({})", path);
  if (const auto store = emulated_figures(base))
    text += fmt::format(", emulated storage: {}", benchbench::text_of(*store));
  return text;
}

// Which of a loader's sizes its data use: a loader for several kinds of data has them all.
std::string_view size_key(const Findings& f, const SettingsMap& base) {
  if (base.has("dataset.synthesize.volume.depth")) return "loader.transform.random_patch";
  const bool tokens = base.has("dataset.synthesize.tokens.mean_length") ||
                      (!f.points.empty() && f.points.front().padding_share);
  if (tokens) return "loader.transform.max_length";
  return base.text_or("loader.transform.center_crop").empty()
             ? "loader.transform.random_resized_crop"
             : "loader.transform.center_crop";
}

bool runs_trainer(const Plan& plan) {
  return plan.trials.empty() || std::ranges::any_of(plan.trials, [](const Trial& trial) {
           return trial.mode != Mode::loader;
         });
}

// "train_loader (train.py:31), batch 8; steps on cpu": of a wrapped script.
std::string script_line(const Findings& f, const Plan& plan) {
  const SettingsMap& base = plan.scenario.base;
  std::string line = base.text_or("loader.call");
  if (f.external.any && !f.external.any->where.empty())
    line += fmt::format(" ({})", f.external.any->where);
  if (const std::string batch = base.text_or(keys::loader.batch_size);
      !batch.empty() && !keeps_own(base, "batch_size"))
    line += ", batch " + batch;
  const std::string device = base.text_or(keys::trainer.device);
  return device.empty() ? line : line + "; steps on " + device;
}

// What each letter is, of those that were measured.
std::string stretches_line(const Findings& f) {
  constexpr std::string_view kWhat[] = {
      "L the loader alone", "T the step alone, with batches held before", "F the script as it is"};
  std::vector<std::string_view> all;
  for (std::size_t mode = 0; mode < std::size(kWhat); ++mode)
    if (!f.external.ways[mode].empty()) all.push_back(kWhat[mode]);
  return all.empty() ? "no stretch of its loop was measured"
                     : fmt::format("{}", fmt::join(all, "; "));
}

std::string what_line(const Findings& f, const Plan& plan) {
  // It is not known of a script that ended before its loop was steady.
  if (is_without_stretch(f, plan)) return "";
  if (wraps_script(plan)) return script_line(f, plan);
  const SettingsMap& base = plan.scenario.base;
  std::string side = runs_trainer(plan) ? trainer_text(f, plan) : "";
  for (const std::string_view key : {size_key(f, base), std::string_view(keys::loader.batch_size)})
    if (const std::string text = base.text_or(key);
        !text.empty() && !keeps_own(base, key.substr(7)))
      side += (side.empty() ? "" : ", ") + setting_text(std::string(key), text);
  std::string line;
  for (const std::string& part : {side, loader_text(f, plan), data_text(f, plan)})
    if (!part.empty()) line += (line.empty() ? "" : "; ") + part;
  return line;
}

std::string replaced_line(const std::string& by, std::vector<Replaced> all) {
  std::ranges::stable_sort(all, {}, [](const Replaced& r) { return rank_of(r.key); });
  std::string to, from;
  for (std::size_t i = 0; i < std::min(all.size(), kReplacedNamed); ++i) {
    to += (i ? ", " : "") + setting_text(all[i].key, all[i].to);
    if (!is_none(all[i].from))
      from += (from.empty() ? "" : ", ") + setting_text(all[i].key, all[i].from);
  }
  std::string line = fmt::format("{}: {}", by, to);
  if (!from.empty()) line += " in place of " + from;
  if (all.size() > kReplacedNamed)
    line += fmt::format(", and {} more", all.size() - kReplacedNamed);
  return line;
}

std::vector<std::string> replaced_lines(const Plan& plan) {
  std::vector<std::pair<std::string, std::vector<Replaced>>> by_layer;
  for (const Replaced& r : plan.scenario.replaced) {
    auto at =
        std::ranges::find(by_layer, r.by, &std::pair<std::string, std::vector<Replaced>>::first);
    if (at == by_layer.end()) at = by_layer.insert(at, {r.by, {}});
    at->second.push_back(r);
  }
  std::vector<std::string> lines;
  for (auto& [by, all] : by_layer) lines.push_back(replaced_line(by, std::move(all)));
  return lines;
}

// Where the base's name has not all of its labels.
std::string base_line(const Plan& plan) {
  const auto& labels = plan.points.front().labels;
  const std::string name = plan.points.front().name();
  std::string line;
  bool whole = true;
  for (const auto& [key, label] : labels) {
    const std::string setting = fmt::format("{}={}", key.substr(key.rfind('.') + 1), label);
    whole = whole && name.find(setting) != std::string::npos;
    line += (line.empty() ? "base: " : ", ") + setting;
  }
  return whole ? "" : line;
}

}  // namespace

std::vector<std::string> title_lines(const Findings& findings, const Plan& plan, bool detail) {
  std::vector<std::string> lines;
  if (std::string what = what_line(findings, plan); !what.empty()) lines.push_back(std::move(what));
  for (std::string& line : replaced_lines(plan)) lines.push_back(std::move(line));
  if (!plan.points.empty())
    if (std::string base = base_line(plan); !base.empty()) lines.push_back(std::move(base));
  if (wraps_script(plan))
    lines.push_back(stretches_line(findings));
  else if (const std::string ways = ways_words(findings); !ways.empty())
    lines.push_back("measured " + ways);
  if (detail)
    if (std::string versions = versions_words(findings); !versions.empty())
      lines.push_back(std::move(versions));
  return lines;
}

}  // namespace benchbench
