// Every engine reads the same bytes as pread from every sample format of the catalogue: a new
// format or engine is under test at once.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/record/value.h"
#include "tests/scratch_folder.h"

namespace benchbench::test::engine_contract {
namespace {

namespace fs = std::filesystem;

constexpr SampleId kCount = 48;
constexpr std::size_t kBatch = 8;

PayloadSpec payload_for(const Holds& holds) {
  if (holds.images) return {};
  if (holds.tokens) return {DataKind::tokens, DType::uint16, {}};
  const Shape sides{{9, 10, 3}, 3};
  return holds.volumes ? PayloadSpec{DataKind::volume, DType::int16, sides}
                       : PayloadSpec{DataKind::image, DType::uint8, sides};
}

std::vector<std::byte> stored_of(SampleId id, const PayloadSpec& payload) {
  Random random(id + 5);
  const std::size_t elements = payload.row.rank ? static_cast<std::size_t>(payload.row.elements())
                                                : 1 + (id % 7) * (id % 5) * 900;
  std::vector<std::byte> bytes(elements * size_of(payload.dtype));
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.next());
  return bytes;
}

struct DataSet {
  DataSet(const PartDescription& description, const FormatPart& format)
      : folder(make_scratch_folder("engines-" + std::string(description.name))),
        path(folder / "data"),
        payload(payload_for(description.holds)) {
    ::setenv("BENCHBENCH_CACHE", (folder / "cache").c_str(), 1);
    const auto writer = format.create({path, kCount, payload});
    for (SampleId id = 0; id < kCount; ++id) {
      const auto label = static_cast<std::int64_t>(id % 3);
      writer->add("c" + std::to_string(label) + "/" + std::to_string(100 + id) + ".jpg", label,
                  stored_of(id, payload));
    }
    writer->finish();
  }
  ~DataSet() {
    ::unsetenv("BENCHBENCH_CACHE");
    fs::remove_all(folder);
  }
  fs::path folder;
  std::string path;
  PayloadSpec payload;
};

// What each sample's stored bytes were, and how often.
class SeenMeter final : public StageMeter {
 public:
  void record(StepNumber, Stage stage, Nanoseconds) override { reads += stage == Stage::read; }
  void payload(SampleId id, std::span<const std::byte> stored) override {
    ++times[id];
    bytes[id].assign(stored.begin(), stored.end());
  }
  void bytes_read(std::uint64_t count) override { read_bytes += count; }
  void fault(SampleId, SampleFault, std::string_view where, std::string_view what) override {
    faults += std::string(where) + ": " + std::string(what) + "\n";
  }
  bool stages_wanted() const noexcept override { return true; }
  std::map<SampleId, int> times;
  std::map<SampleId, std::vector<std::byte>> bytes;
  std::uint64_t read_bytes = 0, reads = 0;
  std::string faults;
};

struct Way {
  std::string io = "auto";
  std::int64_t depth = 0;
  std::int64_t read_size = 4 << 20;
  unsigned workers = 1;
  bool by_sample = false;
};

std::unique_ptr<Loader> loader_of(const Way& way, std::string_view format, const DataSet& data) {
  SettingsMap map;
  for (const Parameter& p :
       built_in_catalog().find(PartKind::loader, "native")->description->parameters) {
    if (p.standard == "none" && p.type != ParameterType::choice) continue;
    map.set("loader." + std::string(p.key), p.type == ParameterType::choice
                                                ? Value{p.type, std::string(p.standard)}
                                                : *Value::parse(p.type, p.standard));
  }
  map.set("loader.payload", {ParameterType::choice, std::string("raw_bytes")});
  map.set("loader.io", {ParameterType::choice, way.io});
  map.set("loader.io_depth", {ParameterType::integer, way.depth});
  map.set("loader.read_size", {ParameterType::bytes, way.read_size});
  const PrefixedSettings settings(map, "loader.");
  return built_in_catalog()
      .maker(PartKind::loader, "native")
      .loader(
          {.settings = settings, .dataset = {format, data.path}, .catalog = &built_in_catalog()});
}

// The epoch's requests in an order without order, and one row of 24 bytes a sample.
struct Rows {
  explicit Rows(const BatchSpec& spec) {
    std::vector<SampleId> ids(kCount);
    for (SampleId i = 0; i < kCount; ++i) ids[i] = i;
    // Half in order, so that there are neighbours; half not.
    for (SampleId i = kCount / 2; i < kCount; ++i)
      std::swap(ids[i], ids[kCount / 2 + mix_seed(3, i) % (kCount / 2)]);
    for (const SampleId id : ids) refs.push_back({id, id});
    raw.resize(kCount * 2, -1);
    labels.resize(kCount, -1);
    for (std::size_t b = 0; b < kCount / kBatch; ++b)
      views.push_back({TensorView{spec.tensor[0], kBatch,
                                  reinterpret_cast<std::byte*>(raw.data() + b * kBatch * 2)},
                       TensorView{spec.tensor[1], kBatch,
                                  reinterpret_cast<std::byte*>(labels.data() + b * kBatch)}});
  }
  BatchRequest request(std::size_t batch, std::size_t first, std::size_t count) const {
    return {.epoch = 0,
            .batch = batch,
            .samples = std::span(refs).subspan(batch * kBatch + first, count),
            .rows = RowSpan(views[batch], first, count)};
  }
  std::vector<SampleRef> refs;
  std::vector<std::int64_t> raw, labels;
  std::vector<std::array<TensorView, 2>> views;
};

class Worker final : public Job {
 public:
  Worker(Loader& loader, const Rows& epoch, std::atomic<std::size_t>& next, bool by_sample,
         Runtime& runtime)
      : loader_(loader), epoch_(epoch), next_(next), by_sample_(by_sample), runtime_(runtime) {}
  void run() override try {
    const auto worker = loader_.worker(0, runtime_);
    for (std::size_t n = next_.fetch_add(1);; n = next_.fetch_add(1)) {
      const std::size_t batch = by_sample_ ? n / kBatch : n;
      if (batch >= kCount / kBatch) return;
      if (batch == 0 && n == 0)
        for (std::size_t b = 0; b < kCount / kBatch; ++b)
          loader_.expect(epoch_.request(b, 0, kBatch));
      worker->fill(
          by_sample_ ? epoch_.request(batch, n % kBatch, 1) : epoch_.request(batch, 0, kBatch),
          meter);
    }
  } catch (const std::exception& error) {
    meter.faults += error.what();
  }
  SeenMeter meter;

