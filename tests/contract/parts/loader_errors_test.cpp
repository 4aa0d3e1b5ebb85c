// How every loader of the catalogue ends where something cannot be read, or is told to fail: the
// error comes out where the trainer asks for a batch, the workers end, and nothing is leaked.
#include "tests/contract/parts/loader_bench.h"

namespace benchbench::test::loader_error_contract {
namespace {

enum class Failure {
  unreadable,  // PartError of one sample, as a reader throws it
  foreign,     // another exception, of one sample
  no_reader,   // PartError as a reader is made
};
constexpr SampleId kBad = 13;

// What the format `unreadable` does, which opens data sets of another format. Set before it is
// opened.
struct Plan {
  std::string_view format;
  Failure failure = Failure::unreadable;
} plan;

class FailingReader final : public SampleReader {
 public:
  explicit FailingReader(std::unique_ptr<SampleReader> reader) : reader_(std::move(reader)) {}
  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    if (id == kBad && plan.failure == Failure::unreadable) throw PartError("cannot read sample 13");
    if (id == kBad && plan.failure == Failure::foreign) throw std::runtime_error("not one of ours");
    return reader_->read(id, step, meter);
  }

 private:
  std::unique_ptr<SampleReader> reader_;
};

// Without extents, so that its reader is what every loader reads by.
class FailingArchive final : public SampleArchive {
 public:
  explicit FailingArchive(std::unique_ptr<SampleArchive> archive) : archive_(std::move(archive)) {}
  Layout layout() const override { return archive_->layout(); }
  std::uint32_t classes() const override { return archive_->classes(); }
  std::string_view name_of(SampleId id) const override { return archive_->name_of(id); }
  std::int64_t label_of(SampleId id) const override { return archive_->label_of(id); }
  PayloadSpec payload() const override { return archive_->payload(); }
  std::unique_ptr<SampleReader> reader(Runtime& runtime) override {
    if (plan.failure == Failure::no_reader) throw PartError("no reader to be had");
    return std::make_unique<FailingReader>(archive_->reader(runtime));
  }

