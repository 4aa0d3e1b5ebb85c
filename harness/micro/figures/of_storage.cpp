// The goals of reading: our way into a format against its library's, against a bare pread of the
// same bytes, and against memcpy. All of it warm.
#include <fmt/format.h>

#include <cstring>

#include "harness/core/error.h"
#include "harness/micro/alone.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/figures/figure.h"
#include "harness/micro/figures/paired.h"
#include "harness/micro/reading_threads.h"
#include "harness/pipeline/thread_meter.h"

namespace benchbench::micro {
namespace {

constexpr int kStorageRounds = 21;

const Recipe kLarge{.samples = 256, .side = 224};  // 147 KiB each
const Recipe kSmall{.samples = 4096, .side = 32};  // 3 KiB each

struct Reading {
  std::string_view format;
  const Recipe& recipe;
  std::uint32_t threads;
  std::uint32_t passes;
};

FigureResult against(Workbench& bench, const Reading& reading, const MakeReader& peer) {
  const auto archive = bench.open(bench.data(reading.format, reading.recipe));
  const MakeReader ours = by_archive(false);
  return measure_in_rounds(
      kStorageRounds, [&] { return read_all(*archive, ours, reading.threads, reading.passes); },
      [&] { return read_all(*archive, peer, reading.threads, reading.passes); },
      samples_a_second(static_cast<double>(archive->layout().samples) * reading.passes));
}

FigureResult contiguous_against_library(Workbench& bench) {
  return against(bench, {"hdf5_contiguous", kLarge, 2, 2}, by_archive(true));
}
FigureResult contiguous_against_pread(Workbench& bench) {
  return against(bench, {"hdf5_contiguous", kLarge, 2, 4}, by_pread());
}
FigureResult gzip_against_library(Workbench& bench) {
  return against(bench, {"hdf5_gzip", kLarge, 2, 1}, by_archive(true));
}
FigureResult small_against_library(Workbench& bench) {
  return against(bench, {"hdf5_contiguous", kSmall, 1, 2}, by_archive(true));
}

// All samples one after the other in ordinary memory.
class InMemory {
 public:
  InMemory(SampleArchive& archive, Runtime& runtime)
      : order_(share_of(archive.layout().samples, 0, 1)) {
    ThreadMeter meter({.observer = 0});
    const auto reader = archive.reader(runtime);
    for (SampleId id = 0; id < order_.size(); ++id) {
      const auto payload = reader->read(id, 0, meter).payload;
      bytes_.insert(bytes_.end(), payload.begin(), payload.end());
    }
    sample_ = bytes_.size() / order_.size();
  }
  std::size_t sample_bytes() const noexcept { return sample_; }
  // The sample of the i-th turn, in an order that hops about.
  const std::byte* at(std::size_t i) const noexcept {
    return bytes_.data() + order_[i % order_.size()] * sample_;
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<SampleId> order_;
  std::size_t sample_ = 0;
};

constexpr std::uint32_t kMappedBatch = 64;
constexpr std::size_t kMappedBatches = 64;
constexpr std::size_t kMappedSamples = kMappedBatch * kMappedBatches;
constexpr std::size_t kCacheLine = 64;

// What the loader does with the bytes of a mapping, to those of ordinary memory.
std::uint64_t words_of(const std::byte* bytes, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + sizeof sum <= size; at += kCacheLine) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    sum += word;
  }
  return sum;
}

using ReadMemory = void (*)(const InMemory& memory, std::vector<std::byte>& rows);

void add_up_words(const InMemory& memory, std::vector<std::byte>&) {
  for (std::size_t i = 0; i < kMappedSamples; ++i)
    benchmark::DoNotOptimize(words_of(memory.at(i), memory.sample_bytes()));
}

// Rows that are used again: of two batches.
void copy_into_rows(const InMemory& memory, std::vector<std::byte>& rows) {
  rows.resize(2 * kMappedBatch * memory.sample_bytes());
  for (std::size_t i = 0; i < kMappedSamples; ++i) {
    std::memcpy(rows.data() + i % (2 * kMappedBatch) * memory.sample_bytes(), memory.at(i),
                memory.sample_bytes());
    benchmark::ClobberMemory();
  }
}

// The whole loader in one thread, with its sampler and slots. Of each sample in the mapping a word
// of each cache line is added up, which brings all of it from memory: what a transform would begin
// with.
FigureResult mapped(Workbench& bench, ReadMemory read_memory) {
  const DatasetPlace place = bench.data("raw", kLarge);
  LoaderAlone loader(bench, {.name = "native",
                             .given = {{"io", "mmap"}, {"payload", "raw_bytes"}},
                             .dataset = place,
                             .batch_size = kMappedBatch});
  const InMemory memory(*bench.open(place), loader.runtime());
  std::vector<std::byte> rows;
  const auto seconds = [&](auto body) {
    const TimePoint start = loader.runtime().now();
    body();
    return to_seconds(loader.runtime().now() - start);
  };
  const auto ours = [&] {
    return seconds([&] {
      for (std::size_t i = 0; i < kMappedBatches; ++i) loader.make();
    });
  };
  const auto rate = [bytes = static_cast<double>(kMappedSamples * memory.sample_bytes())](
                        double side) { return fmt::format("{:.2f} GB/s", bytes / side / 1e9); };
  FigureResult result = measure_in_rounds(
      kStorageRounds, ours, [&] { return seconds([&] { read_memory(memory, rows); }); }, rate);
  result.ours = "all bytes of a mapping read, " + result.ours;
  return result;
}

FigureResult mapped_against_memcpy(Workbench& bench) { return mapped(bench, copy_into_rows); }
FigureResult mapped_against_words(Workbench& bench) { return mapped(bench, add_up_words); }

constexpr Figure kStorageFigures[] = {
    {"hdf5_contiguous/threads:2/library", "H5Dread by two threads", 2.3,
     contiguous_against_library},
    {"hdf5_contiguous/threads:2/pread", "pread of the same bytes by two threads", 0.99,
     contiguous_against_pread},
    {"hdf5_gzip/threads:2/library", "H5Dread by two threads", 4, gzip_against_library},
    {"raw_mmap/threads:1/memcpy", "memcpy of the same bytes from memory into recycled rows", 0.97,
     mapped_against_memcpy},
    {"raw_mmap/threads:1/memory", "the same bytes read in ordinary memory, none copied", 0.97,
     mapped_against_words},
    {"hdf5_3KB/threads:1/library", "H5Dread by one thread", 8, small_against_library},
};

}  // namespace

void register_figures_of_storage(Workbench& bench) { register_figures(bench, kStorageFigures); }

}  // namespace benchbench::micro
