// What a JPEG image costs by its size, its bytes in memory: all of it, and without a part of the
// work, by the loader's own setting for that.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "harness/micro/alone.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/row.h"

namespace benchbench::micro {
namespace {

struct Left {
  std::string_view name, payload;
};
constexpr Left kLeft[] = {{"decode_and_transform", "stored"},
                          {"decode_and_copy", "transformed"},
                          {"transform", "decoded"},
                          {"copy", "ready"}};
constexpr std::int64_t kWidths[] = {200, 500, 1000, 2000};
constexpr std::uint64_t kImages = 16;

void decode(benchmark::State& state, Workbench& bench, std::int64_t width,
            std::string_view payload) {
  LoaderAlone loader(bench, {.name = "native",
                             .given = {{"residency", "host"}, {"payload", std::string(payload)}},
                             .dataset = bench.data({.samples = kImages, .mean_width = width}),
                             .batch_size = kImages});
  loader.make();
  std::uint64_t samples = 0;
  for (auto _ : state) samples += loader.make();
  count_samples(state, samples, loader.loader().spec().bytes_per_row());
  state.counters["time_per_image"] = time_of_one(kImages);
}

}  // namespace

void register_decode_alone(Workbench& bench) {
  for (const std::int64_t width : kWidths)
    for (const Left& left : kLeft)
      add_row(fmt::format("decode/{}x{}/{}", width, width * 3 / 4, left.name),
              [&bench, width, payload = left.payload](benchmark::State& state) {
                decode(state, bench, width, payload);
              })
          ->Unit(benchmark::kMillisecond);
}

}  // namespace benchbench::micro
