// What every loader of the catalogue must do: a new row is under test at once.
#include <set>

#include "harness/trial/trial_parts.h"
#include "tests/contract/parts/loader_bench.h"
#include "tests/skip.h"

namespace benchbench::test::loader_contract {
namespace {

constexpr std::byte kPoison{0xa5}, kOtherPoison{0x5a};
constexpr std::uint64_t kMostBatches = 12;  // looked at of an epoch, where that is a thousand

const auto kReal = [] { return make_real_runtime(); };

bool has_workers_of_its_own(Loader& loader, Runtime& runtime) {
  struct Nothing final : RequestFeed {
    BatchRequest next() override { return {}; }
  } feed;
  RecordingMeter meter;
  StageMeter* const meters[] = {&meter};
  return loader.source({.runtime = runtime, .requests = feed, .meters = meters}) != nullptr;
}

// What a sample becomes is drawn from its seed: by the parameters of the kind of data that say so.
bool draws(const PartDescription& loader, Food food) {
  if (food == Food::images || food == Food::pixels) return has_parameter(loader, "transform.random_resized_crop");
  return food == Food::volumes && has_parameter(loader, "transform.random_patch");
}

TEST_CASE("parts: every loader and trainer of the catalogue can be made here", "[contract][loaders][trainers]") {
  for (const PartKind kind : {PartKind::loader, PartKind::trainer}) {
    std::set<std::string_view> names;
    for_each_row(kind, 5, [&](const PartRow& row) {
      CHECK(names.insert(row.description->name).second);
      return looked_at(1);
    });
    for (const PartRow& row : built_in_catalog().rows())
      if (const std::string why = why_absent(row); row.description->kind == kind && !why.empty())
        skip(words_of(row) + ": " + why);
  }
}

// --- what it says of itself

std::uint64_t check_spec(const BatchSpec& spec) {
  REQUIRE(spec.count >= 1);
  REQUIRE(spec.count <= kMaxTensors);
  std::set<std::string> names;
  for (const TensorSpec& tensor : spec.tensors()) {
    REQUIRE(::strnlen(tensor.name, sizeof tensor.name) < sizeof tensor.name);
    CHECK(tensor.name[0] != '\0');
    CHECK(names.insert(tensor.name).second);
    REQUIRE(tensor.row.rank <= kMaxRank);
    for (std::uint8_t i = 0; i < tensor.row.rank; ++i) CHECK(tensor.row.extent[i] >= 1);
    if (tensor.ragged) CHECK(tensor.row.rank >= 1);
  }
  return spec.count;
}

void check_layout(const Layout& layout, bool reads) {
  REQUIRE(layout.samples > 0);
  if (reads) CHECK(layout.samples == kSamples);
  if (!layout.shard_ends.empty()) {
    CHECK(std::ranges::is_sorted(layout.shard_ends));
    CHECK(layout.shard_ends.back() == layout.samples);
  }
  if (!layout.lengths.empty()) CHECK(layout.lengths.size() == layout.samples);
}

// One for all samples of a batch, whatever their seeds, and no more than the spec's.
void check_width(const Loader& loader, const BatchSpec& spec) {
  for (SampleId first = 0; first < kSamples; first += 5) {
    const std::size_t count = std::min<std::size_t>(kBatch, kSamples - first);
    const std::uint32_t width = loader.width_of(samples_from(first, count));
    CHECK(loader.width_of(samples_from(first, count, kSeed + 1)) == width);
    if (!any_ragged(spec)) CHECK(width == 0);
    for (const TensorSpec& tensor : spec.tensors())
      if (tensor.ragged) {
        CHECK(width >= 1);
        CHECK(width <= static_cast<std::uint64_t>(tensor.row.extent[0]));
      }
  }
}

TEST_CASE("loaders: what they say of their batches is in bounds and stays", "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) {
      const MadeLoader made({.row = row, .food = food});
      const BatchSpec spec = made->spec();
      const std::uint64_t tensors = check_spec(spec);
      CHECK(made->spec() == spec);
      check_layout(made->layout(), food != Food::none);
      check_width(made.loader(), spec);
      return tensors;
    });
  });
}

// --- rows

// Labels are below classes(), where the loader knows how many there are.
void check_labels(const Loader& loader, const Rows& rows, std::size_t first, std::size_t count) {
  if (loader.classes() == 0) return;
  for (std::size_t t = 0; t < rows.tensors(); ++t) {
    if (std::string_view(rows.view(t).spec.name) != "label") continue;
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t label;
      std::memcpy(&label, rows.of(t, first + i, 1).data(), sizeof label);
      CHECK(label >= 0);
      CHECK(label < static_cast<std::int64_t>(loader.classes()));
    }
  }
}

