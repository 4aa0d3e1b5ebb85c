// Samplers, loaders and trainers alone: every row of the catalogue by itself, in one thread.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <vector>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/micro/alone.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/row.h"

namespace benchbench::micro {
namespace {

constexpr std::uint64_t kOrdered = 65'536;  // samples that a sampler orders
constexpr std::uint64_t kShard = 1024;

// A data set in shards, with samples of varying length: what every sampler can work on.
struct Laid {
  std::vector<std::uint64_t> ends;
  std::vector<std::uint32_t> lengths;
  Laid() {
    for (std::uint64_t end = kShard; end <= kOrdered; end += kShard) ends.push_back(end);
    Random random(1);
    for (std::uint64_t i = 0; i < kOrdered; ++i)
      lengths.push_back(16 + static_cast<std::uint32_t>(random.below(1024)));
  }
};

void order(benchmark::State& state, Workbench& bench, const std::string& name) {
  const Laid laid;
  const auto sampler = bench.sampler(name, {kOrdered, laid.ends, laid.lengths}, 32, 1);
  std::vector<SampleId> ids(sampler->samples_per_epoch());
  Epoch epoch = 0;
  for (auto _ : state) sampler->begin(epoch++, ids);
  const auto ordered = static_cast<double>(state.iterations()) * static_cast<double>(ids.size());
  state.SetItemsProcessed(static_cast<std::int64_t>(ordered));
  state.counters["time_per_sample"] = time_of_one(ids.size());
}

// What its rows are made with: texts that have no default name where times come from, which are
// handed over beside them.
DescribedSettings::Given needed(const PartDescription& part) {
  DescribedSettings::Given given;
  for (const Parameter& parameter : part.parameters)
    if (parameter.standard.empty() && parameter.type == ParameterType::text)
      given[std::string(parameter.key)] = "made";
  return given;
}

void load(benchmark::State& state, Workbench& bench, LoaderOrder wanted, const Recipe* recipe) {
  if (recipe) wanted.dataset = bench.data(*recipe);
  if (recipe && recipe->samples < wanted.batch_size)
    wanted.batch_size = static_cast<std::uint32_t>(recipe->samples);
  wanted.given = needed(*bench.row(PartKind::loader, wanted.name).description);
  LoaderAlone loader(bench, wanted);
  loader.make();  // what is made once belongs to no batch
  std::uint64_t samples = 0;
  for (auto _ : state) samples += loader.make();
  count_samples(state, samples, loader.loader().spec().bytes_per_row());
}

void add_loader(Workbench& bench, const std::string& name, const std::string& called,
                const Recipe* recipe) {
  const std::optional<Recipe> data = recipe ? std::optional(*recipe) : std::nullopt;
  add_row(called,
          [&bench, name, data](benchmark::State& state) {
            LoaderOrder order;
            order.name = name;
            load(state, bench, std::move(order), data ? &*data : nullptr);
          })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

// Every kind of data that there is; what it refuses it says itself. One that makes images alone is
// given encoded ones.
void add_loader_rows(Workbench& bench, const PartDescription& loader) {
  const std::string name(loader.name);
  if (!loader.needs_dataset) return add_loader(bench, name, "loader/" + name, nullptr);
  const bool any = loader.data == DataKind::any;
  for (const Recipe& recipe :
       recipes_for({.images = true, .pixels = any, .volumes = any, .tokens = any}))
    add_loader(bench, name, fmt::format("loader/{}/{}", name, recipe.name()), &recipe);
}

constexpr std::uint32_t kTrainingBatch = 8;

// Food for it: made-up images of 64 pixels, or a data set of its kind through the first loader that
// reads one.
LoaderOrder food_of(Workbench& bench, DataKind kind) {
  if (kind == DataKind::image || kind == DataKind::any)
    return {.name = "synthetic",
            .given = {{"height", "64"}, {"width", "64"}},
            .batch_size = kTrainingBatch};
  for (const PartRow& row : bench.catalog().rows()) {
    const PartDescription& loader = *row.description;
    if (loader.kind != PartKind::loader || !loader.needs_dataset) continue;
    return {.name = std::string(loader.name),
            .dataset = bench.data({.kind = kind, .samples = kind == DataKind::volume ? 8U : 512U}),
            .batch_size = kTrainingBatch};
  }
  throw PartError("no loader of this build makes the batches it takes");
}

// What it holds beside the batch in step() is known only once it is made: three more slots than a
// mock needs.
constexpr std::uint32_t kTrainingSlots = 4;

void train(benchmark::State& state, Workbench& bench, const PartDescription& description) {
  LoaderOrder food = food_of(bench, description.data);
  food.slots = kTrainingSlots;
  LoaderAlone loader(bench, food);
  const DescribedSettings& settings =
      bench.settings(PartKind::trainer, description.name, needed(description));
  TrainerAlone alone(bench, description.name, settings, loader);
  if (alone.trainer().holds() >= kTrainingSlots)
    throw PartError("it holds more batches than there are slots");
  for (std::uint32_t i = 0; i < kTrainingSlots; ++i) alone.step();
  for (auto _ : state) alone.step();
  alone.trainer().finish();
  count_samples(state, static_cast<std::uint64_t>(state.iterations()) * kTrainingBatch,
                loader.loader().spec().bytes_per_row());
}

}  // namespace

void register_parts_alone(Workbench& bench) {
  for (const PartRow& row : bench.catalog().rows()) {
    const PartDescription& part = *row.description;
    const std::string name(part.name);
    if (part.kind == PartKind::sampler)
      add_row("sampler/" + name, [&bench, name](benchmark::State& state) {
        order(state, bench, name);
      })->Unit(benchmark::kMicrosecond);
    if (part.kind == PartKind::loader) add_loader_rows(bench, part);
    if (part.kind == PartKind::trainer)
      add_row("trainer/" + name,
              [&bench, &part](benchmark::State& state) { train(state, bench, part); })
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace benchbench::micro
