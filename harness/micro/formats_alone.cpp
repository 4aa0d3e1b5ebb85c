// Each sample format alone: opening a data set, reading its samples in order, at random, and
// through the format's own library where there is one. One row of the catalogue makes all of it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <vector>

#include "harness/core/error.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/reading_threads.h"
#include "harness/micro/row.h"
#include "harness/pipeline/thread_meter.h"

namespace benchbench::micro {
namespace {

enum class Way { sequential, random, library };
constexpr std::string_view kWays[] = {"sequential", "random", "library"};

// Warm: what was just written lies in the page cache.
void read(benchmark::State& state, Workbench& bench, std::string_view format, const Recipe& recipe,
          Way way) {
  const auto archive = bench.open(bench.data(format, recipe));
  const auto runtime = make_real_runtime();
  const auto reader =
      way == Way::library ? archive->library_reader(*runtime) : archive->reader(*runtime);
  if (!reader) throw PartError("it has no library of its own, or is always read through it");
  std::vector<SampleId> ids = share_of(archive->layout().samples, 0, 1);
  if (way == Way::sequential) std::ranges::sort(ids);
  ThreadMeter meter({.observer = 0});
  std::uint64_t bytes = 0;
  std::size_t at = 0;
  for (auto _ : state) {
    bytes += reader->read(ids[at], 0, meter).payload.size();
    if (++at == ids.size()) at = 0;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  count_iterations(state);
}

void open(benchmark::State& state, Workbench& bench, std::string_view format,
          const Recipe& recipe) {
  std::uint64_t samples = 0;
  const DatasetPlace place = bench.data(format, recipe);
  for (auto _ : state) samples += bench.open(place)->layout().samples;
  state.SetItemsProcessed(static_cast<std::int64_t>(samples));
}

void add_rows(Workbench& bench, const PartDescription& part, const Recipe& recipe) {
  const std::string_view format = part.name;
  const std::string name = fmt::format("{}/{}", format, recipe.name());
  for (const Way way : {Way::sequential, Way::random, Way::library}) {
    if (way == Way::library && !part.on_disk.library) continue;
    add_row(fmt::format("read/{}/{}", name, kWays[static_cast<int>(way)]),
            [&bench, format, recipe, way](benchmark::State& state) {
              read(state, bench, format, recipe, way);
            })
        ->UseRealTime();
  }
  add_row("open/" + name, [&bench, format, recipe](benchmark::State& state) {
    open(state, bench, format, recipe);
  })->UseRealTime();
}

}  // namespace

void register_formats_alone(Workbench& bench) {
  for (const PartRow& row : bench.catalog().rows()) {
    if (row.description->kind != PartKind::sample_format) continue;
    for (const Recipe& recipe : recipes_for(row.description->holds))
      add_rows(bench, *row.description, recipe);
  }
}

}  // namespace benchbench::micro
