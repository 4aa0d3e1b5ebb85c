// The goals of reading: our way into a format against its library's, against a bare pread of the same bytes, and against
// memcpy. All of it warm.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/figure.h"
#include "harness/micro/paired.h"
#include "harness/micro/reading_threads.h"

namespace benchbench::micro {
namespace {

constexpr int kRounds = 21;

const Recipe kLarge{.samples = 256, .side = 224};  // 147 KiB each
const Recipe kSmall{.samples = 4096, .side = 32};  // 3 KiB each

struct Reading {
  std::string_view format;
  const Recipe& recipe;
  std::uint32_t threads;
  std::uint32_t passes;
};

Measured against(Workbench& bench, const Reading& reading, const MakeReader& peer) {
  const DatasetPlace place = bench.data(reading.format, reading.recipe);
  const auto archive = bench.catalog().maker(PartKind::sample_format, reading.format).format.open(place.path);
  const MakeReader ours = by_archive(false);
  const Side sides[] = {[&] { return read_all(*archive, ours, reading.threads, reading.passes); },
                        [&] { return read_all(*archive, peer, reading.threads, reading.passes); }};
  const auto times = in_rounds(kRounds, sides);
  const auto rate = [&](std::span<const double> seconds) {
    const double samples = static_cast<double>(archive->layout().samples) * reading.passes;
    return fmt::format("{:.0f} samples/s", samples / median_interval(seconds).middle);
  };
  return {ratios_of(times[1], times[0]), rate(times[0]), rate(times[1])};
}

Measured contiguous_against_library(Workbench& bench) {
  return against(bench, {"hdf5_contiguous", kLarge, 2, 2}, by_archive(true));
}
Measured contiguous_against_pread(Workbench& bench) {
  return against(bench, {"hdf5_contiguous", kLarge, 2, 4}, by_pread());
}
Measured gzip_against_library(Workbench& bench) {
  return against(bench, {"hdf5_gzip", kLarge, 2, 1}, by_archive(true));
}
Measured small_against_library(Workbench& bench) {
  return against(bench, {"hdf5_contiguous", kSmall, 1, 2}, by_archive(true));
}

constexpr Figure kFigures[] = {
    {"hdf5_contiguous/threads:2/library", "H5Dread by two threads", 2.3, contiguous_against_library},
    {"hdf5_contiguous/threads:2/pread", "pread of the same bytes by two threads", 0.99, contiguous_against_pread},
    {"hdf5_gzip/threads:2/library", "H5Dread by two threads", 4, gzip_against_library},
    {"hdf5_3KB/threads:1/library", "H5Dread by one thread", 8, small_against_library},
};

}  // namespace

void register_figures_of_storage(Workbench& bench) { register_figures(bench, kFigures); }

}  // namespace benchbench::micro
