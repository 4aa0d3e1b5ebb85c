// What every sample format of the catalogue must do: a new row is under test at once.
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "tests/scratch_folder.h"

namespace benchbench::test::format_contract {
namespace {

namespace fs = std::filesystem;

struct Logical {
  std::string name;
  std::int64_t label;
  std::vector<std::byte> payload;
};

// One of each kind that a format says it holds.
std::vector<PayloadSpec> payloads_of(const Holds& holds) {
  std::vector<PayloadSpec> payloads;
  const auto shape = [](std::initializer_list<std::int64_t> sides) {
    Shape row;
    for (const std::int64_t side : sides) row.extent[row.rank++] = side;
    return row;
  };
  if (holds.images) payloads.push_back({});
  if (holds.pixels) payloads.push_back({DataKind::image, DType::uint8, shape({31, 33, 3})});
  if (holds.volumes) payloads.push_back({DataKind::volume, DType::int16, shape({7, 8, 9})});
  // Nothing but its record says that this one is no decoded image.
  if (holds.volumes) payloads.push_back({DataKind::volume, DType::uint8, shape({5, 4, 3})});
  if (holds.tokens) payloads.push_back({DataKind::tokens, DType::uint16, {}});
  return payloads;
}

// Of images sizes around tar's block, an empty payload, a name too long for a tar header; labels
// not in the order of names.
std::vector<Logical> some_samples(const PayloadSpec& payload) {
  std::vector<Logical> samples;
  Random random(11);
  const std::size_t sizes[] = {0, 1, 511, 512, 513, 1024, 40'000, 200'001};
  const bool tokens = payload.data == DataKind::tokens;
  for (int i = 0; i < 24; ++i) {
    Logical sample;
    sample.label = (i * 7 + 3) % 5 + 1;
    sample.name = "n000" + std::to_string(sample.label) + "/" + std::to_string(100 - i) + ".jpg";
    if (i == 9)
      sample.name = "n0001/" + std::string(140, 'x') + "/deep/" + std::string(40, 'y') + ".JPEG";
    const std::size_t elements =
        payload.row.rank ? static_cast<std::size_t>(payload.row.elements())
                         : sizes[static_cast<std::size_t>(i) % 8] / (tokens ? 16 : 1) + tokens;
    sample.payload.resize(elements * size_of(payload.dtype));
    for (auto& byte : sample.payload) byte = static_cast<std::byte>(random.next());
    samples.push_back(sample);
  }
  return samples;
}

class CountingMeter final : public StageMeter {
 public:
  void record(StepNumber, Stage stage, Nanoseconds) override {
    billed[static_cast<std::size_t>(stage)] = true;
  }
  void payload(SampleId id, std::span<const std::byte> stored) override {
    last_id = id;
    payload_bytes += stored.size();
  }
  void bytes_read(std::uint64_t bytes) override { read_bytes += bytes; }
  void fault(SampleId, SampleFault, std::string_view, std::string_view) override { ++faults; }
  bool stages_wanted() const noexcept override { return true; }
  std::array<bool, kStages> billed{};
  SampleId last_id = 0;
  std::uint64_t payload_bytes = 0, read_bytes = 0, faults = 0;
};

class Folder {
 public:
  explicit Folder(std::string_view what)
      : path_(make_scratch_folder("contract-" + std::string(what))) {
    ::setenv("BENCHBENCH_CACHE", (path_ / "cache").c_str(), 1);
  }
  ~Folder() {
    ::unsetenv("BENCHBENCH_CACHE");
    fs::remove_all(path_);
  }
  std::string at(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

void write(const FormatPart& format, const std::string& path, const std::vector<Logical>& samples,
           const PayloadSpec& payload) {
  const auto writer = format.create({path, samples.size(), payload});
  for (const Logical& sample : samples) writer->add(sample.name, sample.label, sample.payload);
  CHECK_FALSE(fs::exists(path));  // nothing is at its place before it is whole
  writer->finish();
  CHECK(fs::exists(path));
}

// In the main program, or in a module that is there.
bool loads(const PartRow& row) {
  try {
    built_in_catalog().maker(row.description->kind, row.description->name);
    return true;
  } catch (const DeviceError&) {
    return false;
  }
}

// Each row of the catalogue that is a format, in the main program, with each kind of payload that
// it holds.
template <class Use>
void for_each_format(Use use) {
  int formats = 0;
  for (const PartRow& row : built_in_catalog().rows()) {
    if (row.description->kind != PartKind::sample_format || !loads(row)) continue;
    ++formats;
    const auto payloads = payloads_of(row.description->holds);
    CHECK_FALSE(payloads.empty());
    for (const PayloadSpec& payload : payloads) {
      INFO("format " << row.description->name << ", data kind " << static_cast<int>(payload.data)
                     << ", rank " << static_cast<int>(payload.row.rank));
      use(*row.description,
          built_in_catalog().maker(PartKind::sample_format, row.description->name).format, payload);
    }
  }
  REQUIRE(formats >= 3);
}

void check_reader(SampleReader& reader, const std::vector<Logical>& samples) {
  CountingMeter meter;
  for (SampleId step = 0; step < samples.size(); ++step) {
    const SampleId id = (step * 11) % samples.size();
    const StoredSample got = reader.read(id, 0, meter);
    REQUIRE(got.label == samples[id].label);
    REQUIRE(std::ranges::equal(got.payload, samples[id].payload));
  }
}

TEST_CASE("formats: what is written is read back: order, names, labels, bytes",
          "[contract][formats]") {
  const auto runtime = make_real_runtime();
  for_each_format([&](const PartDescription& description, const FormatPart& format,
                      const PayloadSpec& payload) {
    const auto samples = some_samples(payload);
    const Folder folder(description.name);
    const std::string path = folder.at("data");
    write(format, path, samples, payload);
    for (int again = 0; again < 2; ++again) {  // the second time from what was kept of the first
      const auto archive = format.open(path);
      REQUIRE(archive->layout().samples == samples.size());
      CHECK(archive->classes() == 6);
      // Where every sample is a file of its own, none lies behind another.
      if (archive->extents() && archive->extents()->files() == samples.size())
        CHECK(archive->layout().shard_ends.empty());
      CHECK(archive->payload() == payload);
      if (const auto library = archive->library_reader(*runtime)) check_reader(*library, samples);
      const auto reader = archive->reader(*runtime);
      CountingMeter meter;
      std::uint64_t bytes = 0;
      for (SampleId step = 0; step < samples.size(); ++step) {
        const SampleId id = (step * 7) % samples.size();
        const Logical& want = samples[id];
        const StoredSample got = reader->read(id, 0, meter);
        REQUIRE(got.name == want.name);
        REQUIRE(got.label == want.label);
        REQUIRE(std::ranges::equal(got.payload, want.payload));
        CHECK(archive->name_of(id) == want.name);
        CHECK(archive->label_of(id) == want.label);
        CHECK(meter.last_id == id);
        bytes += want.payload.size();
      }
      CHECK(meter.payload_bytes == bytes);
      CHECK(meter.read_bytes >= bytes);
      CHECK(meter.faults == 0);
      CHECK(meter.billed[static_cast<std::size_t>(Stage::read)]);
      for (std::size_t stage = 0; stage < kStages; ++stage) {
        if (meter.billed[stage])
          CHECK(std::ranges::count(description.stages, static_cast<Stage>(stage)) == 1);
      }
    }
  });
}

TEST_CASE(
    "formats: a writer that is dropped leaves nothing, "
    "and one that meets an old attempt starts afresh",
    "[contract][formats]") {
  for_each_format([&](const PartDescription& description, const FormatPart& format,
                      const PayloadSpec& payload) {
    const auto samples = some_samples(payload);
    const Folder folder(description.name);
    const std::string path = folder.at("data");
    {
      const auto writer = format.create({path, 1, payload});
      writer->add(samples[6].name, 0, samples[6].payload);
    }
    CHECK(fs::is_empty(fs::path(path).parent_path()));
    fs::create_directories(path + ".partial/n0001");
    write(format, path, samples, payload);
    CHECK_THROWS_AS(format.create({path, 1, payload}), ScenarioError);  // never over what is there
    CHECK(format.open(path)->layout().samples == samples.size());
  });
}

TEST_CASE("formats: unsafe names are refused when writing", "[contract][formats]") {
  for_each_format([&](const PartDescription& description, const FormatPart& format,
                      const PayloadSpec& payload) {
    const Folder folder(description.name);
    const auto writer = format.create({folder.at("data"), 1, payload});
    const auto sample = some_samples(payload)[6];
    for (const char* name : {"../x.jpg", "/etc/x.jpg", "a/../../x.jpg", "", "a/"}) {
      CHECK_THROWS_AS(writer->add(name, 0, sample.payload), ScenarioError);
    }
  });
}

TEST_CASE(
    "formats: nothing there, an empty folder, an empty file and junk are errors that name the path",
    "[contract][formats]") {
  for_each_format(
      [&](const PartDescription& description, const FormatPart& format, const PayloadSpec&) {
        const Folder folder(description.name);
        fs::create_directories(folder.at("empty"));
        fs::create_directories(fs::path(folder.at("x")));
        {
          std::FILE* f = std::fopen(folder.at("nothing.tar").c_str(), "w");
          std::fclose(f);
        }
        {
          std::FILE* f = std::fopen(folder.at("junk.tar").c_str(), "w");
          for (int i = 0; i < 300; ++i) std::fputs("junk, nothing but junk ", f);
          std::fclose(f);
        }
        for (const char* name : {"absent", "empty", "nothing.tar", "junk.tar"}) {
          INFO(name);
          try {
            format.open(folder.at(name));
            FAIL_CHECK("opened");
          } catch (const ScenarioError& error) {
            CHECK(std::string(error.message()).find(name) != std::string::npos);
            CHECK(error.message().size() > 20);
          }
        }
      });
}

}  // namespace
}  // namespace benchbench::test::format_contract
