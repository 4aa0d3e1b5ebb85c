// A whole line, loader to trainer, in virtual time: the harness's own queue, pool, credits and
// slots with a loader and a trainer whose times are given. What happened is written down and judged
// after the simulation, since assertions do not belong on a fiber.
#pragma once
#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <vector>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/pipeline/sample_accounting.h"
#include "harness/pipeline/supply.h"

namespace benchbench::test {

inline Nanoseconds ns(std::int64_t n) { return Nanoseconds{n}; }
inline std::int64_t ticks(TimePoint t) { return t.time_since_epoch().count(); }

struct Line {
  SupplyOptions options;
  std::uint64_t samples = 1'000'000;  // of the data set
  std::uint64_t batches = 100;        // to get
  bool shuffled = false;
  std::function<std::int64_t(BatchNumber)> make = {};  // time of a fill; none: no time
  std::function<std::int64_t(BatchNumber, std::uint64_t)> make_rows =
      {};                                                // instead: of a fill of so many rows
  std::function<std::int64_t(std::uint64_t)> step = {};  // time of step k; none: no time
  std::int64_t open = 0;                                 // time in which a worker is made
  std::uint32_t hold = 0;  // leases the trainer keeps beside the one in its step
  BatchNumber throw_in = ~BatchNumber{0};
  std::function<void(std::uint64_t, Supply&)> at_step = {};
};

struct Got {
  BatchNumber batch;
  Epoch epoch;
  std::int64_t at;  // ns
  std::vector<SampleId> ids;
};

struct Outcome {
  std::vector<Got> got;
  std::vector<std::int64_t> started, ready;  // by batch: first row begun, last row done
  std::vector<std::uint32_t> worker;         // by batch: who began it
  std::vector<std::pair<SampleId, std::uint64_t>> seeds;
  std::int64_t end = 0;                  // after the last step
  std::uint32_t most_outstanding = 0;    // begun and not got, counted by the loader and the trainer
  std::uint32_t max_expected = 0;        // announced and not got, likewise
  std::uint64_t changed_while_held = 0;  // batches whose bytes changed under the trainer's lease
  std::uint64_t wrong_bytes = 0;         // batches whose bytes were not those of their ids when got
  std::int64_t blocked = 0;              // in get()
  RequestCounts requests;
  std::uint64_t in_flight = 0, delivered = 0, duplicated = 0, missing = 0, epochs = 0;
  std::uint32_t slots_free = 0, slots = 0;
  WorkerTimes workers;
  std::exception_ptr error;
};

// Rows hold their sample's id in 8 bytes, written twice: a first half at the begin of the fill, a
// second at its end.
class TracedLoader final : public Loader {
 public:
  TracedLoader(const Line& line, Outcome& outcome, Runtime& runtime)
      : line_(line), outcome_(outcome), runtime_(runtime) {}
  Layout layout() const override { return {line_.samples, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    for (const char* name : {"first", "second"}) {
      TensorSpec tensor{.name = {}, .dtype = DType::int64, .row = {}};
      std::strncpy(tensor.name, name, sizeof tensor.name - 1);
      spec.tensor[spec.count++] = tensor;
    }
    return spec;
  }
  void expect(const BatchRequest&) override {
    outcome_.max_expected =
        std::max(outcome_.max_expected, static_cast<std::uint32_t>(++expected_ - gots_));
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber number, Runtime&) override {
    if (line_.open > 0) runtime_.spend(ns(line_.open), Spend::sleep);
    return std::make_unique<Worker>(*this, number);
  }
  void got() { ++gots_; }

 private:
  class Worker final : public LoaderWorker {
   public:
    Worker(TracedLoader& loader, WorkerNumber number) : loader_(loader), number_(number) {}
    void fill(const BatchRequest& request, StageMeter&) override { loader_.fill(request, number_); }

   private:
    TracedLoader& loader_;
    WorkerNumber number_;
  };

  void fill(const BatchRequest& request, WorkerNumber number) {
    const BatchNumber batch = request.batch;
    if (outcome_.started.size() <= batch) {
      outcome_.started.resize(batch + 1, -1);
      outcome_.ready.resize(batch + 1, -1);
      outcome_.worker.resize(batch + 1, 0);
    }
    if (outcome_.started[batch] < 0) {
      outcome_.started[batch] = ticks(runtime_.now());
      outcome_.worker[batch] = number;
      outcome_.most_outstanding =
          std::max(outcome_.most_outstanding, static_cast<std::uint32_t>(++begun_ - gots_));
    }
    write(request, 0);
    if (line_.make_rows)
      runtime_.spend(ns(line_.make_rows(batch, request.rows.count())), Spend::sleep);
    if (line_.make) runtime_.spend(ns(line_.make(batch)), Spend::sleep);
    if (batch == line_.throw_in) throw PartError("the disk is gone");
    write(request, 1);
    for (const SampleRef& sample : request.samples)
      outcome_.seeds.emplace_back(sample.id, sample.seed);
    outcome_.ready[batch] = std::max(outcome_.ready[batch], ticks(runtime_.now()));
  }
  static void write(const BatchRequest& request, std::size_t tensor) {
    for (std::size_t i = 0; i < request.rows.count(); ++i)
      std::memcpy(request.rows.row(tensor, i), &request.samples[i].id, sizeof(SampleId));
  }

  const Line& line_;
  Outcome& outcome_;
  Runtime& runtime_;
  std::uint64_t begun_ = 0, expected_ = 0, gots_ = 0;
};

class LineJob final : public Job {
 public:
  LineJob(const Line& line, Outcome& outcome, Runtime& runtime)
      : line_(line), out_(outcome), runtime_(runtime) {}

