// What every loader of the catalogue must do, row by row: a new part is under test at once.
#include <set>

#include "tests/contract/parts/loader_bench.h"
#include "tests/skip.h"

namespace benchbench::test::loader_contract {
namespace {

constexpr std::byte kPoison{0xa5}, kOtherPoison{0x5a};

// What a sample becomes is drawn from its seed: by the parameters of the kind of data that say so.
bool draws(const PartDescription& loader, Food food) {
  if (food == Food::images || food == Food::pixels)
    return has_parameter(loader, "transform.random_resized_crop");
  return food == Food::volumes && has_parameter(loader, "transform.random_patch");
}

TEST_CASE("parts: every loader and trainer of the catalogue can be made here",
          "[contract][loaders][trainers]") {
  for (const PartKind kind : {PartKind::loader, PartKind::trainer}) {
    std::set<std::string_view> names;
    for_each_row(kind, 5, [&](const PartRow& row) {
      CHECK(names.insert(row.description->name).second);
      return looked_at(1);
    });
    for (const PartRow& row : rows_under_test())
      if (const std::string why = why_absent(row);
          row.description->kind == kind && !row.description->external && !why.empty())
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

// Labels are below classes(), where the loader knows how many there are, and those that it names
// beforehand, where it does.
void check_labels(const Loader& loader, const Rows& rows, std::size_t first,
                  std::span<const SampleRef> refs) {
  if (loader.classes() == 0) return;
  for (std::size_t t = 0; t < rows.tensors(); ++t) {
    if (std::string_view(rows.view(t).spec.name) != "label") continue;
    for (std::size_t i = 0; i < refs.size(); ++i) {
      std::int64_t label;
      std::memcpy(&label, rows.of(t, first + i, 1).data(), sizeof label);
      CHECK(label >= 0);
      CHECK(label < static_cast<std::int64_t>(loader.classes()));
      CHECK(loader.find_label(refs[i].id).value_or(label) == label);
    }
  }
}

// Poisoned in two ways: a byte that is not written differs, and so does one that nothing says what
// it must be.
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
  check_labels(loader, rows, kFirst, refs);
  return kBatch;
}

TEST_CASE("loaders: every row asked for is written whole, and no other", "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) {
      const auto runtime = make_real_runtime();
      const MadeLoader made({.row = row, .food = food});
      return check_rows_written(made.loader(), *runtime);
    });
  });
}

// Rows one by one and by turns, as workers that share a batch fill them.
void fill_by_turns(Loader& loader, std::span<LoaderWorker* const> workers,
                   std::span<const SampleRef> refs, Rows& rows) {
  rows.narrow_to(loader.width_of(refs));
  RecordingMeter meter;
  for (std::size_t i = refs.size(); i-- > 0;) {
    const BatchRequest request{
        .epoch = 0, .batch = 0, .samples = refs.subspan(i, 1), .rows = rows.span(i, 1)};
    workers[i % workers.size()]->fill(request, meter);
  }
}

std::uint64_t check_same_whoever_fills(const PartRow& row, Food food) {
  const auto runtime = make_real_runtime();
  const MadeLoader made({.row = row, .food = food, .workers = 3}),
      another({.row = row, .food = food});
  const auto first = made->worker(0, *runtime), third = made->worker(2, *runtime),
             other = another->worker(1, *runtime);
  const auto refs = samples_from(7, kBatch), before = samples_from(20, kBatch);
  const BatchSpec spec = made->spec();
  Rows rows(spec, kBatch, kPoison), by_third(spec, kBatch, kPoison),
      by_other(spec, kBatch, kPoison), shared(spec, kBatch, kPoison), warm(spec, kBatch, kPoison);
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

TEST_CASE("loaders: the same samples and seeds make the same bytes, whichever worker fills them",
          "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) { return check_same_whoever_fills(row, food); });
  });
}

TEST_CASE("loaders: another seed changes what is drawn, and nothing else", "[contract][loaders]") {
  for_each_row(PartKind::loader, 5, [](const PartRow& row) {
    return with_each_food(row, [&](Food food) {
      const auto runtime = make_real_runtime();
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

}  // namespace
}  // namespace benchbench::test::loader_contract
