#include "scenarios/python/hand_over_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "harness/core/error.h"
#include "scenarios/python/answers.h"
#include "scenarios/python/batch_ring.h"
#include "scenarios/python/interpreter.h"
#include "scenarios/python/python_child.h"
#include "scenarios/python/requests.h"

namespace benchbench::python_part {
namespace {

using std::chrono::seconds;

// With workers one slot is the trainer's and another is written meanwhile. Without, a batch is made
// when it is asked for.
constexpr std::uint32_t kLoaderSlots = 2, kSlotsOnDemand = 1;
// For the batch that is being made as the trial ends.
constexpr Nanoseconds kEndOfBatchesPatience = seconds{3};
constexpr std::string_view kDoing = "was making a batch";

// What a trial does not give is the user's own, and stays so.
ExternalTerms terms_of(const LoaderContext& context) {
  if (context.external) return *context.external;
  ExternalTerms terms;
  terms.keys.num_workers = context.num_workers;
  terms.keys.batch_size = context.batch_size;
  return terms;
}

// The process and the ring, for the loader and for all that it gives out.
class HandOver {
 public:
  explicit HandOver(const LoaderContext& context)
      : terms_(terms_of(context)),
        on_demand_(terms_.keys.num_workers.value_or(context.num_workers) == 0),
        call_(call_of(context.settings)) {
    facts_.way = ExternalWay::hand_over;
    facts_.loader_call = call_;
    child_ = start_child(interpreter_for(&context.settings, nullptr), patience(), facts_);
    load_code(*child_,
              load_request("load", &context.settings, nullptr, context.dataset.path, "cpu"),
              patience(), facts_);
    prepare(context);
    serve(on_demand() ? kSlotsOnDemand : kLoaderSlots);
  }

  // For a new source. How many batches the trainer keeps is known once it is made, of the first
  // batch: where it keeps some, the loader begins again.
  void begin(std::uint32_t trainer_holds) {
    const std::uint32_t slots = (on_demand() ? kSlotsOnDemand : kLoaderSlots) + trainer_holds;
    if (!ended_ && slots == slots_) return;
    const BatchSpec before = layout().spec;
    if (!ended_) {
      child_->send({{"type", "end"}});
      while (child_->receive("was ending the loader", patience()).type != "served") {
      }
    }
    serve(slots);
    if (!(layout().spec == before))
      throw PartError(
          fmt::format("batches of {} are of another shape when they are made again", call_));
  }

  const SlotLayout& layout() const noexcept { return ring_->layout(); }
  const ExternalFacts& facts() const noexcept { return facts_; }
  bool on_demand() const noexcept { return on_demand_; }

  // The next batch, as the user's loader made it.
  SourceBatch next() {
    for (;;) {
      const Message message = child_->receive(kDoing, patience());
      if (message.type == "batch") return taken(message);
      if (message.type != "progress")
        throw_nonsense(fmt::format("\"{}\" instead of a batch", message.type));
    }
  }
  // Its memory may be written again. Any thread.
  void free(const SourceBatch& batch) {
    child_->send({{"type", "free"}, {"slot", slot_of(batch)}});
  }

  // Copies rows of the current batch, or of the next where that has none left, from row `from` on.
  // How many. Any thread.
  std::size_t copy_rows(const RowSpan& rows, std::size_t from) {
    const Guard guard(copying_);
    if (copied_ == current_.samples) renew();
    const std::size_t count =
        std::min<std::size_t>(rows.count() - from, current_.samples - copied_);
    for (std::size_t t = 0; t < current_.tensor_count; ++t) {
      const std::size_t bytes = current_.tensors[t].spec.bytes_per_row();
      std::memcpy(rows.row(t, from), current_.tensors[t].data + copied_ * bytes, count * bytes);
    }
    copied_ += count;
    return count;
  }

  // Ends what the process does, and keeps what it says of it, if it is able to.
  void end() noexcept {
    if (ended_) return;
    ended_ = true;
    try {
      result_.facts = facts_;
      if (failed_) return;
      child_->send({{"type", "end"}});
      hear_the_end();
    } catch (const std::exception&) {  // what was measured is kept; the process is killed
    }
  }
  // No answer is to be expected of it any more.
  void note_failure() noexcept { failed_ = true; }
  // Of the batches so far and, after end(), of everything.
  const ExternalResult& result() const noexcept { return result_; }

 private:
  Patience patience() const { return {Nanoseconds{0}, terms_.look}; }

  void prepare(const LoaderContext& context) {
    const Json settings = settings_of(terms_.keys, &context.settings);
    if (settings.contains("persistent_workers"))
      facts_.persistent_workers = settings["persistent_workers"].get<bool>();
    serve_ = {{"type", "serve"},         {"settings", settings},
              {"seed", context.seed},    {"observer", terms_.observer},
              {"images", terms_.images}, {"intra_op_threads", terms_.intra_op_threads}};
  }

  void serve(std::uint32_t slots) {
    serve_["slots"] = slots_ = slots;
    number_ = 0;
    ended_ = false;
    const Message spec = child_->ask(serve_, "spec", "was making the first batch", patience());
    ring_ = std::make_unique<BatchRing>(child_->memory(), layout_from(spec, call_), slots_);
    read_from(spec, [&](const Json& body) {
      if (const auto length = member<std::uint64_t>(body, "length")) facts_.epoch_samples = length;
      if (const auto batches = member<std::uint64_t>(body, "batches"))
        facts_.epoch_batches = batches;
    });
    result_.facts = facts_;
  }