  void run() override {
    loader_ = std::make_unique<TracedLoader>(line_, out_, runtime_);
    sampler_ = make_sampler();
    device_ = make_cpu_device();
    SupplyOptions options = line_.options;
    options.trainer_holds = line_.hold;
    try {
      supply_ = std::make_unique<Supply>(options, *loader_, *sampler_, *device_, runtime_);
      train();
    } catch (...) {
      out_.error = std::current_exception();
    }
    held_.clear();
    if (supply_) close_accounting();
  }

 private:
  struct Held {
    BatchLease lease;
    std::vector<SampleId> ids;
  };

  std::unique_ptr<Sampler> make_sampler() {
    struct NoSettings final : Settings {
      bool has(std::string_view) const noexcept override { return false; }
      bool boolean(std::string_view) const override { return false; }
      std::int64_t integer(std::string_view) const override { return 0; }
      double real(std::string_view) const override { return 0; }
      std::string_view text(std::string_view) const override { return {}; }
      Nanoseconds duration(std::string_view) const override { return {}; }
      Bytes bytes(std::string_view) const override { return {}; }
      double rate(std::string_view) const override { return 0; }
    };
    static const NoSettings none;
    return built_in_catalog()
        .maker(PartKind::sampler, line_.shuffled ? "random" : "sequential")
        .sampler({.layout = loader_->layout(), .seed = line_.options.seed, .settings = none});
  }

  void train() {
    accounting_ = std::make_unique<SampleAccounting>(supply_->stream(), line_.samples);
    supply_->start();
    for (std::uint64_t k = 0; k < line_.batches; ++k) {
      const TimePoint before = runtime_.now();
      BatchLease lease = supply_->get({});
      loader_->got();
      out_.blocked += (runtime_.now() - before).count();
      out_.got.push_back({lease.batch(),
                          lease.epoch(),
                          ticks(runtime_.now()),
                          {lease.ids().begin(), lease.ids().end()}});
      accounting_->delivered(lease.epoch(), lease.ids());
      held_.push_back({std::move(lease), out_.got.back().ids});
      out_.wrong_bytes += !intact(held_.back());
      if (line_.at_step) line_.at_step(k, *supply_);
      if (line_.step) runtime_.spend(ns(line_.step(k)), Spend::sleep);
      for (const Held& held : held_) out_.changed_while_held += !intact(held);
      if (held_.size() > line_.hold) held_.erase(held_.begin());
    }
    out_.end = ticks(runtime_.now());
  }

  static bool intact(const Held& held) {
    for (const TensorView& tensor : held.lease.tensors())
      if (std::memcmp(tensor.data, held.ids.data(), held.ids.size() * sizeof(SampleId)) != 0)
        return false;
    return std::equal(held.ids.begin(), held.ids.end(), held.lease.ids().begin(),
                      held.lease.ids().end());
  }

  void close_accounting() {
    out_.workers = supply_->times(runtime_.now());
    supply_->stop();
    out_.requests = supply_->counts();
    out_.in_flight = supply_->in_flight().value;
    out_.slots = supply_->slots().size();
    out_.slots_free = supply_->slots().slots_in(SlotState::free);
    if (!accounting_) return;
    out_.delivered = accounting_->delivered();
    out_.duplicated = accounting_->duplicated();
    out_.missing = accounting_->missing();
    out_.epochs = accounting_->epochs_completed();
  }

  const Line& line_;
  Outcome& out_;
  Runtime& runtime_;
  std::unique_ptr<TracedLoader> loader_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Supply> supply_;
  std::unique_ptr<SampleAccounting> accounting_;
  std::vector<Held> held_;
};

// A deadlock is thrown from here; what the line threw is in `error`.
inline Outcome simulate(const Line& line) {
  Outcome outcome;
  const auto runtime = make_simulated_runtime();
  LineJob job(line, outcome, *runtime);
  runtime->run(job);
  return outcome;
}

// "" where nothing was thrown.
inline std::string message_of(const std::exception_ptr& error) {
  if (!error) return {};
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace benchbench::test
