// What reading HDF5 past its lock wins, as ratios with their spread: ninja bench_hdf5, then
// bin/bench_hdf5 FOLDER [ROUNDS]. Each round measures every way of reading once, in turn; a ratio
// is of one round, the median over rounds is printed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/core/random.h"
#include "harness/core/runtime.h"
#include "harness/part/null_meter.h"
#include "scenarios/formats/hdf5/hdf5_arrays.h"
#include "scenarios/formats/hdf5/hdf5_open.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {
namespace {

// The same places as reader() reads, with nothing around pread.
class Plain final : public SampleReader {
 public:
  explicit Plain(const SampleArchive& archive)
      : extents_(*archive.extents()), file_(ReadFile::open(extents_.path(0).data())) {}
  StoredSample read(SampleId id, StepNumber, StageMeter&) override {
    const Extent extent = extents_.extent(id);
    const auto bytes = buffer_.room(extent.length);
    file_.read_at(extent.offset, bytes, "x");
    return {.payload = bytes, .label = 0, .name = {}};
  }

 private:
  const SampleExtents& extents_;
  ReadFile file_;
  ReadBuffer buffer_;
};

class ReadJob final : public Job {
 public:
  ReadJob(SampleReader& reader, std::uint64_t samples, unsigned number, unsigned of)
      : reader_(reader), samples_(samples), number_(number), of_(of) {}
  void run() override {
    NullMeter meter;
    for (SampleId i = number_; i < samples_; i += of_) reader_.read(i * 7919 % samples_, 0, meter);
  }

 private:
  SampleReader& reader_;
  std::uint64_t samples_;
  unsigned number_, of_;
};

struct Way {
  const char* name;
  std::vector<std::unique_ptr<SampleReader>> readers = {};
  std::vector<double> ratios = {};
};

double seconds(Runtime& runtime, std::vector<std::unique_ptr<SampleReader>>& readers,
               std::uint64_t samples) {
  const TimePoint begun = runtime.now();
  std::vector<ReadJob> jobs;
  for (unsigned i = 0; i < readers.size(); ++i)
    jobs.emplace_back(*readers[i], samples, i, static_cast<unsigned>(readers.size()));
  std::vector<std::unique_ptr<Task>> tasks;
  for (ReadJob& job : jobs) tasks.push_back(runtime.spawn("reader", job));
  tasks.clear();
  return std::chrono::duration<double>(runtime.now() - begun).count();
}

struct Case {
  const char* words;
  hdf5_format::Layout layout;
  Shape row;
  std::uint64_t samples;
  unsigned threads;
};

void make(const Case& c, const std::string& path, const PayloadSpec& payload) {
  const auto writer = hdf5_format::create_arrays({path, c.samples, payload}, c.layout);
  std::vector<std::int16_t> values(static_cast<std::size_t>(payload.row.elements()));
  Random random(5);
  for (SampleId id = 0; id < c.samples; ++id) {
    // As a scan is: smooth, with noise in the lowest bits.
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int16_t>(static_cast<int>(i / 64 % 997) * 2 - 900 +
                                            static_cast<int>(random.next() >> 59));
    writer->add(fmt::format("v/{}.npy", id), 0, std::as_bytes(std::span(values)));
  }
  writer->finish();
}

void measure(const Case& c, const std::string& folder, int rounds) {
  const std::string path = folder + "/bench.h5";
  std::filesystem::remove(path);
  const PayloadSpec payload{.data = DataKind::volume, .dtype = DType::int16, .row = c.row};
  make(c, path, payload);
  const auto runtime = make_real_runtime();
  const TimePoint begun = runtime->now();
  const auto archive = hdf5_format::open_file(path, c.layout, {});
  const double opening = std::chrono::duration<double>(runtime->now() - begun).count();
  Way ways[] = {{"ours"}, {"H5Dread"}, {"pread"}};
  for (unsigned i = 0; i < c.threads; ++i) {
    ways[0].readers.push_back(archive->reader(*runtime));
    ways[1].readers.push_back(archive->library_reader(*runtime));
    ways[2].readers.push_back(std::make_unique<Plain>(*archive));
  }
  for (Way& way : ways) seconds(*runtime, way.readers, c.samples);
  for (int round = 0; round < rounds; ++round) {
    double took[3];
    for (std::size_t k = 0; k < std::size(ways); ++k) {
      const std::size_t w = (k + static_cast<std::size_t>(round)) % std::size(ways);
      took[w] = seconds(*runtime, ways[w].readers, c.samples);
    }
    for (std::size_t w = 1; w < std::size(ways); ++w) ways[w].ratios.push_back(took[w] / took[0]);
  }
  for (Way& way : std::span(ways).subspan(1)) {
    auto& all = way.ratios;
    std::ranges::sort(all);
    fmt::print(stderr, "{:<44} against {:<8} {:6.2f}  [{:.2f}, {:.2f}]  opened in {:.1f} ms\n",
               c.words, way.name, all[all.size() / 2], all[all.size() / 10],
               all[all.size() - 1 - all.size() / 10], opening * 1e3);
  }
  std::filesystem::remove(path);
}

constexpr Shape shape(std::int64_t a, std::int64_t b, std::int64_t c) {
  return {.extent = {a, b, c}, .rank = 3};
}

}  // namespace
}  // namespace benchbench

int main(int count, char** words) try {
  using namespace benchbench;
  using hdf5_format::Layout;
  const std::string folder = count > 1 ? words[1] : ".";
  const int rounds = count > 2 ? std::atoi(words[2]) : 11;
  const Case cases[] = {
      {"contiguous, 147 KB, 2 threads", Layout::contiguous, shape(32, 48, 48), 2048, 2},
      {"chunk a sample, 147 KB, 2 threads", Layout::chunked, shape(32, 48, 48), 2048, 2},
      {"gzip chunk a sample, 147 KB, 2 threads", Layout::gzip, shape(32, 48, 48), 512, 2},
      {"contiguous, 3 KB, 1 thread", Layout::contiguous, shape(6, 16, 16), 65536, 1},
      {"contiguous, 3 KB, 2 threads", Layout::contiguous, shape(6, 16, 16), 65536, 2},
      {"65,536 gzip chunks, 3 KB, 2 threads", Layout::gzip, shape(6, 16, 16), 65536, 2}};
  for (const Case& c : cases) measure(c, folder, rounds);
  return 0;
} catch (const benchbench::Error& error) {
  fmt::print(stderr, "{}\n", error.message());
  return 1;
}
