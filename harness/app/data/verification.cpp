#include "harness/app/data/verification.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "harness/app/data/verify_words.h"
#include "harness/app/exit_code.h"
#include "harness/app/preparation/child_request.h"
#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/prepared_plan.h"
#include "harness/app/preparation/trial_runner.h"
#include "harness/app/status_line.h"
#include "harness/core/error.h"
#include "harness/core/visible_text.h"
#include "harness/process/data_pass_message.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::chrono::seconds kQuietFor{2};
constexpr int kBarWidth = 30;

std::string draw_bar(double share) {
  const int full = static_cast<int>(share * kBarWidth);
  return fmt::format("[{:#<{}}{:.<{}}]", "", full, "", kBarWidth - full);
}

// The base point's loader, whether or not measure.modes has that mode.
Trial trial_of_base(const Plan& plan) {
  Trial trial;
  trial.mode = Mode::loader;
  const SettingsMap& base = plan.points.front().settings;
  trial.settings = substitute(Mode::loader, base, base, built_in_catalog());
  return trial;
}

DataPass verify_in_child(const Trial& trial, const std::string& cache_folder) {
  StatusLine line({.silence = kQuietFor});
  std::optional<DataPass> pass;
  ask_child(cache_folder, "verify", to_json(trial), "reading the dataset", [&](const Frame& frame) {
    unsigned long long done = 0, all = 0, bytes = 0;
    if (frame.kind == "verified") pass = data_pass_from(frame.payload);
    if (frame.kind == "read" &&
        std::sscanf(frame.payload.c_str(), "%llu %llu %llu", &done, &all, &bytes) == 3 && all > 0)
      line.show(fmt::format("verifying {} {}",
                            draw_bar(static_cast<double>(done) / static_cast<double>(all)),
                            line.count_samples(done, all, bytes)));
  });
  if (!pass) throw PartError("the process reading the dataset ended without an answer");
  return *pass;
}

std::string times_text(const DataPass& p) {
  if (p.seen == p.samples && p.duplicated == 0) return "each sample requested exactly once";
  return fmt::format("WRONG: {} of {} samples never requested, {} more than once",
                     p.samples - p.seen, p.samples, p.duplicated);
}

std::string contents_text(const DataPass& p, bool has_manifest) {
  const MeterTotals& t = p.totals;
  if (!has_manifest) return "your own data have no manifest: only decoding was checked";
  std::string text = fmt::format("{} of {} compared with the manifest, {} wrong", t.content_checked,
                                 p.samples, t.content_wrong);
  if (p.labels_wrong > 0) text += fmt::format(", {} with a wrong label", p.labels_wrong);
  if (t.content_checked < p.samples)
    text += fmt::format(" (WRONG: {} were not delivered for comparison)",
                        p.samples - t.content_checked);
  return text;
}

bool is_sound(const DataPass& p, bool has_manifest) {
  const MeterTotals& t = p.totals;
  const bool whole = p.seen == p.samples && p.duplicated == 0 && p.samples > 0;
  return whole && t.content_wrong == 0 && p.labels_wrong == 0 && t.decode_errors == 0 &&
         (!has_manifest || t.content_checked == p.samples);
}

void print_pass(const DatasetNeed& need, const DataPass& p, bool has_manifest,
                const std::string& loader) {
  const MeterTotals& t = p.totals;
  fmt::print("{}  {}\n", need.format, visible(need.path));
  fmt::print("samples     {}, {} of payloads in {} by loader {} with {} worker{}\n", p.samples,
             human_bytes(static_cast<double>(t.payload_bytes)),
             human_duration(from_seconds(p.seconds)), loader, p.workers, p.workers == 1 ? "" : "s");
  if (const std::string classes = classes_words(p); !classes.empty())
    fmt::print("classes     {}\n", classes);
  fmt::print("{}", remark_lines(p.remark));
  fmt::print("order       {}\n", times_text(p));
  fmt::print("contents    {}\n", contents_text(p, has_manifest));
  fmt::print("unreadable  {}{}\n", t.decode_errors,
             t.decode_warnings ? fmt::format(", with {} decoder warnings", t.decode_warnings) : "");
  for (const FaultySample& f : p.faults)
    fmt::print("  {} {}: {}: {}\n", f.where.empty() ? "sample" : visible(f.where),
               f.where.empty() ? fmt::format("{}", f.id) : fmt::format("(sample {})", f.id),
               name_of(f.kind), visible(f.what));
  if (const std::uint64_t all = t.decode_errors + t.content_wrong + p.labels_wrong;
      all > p.faults.size())
    fmt::print("  and {} more\n", all - p.faults.size());
}

}  // namespace

int verify_data(const Arguments& arguments) {
  const PreparedPlan p = prepare_plan(arguments);
  Plan base;
  base.trials.push_back(trial_of_base(p.plan));
  Trial& trial = base.trials.front();
  // What a scenario leaves out to measure storage alone is what is to be proven here.
  if (trial.settings.find("loader.payload"))
    trial.settings.set("loader.payload", *Value::parse(ParameterType::text, "stored"));
  const std::string loader = trial.settings.get(keys::loader.use);
  const auto need = dataset_of(trial.settings, p.cache_folder);
  if (!need)
    throw UsageError(fmt::format("loader {} reads no dataset: there is nothing to verify", loader),
                     "use a scenario with `dataset:`");
  // Data that is there is looked at whole, and reported as it is.
  if (!need->ready) make_datasets(base.trials, p.cache_folder);
  const bool has_manifest = !manifest_path(*need).empty();
  const DataPass pass = verify_in_child(trial, p.cache_folder);
  print_pass(*need, pass, has_manifest, loader);
  const bool sound = is_sound(pass, has_manifest);
  fmt::print("{}\n", sound ? whole_words(pass, has_manifest) : "NOT SOUND");
  return sound ? kDone : kTrialFailed;
}

}  // namespace benchbench
