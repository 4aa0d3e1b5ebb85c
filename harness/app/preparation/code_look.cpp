#include "harness/app/preparation/code_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/app/interrupt.h"
#include "harness/app/status_line.h"
#include "harness/core/error.h"
#include "harness/dataset/dataset_need.h"
#include "harness/plan/points.h"
#include "harness/record/external_keys.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::chrono::seconds kSilence{2};
constexpr std::chrono::minutes kPatience{2};  // for an import of torch

constexpr const char* kSides[] = {"loader.", "trainer."};

bool asks(const CodeQuestion& q, std::string_view section) {
  return section == kSides[0] ? q.loader : q.trainer;
}

// "train.py", "my_pkg.data": what the user knows it by.
std::string name_of_code(const CodeQuestion& q) {
  for (const std::string section : kSides)
    for (const std::string key : {"script", "module"})
      if (asks(q, section) && q.settings.given(section + key))
        return q.settings.text(section + key);
  return "the user's code";
}

// Equal texts have one answer. Names are looked up once whatever the arguments.
std::string text_of(const CodeQuestion& q, bool names_only) {
  SettingsMap named;
  for (const auto& [key, value] : q.settings.all()) {
    const bool counts =
        key.starts_with("dataset.") || std::ranges::any_of(kSides, [&](const char* side) {
          return key.starts_with(side) && asks(q, side);
        });
    if (counts && !(names_only && key.starts_with("loader.args."))) named.set(key, value);
  }
  return fmt::format("{}{}{}", names_only ? "names\n" : "", q.batch ? "batch\n" : "",
                     canonical_text(named));
}

// "make_data(size=224)"
std::string call_of(const SettingsMap& settings) {
  constexpr std::string_view kArguments = "loader.args.";
  std::string arguments;
  for (const auto& [key, value] : settings.all())
    if (key.starts_with(kArguments))
      arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ",
                               key.substr(kArguments.size()), value.text());
  return fmt::format("{}({})", settings.text("loader.call"), arguments);
}

// Says from the third second on how long the look takes, and ends it where the user does.
class LookProgress {
 public:
  explicit LookProgress(std::string doing) : doing_(std::move(doing)) {}
  void look() {
    if (interrupted()) throw InterruptedError(fmt::format("interrupted while {}", doing_));
    line_.show(fmt::format("{}: {:.0f} s", doing_, line_.seconds()));
  }

 private:
  const std::string doing_;
  StatusLine line_{{.silence = kSilence}};
};

}  // namespace

std::optional<ExternalCheck> CodeLooker::look(const CodeQuestion& question,
                                              const MakeData& make_data) {
  const auto need =
      question.loader ? dataset_need(question.settings, cache_folder_, catalog_) : std::nullopt;
  bool waits = need && !need->ready;
  const std::string root = need ? need->path : "";
  // A fault in the names is said before the data are made.
  if (waits && make_data && ask(question, root, true)) {
    make_data(question.settings);
    waits = false;
  }
  waits_for_data_ = waits_for_data_ || waits;
  const std::string key = text_of(question, waits);
  if (const auto known = answers_.find(key); known != answers_.end()) return known->second;
  // With `make_data` the names were looked at above, and lack a package.
  const auto answer = waits && make_data ? std::nullopt : ask(question, root, waits);
  return answers_[key] = waits ? std::nullopt : answer;
}

ExternalCuda CodeLooker::torch_cuda(const std::string& trainer, const std::string& python) {
  const auto ask = catalog_.maker(PartKind::trainer, trainer).external.cuda;
  if (!ask) return {false, fmt::format("trainer {} has no torch", trainer)};
  listen_for_interrupts();
  LookProgress progress("asking your Python's torch for CUDA devices");
  return ask({.interpreter = python, .kept_in = cache_folder_, .timeout = kPatience, .look = [&] {
                progress.look();
              }});
}

std::optional<ExternalCheck> CodeLooker::ask(const CodeQuestion& q, const std::string& root,
                                             bool names_only) {
  listen_for_interrupts();
  const PrefixedSettings loader(q.settings, "loader."), trainer(q.settings, "trainer.");
  const PartKind side = q.loader ? PartKind::loader : PartKind::trainer;
  const PartMaker& maker =
      catalog_.maker(side, q.settings.text(q.loader ? keys::loader.use : keys::trainer.use));
  if (!maker.external.check) return std::nullopt;
  const std::string device = q.settings.get(keys::trainer.device);
  LookProgress progress(
      fmt::format("importing {}{}", name_of_code(q),
                  q.loader && !names_only ? " and calling " + call_of(q.settings) : ""));
  try {
    return maker.external.check({.loader = q.loader ? &loader : nullptr,
                                 .trainer = q.trainer ? &trainer : nullptr,
                                 .root = root,
                                 .device = device,
                                 .names_only = names_only,
                                 .batch = q.batch,
                                 .timeout = timeout_of(q.settings),
                                 .look = [&] { progress.look(); }});
  } catch (const DeviceError& e) {
    for (const char* section : kSides)
      if (asks(q, section)) missing_[code_of(q.settings, section)] = e.what();
    return std::nullopt;
  }
}

}  // namespace benchbench