// Poisoned in two ways: a byte that is not written differs, and so does one that nothing says what it must be.
std::uint64_t check_rows_written(Loader& loader, Runtime& runtime) {
  const auto worker = loader.worker(0, runtime);
  const auto refs = samples_from(3, kBatch);
  constexpr std::size_t kFirst = 2, kRows = kFirst + kBatch + 1;
  Rows rows(loader.spec(), kRows, kPoison), again(loader.spec(), kRows, kOtherPoison);
  RecordingMeter meter;
  fill(loader, *worker, refs, rows, kFirst, meter);
  fill(loader, *worker, refs, again, kFirst, meter);
  for (std::size_t i = kFirst; i < kFirst + kBatch; ++i) {
    INFO("row " << i << " of " << kRows);
    CHECK(same_bytes(rows, i, again, i, 1));
  }
  CHECK(rows.untouched_but(kFirst, kBatch));
  CHECK(again.untouched_but(kFirst, kBatch));
  CHECK(meter.faults.empty());
  check_labels(loader, rows, kFirst, kBatch);
  return kBatch;
}

TEST_CASE("loaders: every row asked for is written whole, and no other", "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) {
      const auto runtime = kReal();
      const MadeLoader made({.row = row, .food = food});
      return check_rows_written(made.loader(), *runtime);
    });
  });
}

// Rows one by one and by turns, as workers that share a batch fill them.
void fill_by_turns(Loader& loader, std::span<LoaderWorker* const> workers, std::span<const SampleRef> refs, Rows& rows) {
  rows.narrow_to(loader.width_of(refs));
  RecordingMeter meter;
  for (std::size_t i = refs.size(); i-- > 0;) {
    const BatchRequest request{.epoch = 0, .batch = 0, .samples = refs.subspan(i, 1), .rows = rows.span(i, 1)};
    workers[i % workers.size()]->fill(request, meter);
  }
}

std::uint64_t check_same_whoever_fills(const PartRow& row, Food food) {
  const auto runtime = kReal();
  const MadeLoader made({.row = row, .food = food, .workers = 3}), another({.row = row, .food = food});
  const auto first = made->worker(0, *runtime), third = made->worker(2, *runtime), other = another->worker(1, *runtime);
  const auto refs = samples_from(7, kBatch), before = samples_from(20, kBatch);
  const BatchSpec spec = made->spec();
  Rows rows(spec, kBatch, kPoison), by_third(spec, kBatch, kPoison), by_other(spec, kBatch, kPoison),
      shared(spec, kBatch, kPoison), warm(spec, kBatch, kPoison);
  RecordingMeter meter;
  fill(made.loader(), *first, refs, rows, 0, meter);
  fill(made.loader(), *third, before, warm, 0, meter);  // what it did before leaves no trace
  fill(made.loader(), *third, refs, by_third, 0, meter);
  fill(another.loader(), *other, refs, by_other, 0, meter);
  LoaderWorker* const both[] = {first.get(), third.get()};
  made->expect({.samples = refs, .rows = shared.span(0, kBatch)});
  fill_by_turns(made.loader(), both, refs, shared);
  CHECK(same_bytes(rows, 0, by_third, 0, kBatch));
  CHECK(same_bytes(rows, 0, by_other, 0, kBatch));
  CHECK(same_bytes(rows, 0, shared, 0, kBatch));
  return 3;
}

TEST_CASE("loaders: the same samples and seeds make the same bytes, whichever worker fills them", "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) { return check_same_whoever_fills(row, food); });
  });
}

TEST_CASE("loaders: another seed changes what is drawn, and nothing else", "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) {
      const auto runtime = kReal();
      const MadeLoader made({.row = row, .food = food});
      const auto worker = made->worker(0, *runtime);
      constexpr std::size_t kRows = 16;
      Rows rows(made->spec(), kRows, kPoison), other(made->spec(), kRows, kPoison);
      RecordingMeter meter;
      fill(made.loader(), *worker, samples_from(2, kRows), rows, 0, meter);
      fill(made.loader(), *worker, samples_from(2, kRows, kSeed + 1), other, 0, meter);
      std::size_t differ = 0;
      for (std::size_t i = 0; i < kRows; ++i) differ += !same_bytes(rows, i, other, i, 1);
      INFO(differ << " of " << kRows << " rows differ");
      if (draws(*row.description, food))
        CHECK(differ > kRows * 3 / 4);  // a draw may come out alike
      else
        CHECK(differ == 0);
      return std::uint64_t{kRows};
    });
  });
}