 private:
  std::unique_ptr<SampleArchive> archive_;
};

std::unique_ptr<SampleArchive> open_failing(std::string_view path, const ColumnNames&) {
  return std::make_unique<FailingArchive>(
      built_in_catalog().maker(PartKind::sample_format, plan.format).format.open(path));
}

const PartDescription kUnreadable{
    .kind = PartKind::sample_format, .name = "unreadable", .summary = "Fails."};

// The build's own and the format `unreadable`.
const Catalog& failing_catalog() {
  static const Catalog catalog = [] {
    std::vector<PartRow> rows(built_in_catalog().rows().begin(), built_in_catalog().rows().end());
    PartMaker maker;
    maker.format.opens = open_failing;
    rows.push_back({&kUnreadable, maker, ""});
    return Catalog(rows);
  }();
  return catalog;
}

struct Ending {
  std::string error;    // what() of what came out of get(), "" where an epoch went by
  bool waited = false;  // nothing came
  std::uint64_t delivered = 0;
  std::vector<SampleId> faults;
};

void get_an_epoch(Line& line, Ending& ending) {
  try {
    line.supply().start();
    for (BatchNumber b = 0; b < line.stream().batches_per_epoch(); ++b)
      ending.delivered += line.get().samples().value;
  } catch (const std::exception& error) {
    ending.error = error.what();
    ending.waited = std::string_view(error.what()).starts_with(Line::kOutOfPatience);
  }
}

// Returns: the workers have ended.
Ending run_to_the_end(Loader& loader, Runtime& runtime, std::uint32_t workers) {
  Ending ending;
  Line line(loader, runtime, {.workers = workers});
  get_an_epoch(line, ending);
  Supply& supply = line.supply();
  supply.stop();
  CHECK(supply.slots().slots_in(SlotState::leased) == 0);
  const RequestCounts counts = supply.counts();
  CHECK(counts.issued == counts.dropped + ending.delivered + supply.in_flight().value);
  for (std::uint32_t m = 0; m < supply.meters(); ++m)
    for (const FaultySample& fault : supply.meter(m).faults()) ending.faults.push_back(fault.id);
  return ending;
}

// Runs a loader that reads through the format `unreadable` with 0, 1 and 3 workers.
template <class Check>
std::uint64_t with_failure(const PartRow& row, Food food, Failure failure, Check check) {
  plan = {.format = DataSets::formats_for(food).front(), .failure = failure};
  const auto runtime = make_real_runtime();
  std::uint64_t looked = 0;
  for (const std::uint32_t workers : {0u, 1u, 3u}) {
    INFO(workers << " workers");
    const MadeLoader made(
        {.row = row, .food = food, .workers = workers, .catalog = &failing_catalog()});
    const Ending ending = run_to_the_end(made.loader(), *runtime, workers);
    INFO("error: " << ending.error << ", delivered " << ending.delivered);
    CHECK_FALSE(ending.waited);
    check(ending);
    ++looked;
  }
  return looked;
}

// A row of a sample that cannot be read is written all the same, or the fill throws.
std::uint64_t check_row_of_the_bad(const PartRow& row, Food food) {
  plan = {.format = DataSets::formats_for(food).front(), .failure = Failure::unreadable};
  const auto runtime = make_real_runtime();
  const MadeLoader made({.row = row, .food = food, .catalog = &failing_catalog()});
  const auto worker = made->worker(0, *runtime);
  const auto refs = samples_from(kBad - 1, 3);
  Rows rows(made->spec(), 3, std::byte{0xa5}), again(made->spec(), 3, std::byte{0x5a});
  RecordingMeter meter;
  try {
    fill(made.loader(), *worker, refs, rows, 0, meter);
    fill(made.loader(), *worker, refs, again, 0, meter);
  } catch (const Error&) {
    return 1;
  }
  CHECK(meter.faults == std::vector<SampleId>{kBad, kBad});
  CHECK(same_bytes(rows, 0, again, 0, 3));
  return 3;
}

TEST_CASE(
    "loaders: a sample that cannot be read is told as a fault, its row written, or ends the trial",
    "[contract][loaders]") {
  for_each_row(PartKind::loader, 1, [](const PartRow& row) {
    if (!row.description->needs_dataset) return set_aside("it reads nothing");
    return with_each_food(row, [&](Food food) {
      const std::uint64_t looked =
          with_failure(row, food, Failure::unreadable, [](const Ending& ending) {
            if (!ending.error.empty()) return;
            CHECK(ending.delivered == kSamples);
            CHECK(ending.faults == std::vector<SampleId>{kBad});
          });
      return looked + check_row_of_the_bad(row, food);
    });
  });
}

TEST_CASE("loaders: what a worker dies of comes out where a batch is asked for",
          "[contract][loaders]") {
  for_each_row(PartKind::loader, 1, [](const PartRow& row) {
    if (!row.description->needs_dataset) return set_aside("it reads nothing");
    return with_each_food(row, [&](Food food) {
      const auto says = [](std::string_view words) {
        return
            [words](const Ending& ending) { CHECK(ending.error.find(words) != std::string::npos); };
      };
      return with_failure(row, food, Failure::foreign, says("not one of ours")) +
             with_failure(row, food, Failure::no_reader, says("no reader to be had"));
    });
  });
}

bool can_throw(const PartDescription& part) {
  const Parameter* fault = parameter_of(part.parameters, "fault");
  return fault && std::ranges::count(fault->choices, "throw") > 0;
}

TEST_CASE("loaders: told to throw, they do so where a batch is asked for", "[contract][loaders]") {
  for_each_row(PartKind::loader, 1, [](const PartRow& row) {
    if (!can_throw(*row.description)) return set_aside("nothing tells it to throw");
    PartSettings settings(*row.description);
    settings.set("fault", "throw");
    std::uint64_t looked = 0;
    for (const std::uint32_t workers : {0u, 1u, 3u})
      for (const bool simulated : {false, true}) {
        INFO(workers << " workers, simulated " << simulated);
        Ending ending;
        const auto run = [&](Runtime& runtime) {
          const MadeLoader made(
              {.row = row, .workers = workers, .settings = &settings, .simulated = simulated});
          ending = run_to_the_end(made.loader(), runtime, workers);
        };
        if (simulated)
          in_virtual_time(run);
        else
          run(*make_real_runtime());
        CHECK_FALSE(ending.error.empty());
        CHECK_FALSE(ending.waited);
        ++looked;
      }
    return looked_at(looked);
  });
}

}  // namespace
}  // namespace benchbench::test::loader_error_contract
