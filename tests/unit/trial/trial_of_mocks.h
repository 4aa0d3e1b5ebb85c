// Trials of mocks with every setting at its default, then changed by the test:
// {"loader.batch_size", "4"}.
#pragma once
#include <initializer_list>
#include <string>
#include <utility>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/record/keys.h"
#include "harness/trial/executor.h"

namespace benchbench::test {

class TrialOfMocks {
 public:
  using Changes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // 2 workers, batches of 4 tiny samples that take no time, 100 samples an epoch, a trainer that
  // takes no time.
  TrialOfMocks(std::string_view loader, std::string_view trainer, Changes changes) {
    defaults("loader.", loader_keys());
    defaults("trainer.", trainer_keys());
    defaults("measure.", measure_keys());
    defaults("run.", run_keys());
    part("loader.", PartKind::loader, loader);
    part("trainer.", PartKind::trainer, trainer);
    change({{"trainer.device", "cpu"},
            {"trainer.intra_op_threads", "1"},
            {"loader.num_workers", "2"},
            {"loader.batch_size", "4"},
            {"loader.access", "sequential"}});
    if (loader == "synthetic" || loader == "replay") small_samples("loader.");
    change(changes);
  }

  // A cached batch of what `synthetic` makes.
  void repeat_a_synthetic_batch() {
    part("loader.of.", PartKind::loader, "synthetic");
    small_samples("loader.of.");
  }

  void change(Changes changes) {
    for (const auto& [key, text] : changes) set(std::string(key), text);
  }
  Trial trial() const {
    Trial trial;
    trial.settings = settings_;
    return trial;
  }

 private:
  void small_samples(const std::string& prefix) {
    for (const char* key : {"height", "width", "channels"}) set(prefix + key, "2");
    set(prefix + "samples", "100");
  }
  void part(const std::string& prefix, PartKind kind, std::string_view name) {
    const PartRow* row = built_in_catalog().find(kind, name);
    if (row) defaults(prefix, row->description->parameters);
    settings_.set(prefix + "use", {.type = ParameterType::text, .held = std::string(name)});
    types_[prefix + "use"] = ParameterType::text;
  }
  void defaults(const std::string& prefix, std::span<const Parameter> parameters) {
    for (const Parameter& p : parameters) {
      types_[prefix + std::string(p.key)] = p.type;
      if (!p.standard.empty()) set(prefix + std::string(p.key), p.standard);
    }
  }
  void set(const std::string& key, std::string_view text) {
    settings_.set(key, Value::parse(types_.at(key), text).value());
  }

  SettingsMap settings_;
  std::map<std::string, ParameterType> types_;
};

inline TrialRecord run_simulated(const Trial& trial, const PlannedRun& planned = {},
                                 std::span<const std::int64_t> loader_times = {},
                                 std::span<const std::int64_t> trainer_times = {}) {
  ExecutorContext context{.catalog = built_in_catalog(),
                          .environment = {},
                          .dataset = {},
                          .expected_digest = {},
                          .simulated = true,
                          .stop = nullptr,
                          .progress = {},
                          .loader_times = loader_times,
                          .trainer_times = trainer_times};
  context.environment.cores_available = 2;
  return run_trial(trial, planned, context);
}

inline std::string reasons_of(const TrialRecord& record) {
  std::string text;
  for (const Reason& reason : record.reasons) text += reason.text + "\n";
  return text;
}

}  // namespace benchbench::test
