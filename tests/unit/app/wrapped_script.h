// A script that is measured, as the records of it are kept.
#pragma once
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/app/wrap/wrap_kept.h"
#include "tests/scratch_folder.h"

namespace benchbench::wrap_kept_test {

// A script that is this very process: what is read of it from /proc is there.
class Wrapped {
 public:
  explicit Wrapped(bool trains = true, WrapRequest asked = {})
      : request(std::move(asked)), parent_(test::make_scratch_folder("wrap")) {
    request.words = {"python", "train.py"};
    request.script = "train.py";
    request.folder = parent_ + "/record";
    request.order.rounds = 2;
    request.order.stretch = std::chrono::seconds{1};
    WrapHello hello;
    hello.pid = ::getpid();
    hello.interpreter = "/usr/bin/python3";
    run.connected(hello);
    plans(trains);
  }
  ~Wrapped() { std::filesystem::remove_all(parent_); }

  void plans(bool trains, const std::function<void(WrapSteady&)>& change = {}) {
    WrapSteady steady;
    steady.loop.batch = steady.loop.step = std::chrono::milliseconds{10};
    steady.loader.name = "train_loader";
    steady.loader.trains = trains;
    steady.loader.own = {{"num_workers", std::int64_t{2}}, {"batch_size", std::int64_t{4}}};
    if (change) change(steady);
    run.steady(::getpid(), steady);
  }
  // A second of 100 steps; `change` may make it another one.
  void measures(WrapKind kind, std::uint32_t round,
                const std::function<void(WrapStretch&)>& change = {}) {
    WrapStretch stretch;
    stretch.kind = kind;
    stretch.round = round;
    stretch.idle = true;
    stretch.result.segments = {{0, 1'000'000'000}};
    stretch.result.steps = 100;
    stretch.result.samples = 400;
    stretch.result.get_ns.assign(100, 1'000'000);
    stretch.result.facts.noticed = noticed;
    if (!noticed.empty()) stretch.result.facts.kind = "DataLoader";
    if (kind != WrapKind::loader) stretch.result.step_ns.assign(100, 9'000'000);
    if (change) change(stretch);
    run.segment_begins(::getpid(), kind, {::getpid()});
    run.segment_ends(::getpid());
    run.finished(::getpid(), stretch);
  }
  void measures_round(std::uint32_t round) {
    for (const WrapKind kind : {WrapKind::trainer, WrapKind::full, WrapKind::loader})
      measures(kind, round);
  }
  void keep() { kept.keep(run); }
  void keep(WrapKind kind) {
    measures(kind, 0);
    keep();
  }
  void ends(const WrapEnd& end) { run.ended(::getpid(), end); }
  // Returns what is in the folder in the end.
  Journal finish(const std::vector<ExternalNoticed>& at_end = {}, const std::string& early = {}) {
    REQUIRE(kept.finish(run, at_end, early));
    return RunFolder::read(kept.folder());
  }
  std::size_t count_records() const { return RunFolder::read(request.folder).records.size(); }
  // Returns true if a notice of record `i` begins with `words`.
  bool has_notice(std::size_t i, std::string_view words) const {
    return std::ranges::any_of(kept.records().at(i).facts.notices,
                               [&](const std::string& text) { return text.starts_with(words); });
  }

  std::vector<ExternalNoticed> noticed;  // in each stretch
  WrapRequest request;
  const std::unique_ptr<Runtime> runtime = make_real_runtime(Nanoseconds{0});
  WrapRun run{request, *runtime};
  WrapKept kept{request, observe_environment()};

 private:
  const std::string parent_;
};

}  // namespace benchbench::wrap_kept_test