// --- batches

// The batch is what a worker of the same loader makes of the samples that were ordered.
class Reference {
 public:
  Reference(Loader& loader, Runtime& runtime) : loader_(loader), worker_(loader.worker(0, runtime)) {}
  bool same_as(const BatchLease& batch, std::span<const SampleRef> refs) {
    // Kept: to a worker that repeats one batch, memory it has written once is done.
    Rows& rows = *kept_.emplace_back(std::make_unique<Rows>(loader_.spec(), refs.size(), kPoison));
    fill(loader_, *worker_, refs, rows, 0, meter_, batch.batch());
    if (batch.tensors().size() != rows.tensors()) return false;
    for (std::size_t t = 0; t < rows.tensors(); ++t) {
      const TensorView& view = batch.tensors()[t];
      if (!(view.spec == rows.view(t).spec) || view.rows != static_cast<std::int64_t>(refs.size())) return false;
      if (!std::ranges::equal(std::span<const std::byte>(view.data, view.bytes()), rows.of(t, 0, refs.size()))) return false;
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
      : stream_(stream), batches_(epochs * stream.batches_per_epoch()), seen_(epochs * stream.samples_per_epoch()) {}
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
  bool each_once() const { return std::ranges::all_of(seen_, [](int times) { return times == 1; }); }

 private:
  const EpochStream& stream_;
  std::uint64_t batches_;
  std::vector<int> seen_;
  std::set<BatchNumber> came_;
  bool told_ = false;
};

std::uint64_t check_epochs(const PartRow& row, Food food, const Line::Order& order) {
  const auto runtime = kReal();
  const MadeLoader made({.row = row, .food = food, .workers = order.workers});
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

TEST_CASE("loaders: an epoch delivers each sample once, its own bytes in its row", "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) {
      std::uint64_t batches = 0;
      for (const std::uint32_t workers : {0u, 1u, 3u})
        for (const bool in_order : {true, false}) {
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
  for (const TensorView& view : batch.tensors()) bytes.emplace_back(view.data, view.data + view.bytes());
  return bytes;
}

TEST_CASE("loaders: stopped in the midst their workers end, and batches in the trainer's hands stay as they are",
          "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) {
      const auto runtime = kReal();
      std::uint64_t held = 0;
      for (const std::uint32_t workers : {0u, 1u, 3u}) {
        INFO(workers << " workers");
        const MadeLoader made({.row = row, .food = food, .workers = workers});
        { Line never_begun(made.loader(), *runtime, {.workers = workers}); }
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

// --- stages

using StageCounts = std::array<std::uint64_t, kStages>;

// The batches of an epoch, by one worker, one after the other.
void fill_an_epoch(Loader& loader, Runtime& runtime, StageCounts& seen) {
  const auto worker = loader.worker(0, runtime);
  Rows rows(loader.spec(), kBatch, kPoison);
  const SampleId samples = std::min<SampleId>(loader.layout().samples, kBatch * kMostBatches);
  for (SampleId first = 0; first < samples; first += kBatch) {
    const auto refs = samples_from(first, std::min<std::size_t>(kBatch, samples - first));
    RecordingMeter meter;
    const TimePoint begun = runtime.now();
    fill(loader, *worker, refs, rows, 0, meter, first / kBatch);
    CHECK(meter.sum <= runtime.now() - begun);  // no moment is billed twice, none that was not
    CHECK_FALSE(meter.negative);
    CHECK_FALSE(meter.other_step);
    CHECK_FALSE(meter.other_thread);
    for (std::size_t s = 0; s < kStages; ++s) seen[s] += meter.counts[s];
  }
}

void supply_an_epoch(Loader& loader, Runtime& runtime, StageCounts& seen) {
  Line line(loader, runtime, {.workers = 2});
  line.supply().start();
  for (BatchNumber b = 0; b < line.stream().batches_per_epoch(); ++b) line.get();
  line.supply().stop();
  for (std::size_t s = 0; s < kStages; ++s) seen[s] += line.supply().totals().stages[s].count;
}

void meter_on_real_threads(const PartRow& row, Food food, std::string_view format, StageCounts& seen) {
  const auto runtime = kReal();
  const MadeLoader made({.row = row, .food = food, .format = format, .workers = 2});
  fill_an_epoch(made.loader(), *runtime, seen);
  if (has_workers_of_its_own(made.loader(), *runtime)) supply_an_epoch(made.loader(), *runtime, seen);
}

void meter_in_virtual_time(const PartRow& row, Food food, std::string_view format, StageCounts& seen) {
  PartSettings settings(*row.description);
  settings.set_all(ParameterType::duration, "1ms");
  settings.set_if_there("sample_bytes", "1KiB");
  in_virtual_time([&](Runtime& runtime) {
    const MadeLoader made({.row = row, .food = food, .format = format, .settings = &settings, .simulated = true});
    fill_an_epoch(made.loader(), runtime, seen);
  });
}

// A stage may be billed for some formats only.
TEST_CASE("loaders: the stages they meter are those they describe, and the loader's", "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    StageCounts seen{};
    std::uint64_t looked = 0;
    for (const Food food : foods_of(*row.description)) {
      auto formats = DataSets::formats_for(food);
      if (food == Food::none) formats = {std::string_view()};
      for (const std::string_view format : formats) {
        INFO("of " << name_of(food) << " in " << format);
        meter_on_real_threads(row, food, format, seen);
        if (row.description->simulated) meter_in_virtual_time(row, food, format, seen);
        ++looked;
      }
    }
    for (std::size_t s = 0; s < kStages; ++s) {
      const auto stage = static_cast<Stage>(s);
      const auto described = std::ranges::count(row.description->stages, stage);
      INFO("stage " << name_of(stage) << " is described " << described << " times and metered " << seen[s] << " times");
      CHECK(described <= 1);
      CHECK((seen[s] > 0) == (described == 1));
      if (described) CHECK(stage < Stage::slot_wait);
    }
    return looked_at(looked);
  });
}

TEST_CASE("loaders: an emulated storage is asked for every byte that was read", "[contract][loaders]") {
  for_each_row(PartKind::loader, 2, [](const PartRow& row) {
    if (!row.description->needs_dataset && !has_parameter(*row.description, "sample_bytes"))
      return set_aside("it reads nothing");
    return with_each_food(row, [&](Food food) {
      const auto runtime = kReal();
      PartSettings settings(*row.description);
      settings.set_if_there("sample_bytes", "1KiB");
      CountingStorage storage;
      const MadeLoader made({.row = row, .food = food, .settings = &settings, .store = &storage});
      const auto worker = made->worker(0, *runtime);
      Rows rows(made->spec(), kBatch, kPoison);
      RecordingMeter meter;
      for (const SampleId first : {0, 4, 17}) fill(made.loader(), *worker, samples_from(first, kBatch), rows, 0, meter, 0);
      CHECK(meter.read_bytes > 0);
      CHECK(storage.bytes() == meter.read_bytes);
      return storage.bytes();
    });
  });
}

// --- virtual time

bool takes_time(const PartDescription& loader, int durations) {
  const auto is_rate = [](const Parameter& p) { return p.type == ParameterType::rate; };
  return durations > 0 || loader.needs_dataset || has_parameter(loader, "times") ||
         std::ranges::any_of(loader.parameters, is_rate);
}

// When each of the first batches was there, by two workers.
std::vector<TimePoint> arrivals(const PartRow& row, Food food, bool& timed) {
  PartSettings settings(*row.description);
  timed = takes_time(*row.description, settings.set_all(ParameterType::duration, "1ms"));
  std::vector<TimePoint> times;
  in_virtual_time([&](Runtime& runtime) {
    CountingStorage storage(&runtime);
    const MadeLoader made({.row = row, .food = food, .workers = 2, .settings = &settings, .store = &storage, .simulated = true});
    Line line(made.loader(), runtime, {.workers = 2});
    times.push_back(runtime.now());
    line.supply().start();
    for (std::uint64_t b = 0; b < kMostBatches; ++b) {
      line.get();
      times.push_back(runtime.now());
    }
    line.supply().stop();
  });
  return times;
}

TEST_CASE("loaders: all their time is virtual where that is promised; else virtual time is refused", "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    const auto asked = [&] { row_of(built_in_catalog(), PartKind::loader, row.description->name, true); };
    CHECK_NOTHROW(row_of(built_in_catalog(), PartKind::loader, row.description->name, false));
    if (!row.description->simulated) {
      CHECK_THROWS_AS(asked(), PartError);
      return looked_at(1);
    }
    CHECK_NOTHROW(asked());
    return with_each_food(row, [&](Food food) {
      bool timed = false;
      const auto times = arrivals(row, food, timed), again = arrivals(row, food, timed);
      CHECK(times == again);
      CHECK((times.back() > times.front()) == timed);
      return std::uint64_t{times.size()};
    });
  });
}

}  // namespace
}  // namespace benchbench::test::loader_contract