 private:
  Loader& loader_;
  const Rows& epoch_;
  std::atomic<std::size_t>& next_;
  bool by_sample_;
  Runtime& runtime_;
};

struct Outcome {
  SeenMeter seen;
  std::vector<std::int64_t> raw, labels;
};

// With 0 workers in this thread.
Outcome read_all(const Way& way, std::string_view format, const DataSet& data) {
  const auto runtime = make_real_runtime();
  const auto loader = loader_of(way, format, data);
  const Rows epoch(loader->spec());
  std::atomic<std::size_t> next{0};
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::unique_ptr<Task>> tasks;
  for (unsigned w = 0; w < std::max(1u, way.workers); ++w)
    workers.push_back(std::make_unique<Worker>(*loader, epoch, next, way.by_sample, *runtime));
  if (way.workers == 0)
    workers[0]->run();
  else
    for (auto& worker : workers) tasks.push_back(runtime->spawn("worker", *worker));
  for (auto& task : tasks) task->join();
  Outcome out;
  for (const auto& worker : workers) {
    for (const auto& [id, times] : worker->meter.times) out.seen.times[id] += times;
    for (const auto& [id, bytes] : worker->meter.bytes) out.seen.bytes[id] = bytes;
    out.seen.faults += worker->meter.faults;
    out.seen.read_bytes += worker->meter.read_bytes;
    out.seen.reads += worker->meter.reads;
  }
  out.raw = epoch.raw;
  out.labels = epoch.labels;
  return out;
}

void check_way(const Way& way, std::string_view format, const DataSet& data,
               const Outcome& expected) {
  INFO(format << " by " << way.io << ", depth " << way.depth << ", read_size " << way.read_size
              << ", " << way.workers << " workers" << (way.by_sample ? ", by sample" : ""));
  const Outcome got = read_all(way, format, data);
  CHECK(got.seen.faults == "");
  CHECK(got.seen.times.size() == kCount);
  CHECK(std::ranges::all_of(got.seen.times, [](const auto& t) { return t.second == 1; }));
  CHECK(got.seen.bytes == expected.seen.bytes);
  CHECK(got.raw == expected.raw);
  CHECK(got.labels == expected.labels);
  CHECK(got.seen.reads > 0);
}

TEST_CASE("engines: the same bytes as pread from every format, at any depth, each sample once",
          "[contract][engines]") {
  for (const PartRow& row : built_in_catalog().rows()) {
    if (row.description->kind != PartKind::sample_format || !row.maker.format.opens) continue;
    const std::string_view format = row.description->name;
    INFO(format);
    const DataSet data(*row.description, row.maker.format);
    const bool has_extents = row.maker.format.open(data.path)->extents() != nullptr;
    const Outcome expected =
        read_all({.io = "auto", .depth = 0, .read_size = 0, .workers = 0}, format, data);
    REQUIRE(expected.seen.faults == "");
    REQUIRE(expected.seen.bytes.size() == kCount);
    for (const auto& [id, bytes] : expected.seen.bytes)
      REQUIRE(bytes == stored_of(id, data.payload));
    for (const std::string io : {"pread", "mmap", "io_uring", "direct", "library"}) {
      try {
        loader_of({.io = io}, format, data);
      } catch (const DeviceError& refused) {
        INFO(refused.message());
        CHECK(std::string(refused.message()).find("loader.io: " + io) != std::string::npos);
        if (has_extents) CHECK(io != "pread");
        if (has_extents) CHECK(io != "mmap");
        continue;
      }
      CHECK((has_extents || io == "library"));
      for (const std::int64_t depth : {0, 1, 16}) {
        check_way({io, depth, 4 << 20, 0, false}, format, data, expected);
        check_way({io, depth, 4 << 20, 3, false}, format, data, expected);
        check_way({io, depth, 0, 3, true}, format, data, expected);
      }
    }
  }
}

TEST_CASE("engines: what was used is told", "[contract][engines]") {
  const PartRow* row = built_in_catalog().find(PartKind::sample_format, "tar");
  REQUIRE(row);
  const DataSet data(*row->description, row->maker.format);
  CHECK(std::string(loader_of({.io = "auto"}, "tar", data)->note()).find("io: pread") == 0);
  CHECK(std::string(loader_of({.io = "mmap", .depth = 3}, "tar", data)->note())
            .find("io: mmap, 3 reads in flight") == 0);
  CHECK_THROWS_AS(loader_of({.io = "library"}, "tar", data), DeviceError);
}

}  // namespace
}  // namespace benchbench::test::engine_contract
