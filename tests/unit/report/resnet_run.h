// A sweep as configs/resnet.yaml makes it, with times of a small machine: what the tables must be
// readable with.
#pragma once
#include "harness/core/random.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::test {

struct ResnetRun : MadeRun {
  Random random{7};
  std::uint32_t rounds = 3;

  explicit ResnetRun(double noise = 0.04) : noise_(noise) {
    plan.scenario.name = "resnet";
    plan.scenario.question =
        "Does the loader keep a ResNet training step fed, and with which settings?";
    plan.scenario.source = "configs/resnet.yaml";
    plan.scenario.axes = {{"loader.num_workers", {}},     {"loader.batch_size", {}},
                          {"loader.prefetch_factor", {}}, {"loader.pin_memory", {}},
                          {"loader.shuffle", {}},         {"dataset.format", {}}};
    plan.scenario.decisions = {"variant cpu laid on: trainer.device is cpu",
                               "trainer.intra_op_threads: 1"};
    const auto base = point({}, settings(2, 16));
    const auto trainer = add(base, Mode::trainer, 61);
    plan.anchor = trainer;
    add(base, Mode::loader, 2210);
    add(base, Mode::pipeline, 60.2);
    vary("loader.num_workers", "0", settings(0, 16), trainer, 1120, 55.1);
    auto threads = settings(0, 16);
    threads.set("trainer.intra_op_threads", whole(2));
    const auto reference =
        point({{"loader.num_workers", "0"}, {"trainer.intra_op_threads", "2"}}, std::move(threads));
    add(reference, Mode::pipeline, 57.3);
    vary("loader.num_workers", "1", settings(1, 16), trainer, 1215, 59.8);
    vary("loader.batch_size", "8", settings(2, 8), add_trial(Mode::trainer, 52), 2105, 51);
    vary("loader.batch_size", "32", settings(2, 32), add_trial(Mode::trainer, 66), 2304, 65.1);
    vary("loader.prefetch_factor", "1", settings(2, 16), trainer, 2190, 59.9);
    vary("loader.prefetch_factor", "4", settings(2, 16), trainer, 2260, 60.5);
    const auto pinned = point({{"loader.pin_memory", "true"}}, settings(2, 16));
    plan.points[pinned].skip = "pinned memory needs CUDA: no driver";
    vary("loader.shuffle", "false", settings(2, 16), trainer, 2201, 60.1);
    vary("dataset.format", "tar", settings(2, 16), trainer, 2390, 60.9);
    vary("dataset.format", "hdf5", settings(2, 16), trainer, 2330, 60.4);
    fill_records();
  }

 private:
  struct Speed {
    std::uint32_t trial;
    double rate;
  };

  std::uint32_t add_trial(Mode mode, double rate) {
    Trial t;
    t.index = static_cast<std::uint32_t>(plan.trials.size());
    t.digest = "digest " + std::to_string(t.index);
    t.mode = mode;
    plan.trials.push_back(std::move(t));
    speeds_.push_back({plan.trials.back().index, rate});
    return plan.trials.back().index;
  }

  std::uint32_t add(std::uint32_t p, Mode mode, double rate) {
    const auto t = add_trial(mode, rate);
    plan.trials[t].settings = plan.points[p].settings;
    share(p, t);
    return t;
  }

  void vary(const char* key, const char* label, SettingsMap settings, std::uint32_t trainer,
            double loader, double pipeline) {
    if (std::string_view(key) != "loader.num_workers" &&
        std::string_view(key) != "loader.batch_size")
      settings.set(key, words(label));
    const auto p = point({{key, label}}, std::move(settings));
    share(p, trainer);
    add(p, Mode::loader, loader);
    add(p, Mode::pipeline, pipeline);
  }

  Facts facts_of(const Trial& trial, double rate) {
    rate *= std::exp(noise_ * random.normal());
    const auto batch =
        trial.settings.has("loader.batch_size") ? trial.settings.integer("loader.batch_size") : 16;
    Facts f = good_facts(rate, static_cast<std::uint64_t>(batch));
    const double step = 1e9 * static_cast<double>(batch) / rate;
    f.window.steps = static_cast<std::uint64_t>(std::ceil(std::max(5.0, 1e9 / step)));
    f.window.samples = f.window.steps * static_cast<std::uint64_t>(batch);
    f.window.ns = static_cast<std::int64_t>(static_cast<double>(f.window.steps) * step);
    f.accounting.issued = f.window.samples + 64, f.accounting.delivered = f.window.samples,
    f.accounting.in_flight = 64;
    f.workers.wall_ns = f.workers.fill_ns = f.window.ns;
    f.cpu.user_s = 1.8 * to_seconds(Nanoseconds{f.window.ns});
    f.cpu.system_s = 0.05;
    f.peak_memory_bytes = 640'000'000 + static_cast<std::uint64_t>(batch) * 8'000'000;
    f.instrument.overhead_share = 0.0008;
    f.start.first_batch_ns = 23'000'000;
    if (trial.mode != Mode::trainer) {
      f.bytes.read = f.window.samples * 110'000;
      f.bytes.device = 0;
      f.bytes.payload = f.window.samples * 109'000;
    }
    if (trial.mode == Mode::pipeline) add_step(f, step);
    return f;
  }

  void add_step(Facts& f, double step) {
    const auto set = [&](Stage s, double share) {
      f.window.stages[static_cast<std::size_t>(s)] = {
          static_cast<std::int64_t>(share * static_cast<double>(f.window.ns)), f.window.steps};
    };
    set(Stage::get_blocked, 0.004);
    set(Stage::forward, 0.31);
    set(Stage::backward, 0.63);
    set(Stage::optimizer, 0.05);
    f.window.get_blocked = {0.004 * step, 0.003 * step, 0.006 * step,
                            0.009 * step, 0.011 * step, f.window.steps};
  }

  void fill_records() {
    for (std::uint32_t round = 0; round < rounds; ++round)
      for (const auto& [trial, rate] : speeds_)
        for (std::uint32_t repeat = 0; repeat < (trial == plan.anchor ? 3u : 1u); ++repeat) {
          TrialRecord& r = record(trial, round, facts_of(plan.trials[trial], rate), repeat);
          r.environment = environment();
        }
    records[4].facts.window.slope_share = 0.14;
    records[10].facts.cpu.steal_share = 0.031;
  }

  static Environment environment() {
    Environment e;
    e.cpu_model = "AMD EPYC 9V74 80-Core Processor";
    e.cpus_online = 4, e.cpus_usable = 2, e.cores_available = 2;
    e.memory_bytes = 8ull << 30;
    e.kernel = "Linux 6.1.0-18-amd64", e.virtualization = "kvm", e.governor = "not available",
    e.huge_pages = "madvise";
    e.build = "benchbench 0.1.0, GNU 12.2.0, RelWithDebInfo", e.libtorch = "2.11.0",
    e.cuda = "not found: no driver";
    e.clock_read_ns = 21, e.stage_scope_ns = 58, e.queue_hop_ns = 3400;
    return e;
  }

  double noise_;
  std::vector<Speed> speeds_;
};

}  // namespace benchbench::test
