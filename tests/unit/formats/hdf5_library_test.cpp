// Reading through the HDF5 library: what waits for its lock, what for the storage, and what it does
// with what it read.
#include <catch2/catch.hpp>

#include <cstring>

#include "harness/core/lock.h"
#include "scenarios/formats/hdf5/hdf5_rows.h"
#include "tests/unit/core/jobs.h"
#include "tests/unit/decode/recording_meter.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::hdf5_library {
namespace {

using std::chrono::milliseconds;

constexpr SampleId kSamples = 3;
constexpr PayloadSpec kVolume{
    .data = DataKind::volume, .dtype = DType::int16, .row = {.extent = {4, 6, 8}, .rank = 3}};
constexpr std::size_t kBytes = 4 * 6 * 8 * 2;

std::vector<std::byte> volume(SampleId id) {
  std::vector<std::byte> bytes(kBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i / 32 + id);
  return bytes;
}

std::string volumes_in(const TestFolder& folder, std::string_view format) {
  const std::string path = folder.at(std::string(format) + ".h5");
  const auto writer = built_in_catalog()
                          .maker(PartKind::sample_format, format)
                          .format.create({path, kSamples, kVolume});
  for (SampleId id = 0; id < kSamples; ++id)
    writer->add(std::to_string(id) + "/a.npy", 0, volume(id));
  writer->finish();
  return path;
}

// Each look at the clock is a millisecond later: times count looks.
class LookingRuntime final : public Runtime {
 public:
  TimePoint now() const noexcept override { return TimePoint{} + milliseconds{++looks_}; }
  void spend_until(TimePoint, Spend) override {}
  bool park(Waiter&, TimePoint) override { return true; }
  void unpark(Waiter&) override {}
  void yield() override {}
  std::unique_ptr<Task> spawn(std::string_view, Job&) override { return nullptr; }
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return true; }

 private:
  mutable int looks_ = 0;
};

Nanoseconds in(const RecordingMeter& meter, Stage stage) {
  const auto at = meter.times.find(stage);
  return at == meter.times.end() ? Nanoseconds{0} : at->second;
}

TEST_CASE("hdf5 library: inflating is decoding, apart from what the storage takes",
          "[unit][formats]") {
  const TestFolder folder;
  const auto archive = open_archive("hdf5_gzip", volumes_in(folder, "hdf5_gzip"));
  CHECK(archive->inflates());
  LookingRuntime runtime;
  const auto reader = archive->library_reader(runtime);
  for (SampleId id = 0; id < kSamples; ++id) {
    RecordingMeter meter;
    const StoredSample sample = reader->read(id, 7, meter);
    CHECK(std::ranges::equal(sample.payload, volume(id)));
    // A read of the driver's is two looks, its begin and its end; one more look on either side of
    // them all is the library's.
    const Nanoseconds read = in(meter, Stage::read);
    CHECK(read >= milliseconds{1});
    CHECK(in(meter, Stage::decode) == read + milliseconds{1});
    CHECK(in(meter, Stage::lock) == milliseconds{1});
    CHECK(meter.times.size() == 3);
    CHECK(meter.read_bytes > 0);
    CHECK(meter.payload_bytes == kBytes);
  }
  RecordingMeter unasked;
  unasked.wanted = false;
  reader->read(0, 7, unasked);
  CHECK(unasked.times.empty());
}

TEST_CASE("hdf5 library: what is stored as it is, is read and not decoded", "[unit][formats]") {
  for (const std::string_view format : {"hdf5_contiguous", "hdf5_chunked"}) {
    const TestFolder folder;
    const auto archive = open_archive(format, volumes_in(folder, format));
    CHECK_FALSE(archive->inflates());
    LookingRuntime runtime;
    CHECK_FALSE(archive->stored_library_reader(runtime));
    RecordingMeter meter;
    CHECK(
        std::ranges::equal(archive->library_reader(runtime)->read(1, 0, meter).payload, volume(1)));
    CHECK(in(meter, Stage::read) == milliseconds{1});
    CHECK(in(meter, Stage::lock) == milliseconds{1});
    CHECK(meter.times.size() == 2);
    CHECK(meter.read_bytes == kBytes);
  }
}

TEST_CASE("hdf5 library: stored chunks come through it without being inflated", "[unit][formats]") {
  const TestFolder folder;
  const auto archive = open_archive("hdf5_gzip", volumes_in(folder, "hdf5_gzip"));
  LookingRuntime runtime;
  const auto reader = archive->stored_library_reader(runtime);
  REQUIRE(reader);
  for (SampleId id = 0; id < kSamples; ++id) {
    RecordingMeter meter;
    const StoredSample sample = reader->read(id, 0, meter);
    CHECK(sample.payload.size() == archive->extents()->extent(id).length);
    CHECK(sample.payload.size() < kBytes);
    CHECK(meter.read_bytes == sample.payload.size());
    CHECK(meter.payload_bytes == 0);
    CHECK(meter.times.size() == 2);
    CHECK(meter.times.contains(Stage::lock));
    CHECK(meter.times.contains(Stage::read));
    // The very bytes: inflated past the library they are the sample.
    RecordingMeter past;
    const auto by_place = archive->reader(runtime);
    CHECK(std::ranges::equal(by_place->read(id, 0, past).payload, volume(id)));
    CHECK(past.read_bytes == sample.payload.size());
    CHECK(in(past, Stage::decode) == milliseconds{1});
    CHECK_FALSE(past.times.contains(Stage::parse));
  }
}

TEST_CASE("hdf5 library: readers wait for each other where the wait is metered",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = volumes_in(folder, "hdf5_gzip");
  SampleTable table;
  for (SampleId id = 0; id < kSamples; ++id) table.add(std::to_string(id), 0, id * kBytes, kBytes);
  hdf5_format::LibraryTurn turn;
  const auto runtime = make_simulated_runtime();
  RecordingMeter meter;
  run_simulated(*runtime, [&] {
    const auto reader = hdf5_format::read_by_library(
        {.path = path, .name = "/data", .dtype = DType::int16, .inflates = true}, table, turn,
        *runtime);
    Work other([&] {
      const auto lock = turn.of(*runtime);
      const Guard held(*lock);
      runtime->spend(milliseconds{5}, Spend::sleep);
    });
    const auto task = runtime->spawn("other", other);
    runtime->spend(milliseconds{2}, Spend::sleep);
    CHECK(std::ranges::equal(reader->read(1, 0, meter).payload, volume(1)));
    task->join();
  });
  CHECK(in(meter, Stage::lock) == milliseconds{3});
  CHECK(in(meter, Stage::read) == Nanoseconds{0});
  CHECK(in(meter, Stage::decode) == Nanoseconds{0});
}

TEST_CASE("hdf5 library: a turn outlives no runtime that its readers had", "[unit][formats]") {
  hdf5_format::LibraryTurn turn;
  LookingRuntime one, two;
  const auto first = turn.of(one);
  CHECK(turn.of(one) == first);
  CHECK(&turn.of(two)->runtime() == &two);
  CHECK(&first->runtime() == &one);
}

}  // namespace
}  // namespace benchbench::test::hdf5_library
