// What every loader of the catalogue says its time went to, and whose time it is.
#include "harness/trial/made_loader.h"
#include "tests/contract/parts/loader_bench.h"

namespace benchbench::test::loader_time_contract {
namespace {

constexpr std::uint64_t kMostBatches = 12;  // looked at of an epoch, where that is a thousand

bool has_workers_of_its_own(Loader& loader, Runtime& runtime) {
  struct Nothing final : RequestFeed {
    BatchRequest next() override { return {}; }
  } feed;
  RecordingMeter meter;
  StageMeter* const meters[] = {&meter};
  return loader.source({.runtime = runtime, .requests = feed, .meters = meters}) != nullptr;
}

using StageCounts = std::array<std::uint64_t, kStages>;

// The batches of an epoch, by one worker, one after the other.
void fill_an_epoch(Loader& loader, Runtime& runtime, StageCounts& seen) {
  const auto worker = loader.worker(0, runtime);
  Rows rows(loader.spec(), kBatch, std::byte{0xa5});
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

void meter_on_real_threads(const PartRow& row, Food food, std::string_view format,
                           StageCounts& seen) {
  const auto runtime = make_real_runtime();
  const MadeLoader made({.row = row, .food = food, .format = format, .workers = 2});
  fill_an_epoch(made.loader(), *runtime, seen);
  if (has_workers_of_its_own(made.loader(), *runtime))
    supply_an_epoch(made.loader(), *runtime, seen);
}

// What only those wait who read through the format's own library.
void meter_by_library(const PartRow& row, Food food, std::string_view format, StageCounts& seen) {
  const PartRow* of = built_in_catalog().find(PartKind::sample_format, format);
  if (!of || !of->description->on_disk.library || !has_parameter(*row.description, "io")) return;
  PartSettings settings(*row.description);
  settings.set_if_there("io", "library");
  const auto runtime = make_real_runtime();
  const MadeLoader made({.row = row, .food = food, .format = format, .settings = &settings});
  fill_an_epoch(made.loader(), *runtime, seen);
}

void meter_in_virtual_time(const PartRow& row, Food food, std::string_view format,
                           StageCounts& seen) {
  PartSettings settings(*row.description);
  settings.set_all(ParameterType::duration, "1ms");
  settings.set_if_there("sample_bytes", "1KiB");
  in_virtual_time([&](Runtime& runtime) {
    const MadeLoader made(
        {.row = row, .food = food, .format = format, .settings = &settings, .simulated = true});
    fill_an_epoch(made.loader(), runtime, seen);
  });
}

// A stage may be billed for some formats only.
TEST_CASE("loaders: the stages they meter are those they describe, and the loader's",
          "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    if (row.description->external)
      return set_aside("its stages are counted where it runs: tests/unit/python");
    StageCounts seen{};
    std::uint64_t looked = 0;
    for (const Food food : foods_of(*row.description)) {
      auto formats = DataSets::formats_for(food);
      if (food == Food::none) formats = {std::string_view()};
      for (const std::string_view format : formats) {
        INFO("of " << name_of(food) << " in " << format);
        meter_on_real_threads(row, food, format, seen);
        meter_by_library(row, food, format, seen);
        if (row.description->simulated) meter_in_virtual_time(row, food, format, seen);
        ++looked;
      }
    }
    for (std::size_t s = 0; s < kStages; ++s) {
      const auto stage = static_cast<Stage>(s);
      const auto described = std::ranges::count(row.description->stages, stage);
      INFO("stage " << name_of(stage) << " is described " << described << " times and metered "
                    << seen[s] << " times");
      CHECK(described <= 1);
      CHECK((seen[s] > 0) == (described == 1));
      if (described) CHECK((stage < Stage::slot_wait || stage == Stage::lock));
    }
    return looked_at(looked);
  });
}

TEST_CASE("loaders: an emulated storage is asked for every byte that was read",
          "[contract][loaders]") {
  for_each_row(PartKind::loader, 2, [](const PartRow& row) {
    if (!row.description->needs_dataset && !has_parameter(*row.description, "sample_bytes"))
      return set_aside("it reads nothing");
    return with_each_food(row, [&](Food food) {
      const auto runtime = make_real_runtime();
      PartSettings settings(*row.description);
      settings.set_if_there("sample_bytes", "1KiB");
      CountingStorage storage;
      const MadeLoader made({.row = row, .food = food, .settings = &settings, .store = &storage});
      const auto worker = made->worker(0, *runtime);
      Rows rows(made->spec(), kBatch, std::byte{0xa5});
      RecordingMeter meter;
      for (const SampleId first : {0, 4, 17})
        fill(made.loader(), *worker, samples_from(first, kBatch), rows, 0, meter, 0);
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
    const MadeLoader made({.row = row,
                           .food = food,
                           .workers = 2,
                           .settings = &settings,
                           .store = &storage,
                           .simulated = true});
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

TEST_CASE("loaders: all their time is virtual where that is promised; else virtual time is refused",
          "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    const auto asked = [&] {
      row_of(built_in_catalog(), PartKind::loader, row.description->name, true);
    };
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
}  // namespace benchbench::test::loader_time_contract
