// What every loader of the catalogue must do in the harness's own supply, and as a supply of its
// own: exactly once, and batches that stay.
#include <set>

#include "tests/contract/parts/loader_bench.h"
#include "tests/sweep.h"

namespace benchbench::test::loader_batch_contract {
namespace {

constexpr std::uint64_t kMostBatches = 12;  // looked at of an epoch, where that is a thousand

// The batch is what a worker of the same loader makes of the samples that were ordered.
class Reference {
 public:
  Reference(Loader& loader, Runtime& runtime)
      : loader_(loader), worker_(loader.worker(0, runtime)) {}
  bool same_as(const BatchLease& batch, std::span<const SampleRef> refs) {
    // Kept: to a worker that repeats one batch, memory it has written once is done.
    Rows& rows =
        *kept_.emplace_back(std::make_unique<Rows>(loader_.spec(), refs.size(), std::byte{0xa5}));
    fill(loader_, *worker_, refs, rows, 0, meter_, batch.batch());
    if (batch.tensors().size() != rows.tensors()) return false;
    for (std::size_t t = 0; t < rows.tensors(); ++t) {
      const TensorView& view = batch.tensors()[t];
      if (!(view.spec == rows.view(t).spec) || view.rows != static_cast<std::int64_t>(refs.size()))
        return false;
      if (!std::ranges::equal(std::span<const std::byte>(view.data, view.bytes()),
                              rows.of(t, 0, refs.size())))
        return false;
    }
    return true;
  }

 private:
  Loader& loader_;
  std::unique_ptr<LoaderWorker> worker_;
  RecordingMeter meter_;
  std::vector<std::unique_ptr<Rows>> kept_;
};

// Which batches of the first `epochs` epochs came, and which samples they said they hold.
class Deliveries {
 public:
  Deliveries(const EpochStream& stream, std::uint64_t epochs)
      : stream_(stream),
        batches_(epochs * stream.batches_per_epoch()),
        seen_(epochs * stream.samples_per_epoch()) {}
  bool whole() const noexcept { return came_.size() == batches_; }
  void add(const BatchLease& batch) {
    if (batch.batch() >= batches_) return;
    CHECK(came_.insert(batch.batch()).second);
    const BatchPlace place = stream_.place(batch.batch());
    CHECK(batch.epoch() == place.epoch);
    REQUIRE(batch.samples().value == place.rows);
    REQUIRE((batch.ids().empty() || batch.ids().size() == place.rows));
    for (const SampleId id : batch.ids()) {
      REQUIRE(id < stream_.samples_per_epoch());
      ++seen_[place.epoch * stream_.samples_per_epoch() + id];
    }
    told_ |= !batch.ids().empty();
  }
  bool told() const noexcept { return told_; }
  bool each_once() const {
    return std::ranges::all_of(seen_, [](int times) { return times == 1; });
  }

 private:
  const EpochStream& stream_;
  std::uint64_t batches_;
  std::vector<int> seen_;
  std::set<BatchNumber> came_;
  bool told_ = false;
};

std::uint64_t check_epochs(const PartRow& row, Food food, const Line::Order& order) {
  const auto runtime = make_real_runtime();
  PartSettings settings(*row.description);
  settings.set_all(ParameterType::rate, "1M/s");  // by default an epoch is seconds of waiting
  const MadeLoader made(
      {.row = row, .food = food, .workers = order.workers, .settings = &settings});
  Reference reference(made.loader(), *runtime);
  Line line(made.loader(), *runtime, order);
  Deliveries deliveries(line.stream(), 2);
  line.supply().start();
  std::uint64_t batches = 0, compared = 0;
  for (; !deliveries.whole(); ++batches) {
    const BatchLease batch = line.get();
    if (order.in_order) REQUIRE(batch.batch() == batches);
    deliveries.add(batch);
    // The first of an epoch, its last and short one, and those of the next: a mock has a thousand.
    if (compared >= 3 * kMostBatches || !order.in_order) continue;
    ++compared;
    REQUIRE(reference.same_as(batch, line.refs_of(batch.batch())));
  }
  line.supply().stop();
  if (deliveries.told()) CHECK(deliveries.each_once());
  CHECK(line.supply().slots().slots_in(SlotState::leased) == 0);
  return batches;
}

TEST_CASE("loaders: an epoch delivers each sample once, its own bytes in its row",
          "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    if (row.description->external)
      return set_aside("epochs are as the user's code has them: tests/unit/python");
    return with_each_food(row, [&](Food food) {
      std::uint64_t batches = 0;
      for (const std::uint32_t workers : {0u, 1u, 3u})
        for (const bool in_order : {true, false}) {
          if (sweep_size(0, 1) == 0 && workers != 3 && workers + in_order != 1) continue;
          INFO(workers << " workers, in order: " << in_order);
          batches += check_epochs(row, food, {.workers = workers, .in_order = in_order});
        }
      return batches;
    });
  });
}

using TensorBytes = std::vector<std::vector<std::byte>>;
TensorBytes bytes_of(const BatchLease& batch) {
  TensorBytes bytes;
  for (const TensorView& view : batch.tensors())
    bytes.emplace_back(view.data, view.data + view.bytes());
  return bytes;
}

TEST_CASE(
    "loaders: stopped in the midst their workers end, "
    "and batches in the trainer's hands stay as they are",
    "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) {
      const auto runtime = make_real_runtime();
      std::uint64_t held = 0;
      for (const std::uint32_t workers : {0u, 1u, 3u}) {
        INFO(workers << " workers");
        const MadeLoader made({.row = row, .food = food, .workers = workers});
        {
          Line never_begun(made.loader(), *runtime, {.workers = workers});
        }
        Line line(made.loader(), *runtime, {.workers = workers, .trainer_holds = 2});
        line.supply().start();
        std::vector<BatchLease> leases;
        std::vector<TensorBytes> bytes;
        for (int i = 0; i < 3; ++i) bytes.push_back(bytes_of(leases.emplace_back(line.get())));
        line.supply().stop();
        for (std::size_t i = 0; i < leases.size(); ++i) CHECK(bytes_of(leases[i]) == bytes[i]);
        held += leases.size();
        leases.clear();
        CHECK(line.supply().slots().slots_in(SlotState::leased) == 0);
      }
      return held;
    });
  });
}

}  // namespace
}  // namespace benchbench::test::loader_batch_contract