  SourceBatch taken(const Message& message) {
    SourceBatch batch;
    read_from(message, [&](const Json& body) {
      const auto slot = whole<std::uint32_t>(body.at("slot")),
                 rows = whole<std::uint32_t>(body.at("rows"));
      if (slot >= slots_ || rows == 0 || rows > layout().rows)
        throw_nonsense(fmt::format("a batch of {} rows in slot {}; there are {} of {} rows", rows,
                                   slot, slots_, layout().rows));
      batch.tensors = ring_->views(slot, rows);
      batch.tensor_count = layout().spec.count;
      batch.samples = rows;
      batch.epoch = whole<std::uint64_t>(body.at("epoch"));
      batch.batch = number_++;
      batch.handle = ring_->tensor(slot, 0);
    });
    return batch;
  }
  std::uint32_t slot_of(const SourceBatch& batch) const noexcept {
    const auto offset = static_cast<std::byte*>(batch.handle) - ring_->tensor(0, 0);
    return static_cast<std::uint32_t>(static_cast<std::size_t>(offset) / layout().slot_bytes);
  }

  void renew() {
    if (current_.handle) free(current_);
    current_ = next();
    copied_ = 0;
  }

  void hear_the_end() {
    const std::function<void()> none;
    const auto until = std::chrono::steady_clock::now() + kEndOfBatchesPatience;
    for (;;) {
      if (std::chrono::steady_clock::now() > until) return;
      const Message message =
          child_->receive("was ending the loader", {kEndOfBatchesPatience, none});
      if (message.type != "served") continue;
      child_->be_idle();
      result_ = result_from(message, facts_);
      return;
    }
  }

  const ExternalTerms terms_;
  const bool on_demand_;  // without workers
  const std::string call_;
  Json serve_;  // the request
  ExternalFacts facts_;
  ExternalResult result_;
  std::unique_ptr<PythonChild> child_;
  std::unique_ptr<BatchRing> ring_;
  std::uint32_t slots_ = 0;
  BatchNumber number_ = 0;
  const std::unique_ptr<Runtime> runtime_ = make_real_runtime(Nanoseconds{0});
  Lock copying_{*runtime_};
  SourceBatch current_;       // the one that copy_rows() is at
  std::uint64_t copied_ = 0;  // of its rows
  bool ended_ = false;
  std::atomic<bool> failed_{false};
};

class RingSource final : public BatchSource {
 public:
  RingSource(HandOver& hand_over, const SourceContext& context)
      : hand_over_(hand_over), lock_(context.runtime) {
    hand_over_.begin(context.trainer_holds);
  }
  ~RingSource() override { stop(); }

  SourceBatch next() override try {
    for (const SourceBatch& batch : returned()) hand_over_.free(batch);
    SourceBatch batch = hand_over_.next();
    got_.fetch_add(1, std::memory_order_relaxed);
    return batch;
  } catch (...) {
    hand_over_.note_failure();
    throw;
  }
  // Without workers its slot is free when the next batch is asked for: that one is made then, not
  // while a step runs.
  void give_back(const SourceBatch& batch) noexcept override try {
    if (!hand_over_.on_demand()) return hand_over_.free(batch);
    const Guard guard(lock_);
    returned_.push_back(batch);
  } catch (const std::exception&) {  // next() says what is wrong with the process
  }
  void stop() noexcept override { hand_over_.end(); }
  std::uint64_t made() const noexcept override { return got_.load(std::memory_order_relaxed); }
  std::optional<Nanoseconds> cpu_time() const noexcept override { return std::nullopt; }

 private:
  std::vector<SourceBatch> returned() {
    const Guard guard(lock_);
    return std::exchange(returned_, {});
  }

  HandOver& hand_over_;
  Lock lock_;
  std::vector<SourceBatch> returned_;
  std::atomic<std::uint64_t> got_{0};
};

// The user's batches one after the other, where the harness has the rows.
class RowWorker final : public LoaderWorker {
 public:
  explicit RowWorker(HandOver& hand_over) : hand_over_(hand_over) {}
  void fill(const BatchRequest& request, StageMeter&) override {
    for (std::size_t row = 0; row < request.rows.count();)
      row += hand_over_.copy_rows(request.rows, row);
  }

 private:
  HandOver& hand_over_;
};

class HandOverLoader final : public Loader {
 public:
  explicit HandOverLoader(const LoaderContext& context)
      : hand_over_(context),
        note_(fmt::format("{}; batches by shared memory", hand_over_.facts().versions)) {}
  // A loader of unknown length has a batch at least.
  Layout layout() const override {
    return {.samples = hand_over_.facts().epoch_samples.value_or(own_rows()),
            .shard_ends = {},
            .lengths = {}};
  }
  BatchSpec spec() const override { return hand_over_.layout().spec; }
  std::uint32_t own_rows() const noexcept override { return hand_over_.layout().rows; }
  std::string_view note() const override { return note_; }
  std::unique_ptr<BatchSource> source(const SourceContext& context) override {
    return std::make_unique<RingSource>(hand_over_, context);
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    return std::make_unique<RowWorker>(hand_over_);
  }
  std::optional<ExternalResult> external_result() override {
    hand_over_.end();
    return hand_over_.result();
  }

 private:
  HandOver hand_over_;
  const std::string note_;
};

}  // namespace

std::unique_ptr<Loader> make_hand_over_loader(const LoaderContext& context) {
  return std::make_unique<HandOverLoader>(context);
}

}  // namespace benchbench::python_part
