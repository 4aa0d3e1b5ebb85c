// torch::data's loader against native on the same files: same samples, same draws, same order.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "harness/pipeline/sample_accounting.h"
#include "harness/pipeline/supply.h"
#include "tests/skip.h"
#include "tests/unit/formats/places.h"
#include "tests/unit/torch/training_job.h"

namespace benchbench::test {
namespace torch_loader {

using Changes = std::map<std::string, std::string>;
constexpr std::uint64_t kSamples = 40;
constexpr std::int64_t kSide = 32;

// Part settings whose value is "none" are absent.
class LoaderSettings final : public Settings {
 public:
  LoaderSettings(const PartDescription& part, const Changes& changed)
      : given_(part, changed), part_(part) {
    for (const Parameter& p : part.parameters)
      if (p.standard == "none" && p.type != ParameterType::choice &&
          !changed.count(std::string(p.key)))
        absent_.push_back(p.key);
  }
  bool has(std::string_view key) const noexcept override {
    return given_.has(key) && std::ranges::find(absent_, key) == absent_.end();
  }
  bool boolean(std::string_view key) const override { return given_.boolean(key); }
  std::int64_t integer(std::string_view key) const override { return given_.integer(key); }
  double real(std::string_view key) const override { return given_.real(key); }
  std::string_view text(std::string_view key) const override { return given_.text(key); }
  Nanoseconds duration(std::string_view key) const override { return given_.duration(key); }
  Bytes bytes(std::string_view key) const override { return given_.bytes(key); }
  double rate(std::string_view key) const override { return given_.rate(key); }

 private:
  TrainerSettings given_;
  const PartDescription& part_;
  std::vector<std::string_view> absent_;
};

// Synthesised JPEGs in a tar file.
std::string write_images(const TestFolder& folder, const Catalog& catalog = built_in_catalog()) {
  const PartRow& row = *catalog.find(PartKind::synthesis, "image");
  const LoaderSettings settings(*row.description, {{"samples", std::to_string(kSamples)},
                                                   {"image.mean_width", "120"},
                                                   {"image.mean_height", "90"},
                                                   {"classes", "7"}});
  const auto synthesis = row.maker.synthesis(settings);
  const std::string path = folder.at("images");
  const auto writer = catalog.maker(PartKind::sample_format, "tar").format.create({path, kSamples});
  for (SampleId id = 0; id < kSamples; ++id)
    synthesis->make(id, [&](std::span<const std::byte> jpeg) {
      writer->add(std::to_string(id) + ".jpg", synthesis->label(id), jpeg);
    });
  writer->finish();
  return path;
}

struct LoaderUnderTest {
  LoaderUnderTest(const std::string& name, const std::string& path, const Changes& changes,
                  const Catalog& catalog = built_in_catalog())
      : settings(*catalog.find(PartKind::loader, name)->description, with_size(changes)) {
    loader = catalog.maker(PartKind::loader, name)
                 .loader({.settings = settings,
                          .dataset = {"tar", path},
                          .batch_size = 8,
                          .num_workers = 2,
                          .catalog = &catalog});
  }
  static Changes with_size(Changes changes) {
    changes.emplace("transform.random_resized_crop", std::to_string(kSide));
    return changes;
  }
  LoaderSettings settings;
  std::unique_ptr<Loader> loader;
};

// Two passes and a rest, in another order each time.
struct Turning final : Sampler {
  std::uint64_t samples_per_epoch() const noexcept override { return kSamples; }
  void begin(Epoch epoch, std::span<SampleId> order) override {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = (i * 7 + epoch * 3) % kSamples;
  }
};

struct Row {
  std::vector<std::byte> image;
  std::int64_t label = 0;
};
struct Seen {
  std::map<std::pair<Epoch, SampleId>, Row> rows;
  std::vector<BatchNumber> batches;
  std::uint64_t duplicated = 0, missing = 0, epochs = 0, in_flight = 0, issued = 0, delivered = 0;
  std::optional<Nanoseconds> cpu;
  MeterTotals totals;
};

Seen run_batches(Loader& loader, std::uint32_t workers, int batches, bool in_order = true,
                 std::uint32_t batch_size = 8) {
  const auto runtime = make_real_runtime(Nanoseconds{0});
  NamedDevice device("cpu");
  Turning sampler;
  Supply supply({.num_workers = workers,
                 .batch_size = batch_size,
                 .max_jobs = 2 * std::max(1u, workers),
                 .in_order = in_order,
                 .drop_last = false,
                 .seed = 5,
                 .trainer_holds = 1,
                 .meters = {}},
                loader, sampler, device, *runtime);
  SampleAccounting books(supply.stream(), kSamples);
  supply.start();
  Seen seen;
  BatchLease before;  // held a batch longer than it is new
  for (int b = 0; b < batches; ++b) {
    BatchLease lease = supply.get({});
    books.delivered(lease.epoch(), lease.ids());
    seen.batches.push_back(lease.batch());
    const TensorView& image = lease.tensors()[0];
    for (std::size_t i = 0; i < lease.ids().size(); ++i) {
      Row row;
      const std::size_t bytes = image.spec.bytes_per_row();
      row.image.assign(image.data + i * bytes, image.data + (i + 1) * bytes);
      if (lease.tensors().size() > 1) std::memcpy(&row.label, lease.tensors()[1].data + i * 8, 8);
      seen.rows[{lease.epoch(), lease.ids()[i]}] = std::move(row);
    }
    before = std::move(lease);
  }
  supply.stop();
  before.drop();
  seen.duplicated = books.duplicated();
  seen.missing = books.missing();
  seen.epochs = books.epochs_completed();
  seen.delivered = books.delivered();
  seen.in_flight = supply.in_flight().value;
  seen.issued = supply.counts().issued;
  seen.cpu = supply.cpu_time();
  seen.totals = supply.totals();
  return seen;
}

std::vector<float> floats(const Row& row) {
  std::vector<float> values(row.image.size() / 4);
  std::memcpy(values.data(), row.image.data(), row.image.size());
  return values;
}

// A format whose reader throws what is no PartError, at one sample.
struct BrokenFormat {
  class Archive final : public SampleArchive {
   public:
    explicit Archive(std::unique_ptr<SampleArchive> archive) : archive_(std::move(archive)) {}
    Layout layout() const override { return archive_->layout(); }
    std::uint32_t classes() const override { return archive_->classes(); }
    std::string_view name_of(SampleId id) const override { return archive_->name_of(id); }
    std::int64_t label_of(SampleId id) const override { return archive_->label_of(id); }
    PayloadSpec payload() const override { return archive_->payload(); }
    std::unique_ptr<SampleReader> reader(Runtime& runtime) override {
      struct Reader final : SampleReader {
        explicit Reader(std::unique_ptr<SampleReader> its_reader) : reader(std::move(its_reader)) {}
        StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
          if (id == 11) throw std::runtime_error("the cable is out");
          return reader->read(id, step, meter);
        }
        std::unique_ptr<SampleReader> reader;
      };
      return std::make_unique<Reader>(archive_->reader(runtime));
    }

   private:
    std::unique_ptr<SampleArchive> archive_;
  };
  // Whose readers cannot be made, but for those after the first `failing`.
  class Unreadable final : public SampleArchive {
   public:
    explicit Unreadable(std::unique_ptr<SampleArchive> archive) : archive_(std::move(archive)) {}
    static inline std::atomic<int> failing{0};
    Layout layout() const override { return archive_->layout(); }
    std::uint32_t classes() const override { return archive_->classes(); }
    std::string_view name_of(SampleId id) const override { return archive_->name_of(id); }
    std::int64_t label_of(SampleId id) const override { return archive_->label_of(id); }
    PayloadSpec payload() const override { return archive_->payload(); }
    std::unique_ptr<SampleReader> reader(Runtime& runtime) override {
      if (failing.fetch_sub(1) > 0) throw std::runtime_error("no plug fits");
      return archive_->reader(runtime);
    }

   private:
    std::unique_ptr<SampleArchive> archive_;
  };
  template <class ItsArchive = Archive>
  static Catalog catalog() {
    const auto built_in = built_in_catalog().rows();
    std::vector<PartRow> rows(built_in.begin(), built_in.end());
    for (PartRow& row : rows) {
      if (row.description->kind != PartKind::sample_format || row.description->name != "tar")
        continue;
      row.maker.format.opens = [](std::string_view path,
                                  const ColumnNames&) -> std::unique_ptr<SampleArchive> {
        return std::make_unique<ItsArchive>(
            built_in_catalog().maker(PartKind::sample_format, "tar").format.open(path));
      };
    }
    return Catalog(rows);
  }
};

}  // namespace torch_loader

using namespace torch_loader;

TEST_CASE("libtorch: path same gives native's rows, bit for bit, exactly once", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const TestFolder folder;
  const std::string path = write_images(folder);
  const LoaderUnderTest native("native", path, {});
  const Seen wanted = run_batches(*native.loader, 1, 13);
  const std::uint32_t workers = GENERATE(0u, 1u, 2u);
  const LoaderUnderTest torch("libtorch", path, {{"path", "same"}});
  CHECK(torch.loader->spec() == native.loader->spec());
  CHECK(torch.loader->classes() == native.loader->classes());
  const Seen seen = run_batches(*torch.loader, workers, 13);
  CAPTURE(workers);
  CHECK(seen.duplicated == 0);
  CHECK(seen.missing == 0);
  CHECK(seen.epochs == 2);
  CHECK(seen.delivered == 13 * 8);
  CHECK(seen.issued == seen.delivered + seen.in_flight);
  CHECK(std::ranges::is_sorted(seen.batches));
  REQUIRE(seen.rows.size() == wanted.rows.size());
  int different = 0, labels = 0;
  for (const auto& [key, row] : wanted.rows) {
    different += seen.rows.at(key).image != row.image;
    labels += seen.rows.at(key).label != row.label;
  }
  CHECK(different == 0);
  CHECK(labels == 0);
  if (workers > 0) CHECK(seen.cpu.value() > Nanoseconds{0});
}

TEST_CASE("libtorch: the customary path is native's within two levels", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const TestFolder folder;
  const std::string path = write_images(folder);
  const Changes crop =
      GENERATE(Changes{}, Changes{{"transform.center_crop", "32"}, {"transform.resize", "40"}});
  Changes worker = crop;
  worker["transform.normalize_on"] = "worker";
  Changes tensors = crop;
  tensors["path"] = GENERATE("customary", "bytes_first");
  const LoaderUnderTest native("native", path, worker), torch("libtorch", path, tensors);
  CHECK(torch.loader->spec() == native.loader->spec());
  const Seen wanted = run_batches(*native.loader, 1, 5), seen = run_batches(*torch.loader, 2, 5);
  REQUIRE(wanted.rows.size() == kSamples);
  double max = 0, sum = 0, count = 0;
  for (const auto& [key, row] : wanted.rows) {
    const std::vector<float> a = floats(row), b = floats(seen.rows.at(key));
    CHECK(row.label == seen.rows.at(key).label);
    REQUIRE(a.size() == b.size());
    constexpr double kDeviation[] = {0.229 * 255, 0.224 * 255, 0.225 * 255};
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double levels = std::abs(a[i] - b[i]) * kDeviation[i % 3];
      max = std::max(max, levels);
      sum += levels;
      ++count;
    }
  }
  CAPTURE(max, sum / count, tensors["path"]);
  CHECK(max <= 2.0);
  CHECK(sum / count < 0.6);
  CHECK(max > 0);  // else it is not torch's resize
}

TEST_CASE("libtorch: out of order every sample still comes exactly once", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const TestFolder folder;
  const LoaderUnderTest torch("libtorch", write_images(folder), {});
  // 14 batches an epoch, the last of one sample
  const Seen seen = run_batches(*torch.loader, 3, 60, false, 3);
  CHECK(seen.duplicated == 0);
  CHECK(seen.missing == 0);
  CHECK(seen.epochs >= 1);
  CHECK(seen.issued == seen.delivered + seen.in_flight);
}

TEST_CASE("libtorch: its workers' stages are billed, each on its own meter", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const TestFolder folder;
  const LoaderUnderTest torch("libtorch", write_images(folder), {});
  const Seen seen = run_batches(*torch.loader, 2, 10);
  const auto count = [&](Stage stage) {
    return seen.totals.stages[static_cast<std::size_t>(stage)].count;
  };
  CHECK(count(Stage::decode) >= 80);
  CHECK(count(Stage::transform) == count(Stage::decode));
  CHECK(count(Stage::collate) >= 10);
  CHECK(seen.totals.payloads >= 80);
  CHECK(seen.totals.decode_errors == 0);
}

TEST_CASE("libtorch: what a worker dies of is told, in the middle of an epoch, and nothing hangs",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const TestFolder folder;
  const std::string path = write_images(folder);
  const Catalog catalog = BrokenFormat::catalog();
  const std::uint32_t workers = GENERATE(0u, 1u, 2u);
  const LoaderUnderTest torch("libtorch", path, {}, catalog);
  const std::string told = error_of([&] { run_batches(*torch.loader, workers, 20); });
  CAPTURE(workers);
  CHECK(told.find("the cable is out") != std::string::npos);
}

TEST_CASE("libtorch: a worker that cannot be made is told, and the thread keeps its number",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const TestFolder folder;
  const std::string path = write_images(folder);
  const Catalog catalog = BrokenFormat::catalog<BrokenFormat::Unreadable>();
  const std::uint32_t workers = GENERATE(0u, 1u, 2u);
  const int failing = GENERATE(1, 2, 1000);  // torch::data asks a thread again after a failure
  CAPTURE(workers, failing);
  const LoaderUnderTest torch("libtorch", path, {}, catalog);
  BrokenFormat::Unreadable::failing = failing;
  const auto runtime = make_real_runtime(Nanoseconds{0});
  NamedDevice device("cpu");
  Turning sampler;
  Supply supply({.num_workers = workers,
                 .batch_size = 8,
                 .max_jobs = 2 * std::max(1u, workers),
                 .in_order = true,
                 .drop_last = false,
                 .seed = 5,
                 .trainer_holds = 1,
                 .meters = {}},
                *torch.loader, sampler, device, *runtime);
  supply.start();
  std::string told;
  try {
    for (int b = 0; b < 20; ++b) supply.get({});
  } catch (const Error& error) {
    told = error.what();
  }
  supply.stop();  // those that were issued are made by then
  CHECK(told.find("no plug fits") != std::string::npos);
  CHECK((told.find("making worker 0") != std::string::npos ||
         (workers == 2 && told.find("making worker 1") != std::string::npos)));
  BrokenFormat::Unreadable::failing = 1;
  CHECK(error_of([&] { torch.loader->worker(0, *runtime); }).find("no plug fits") !=
        std::string::npos);
}

TEST_CASE("libtorch: a file that is cut is a fault of its sample, as native has it",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const TestFolder folder;
  const PartRow& row = *built_in_catalog().find(PartKind::synthesis, "image");
  const LoaderSettings settings(*row.description, {{"samples", "40"}, {"image.mean_width", "120"}});
  const auto synthesis = row.maker.synthesis(settings);
  const std::string path = folder.at("cut");
  const auto writer = create_archive("tar", path);
  for (SampleId id = 0; id < kSamples; ++id)
    synthesis->make(id, [&](std::span<const std::byte> jpeg) {
      const std::size_t kept = id == 3 ? jpeg.size() / 2 : id == 5 ? 100 : jpeg.size();
      writer->add(std::to_string(id) + ".jpg", 0, jpeg.first(kept));
    });
  writer->finish();
  const auto faults = [&](const std::string& name) {
    const LoaderUnderTest loader(name, path, {});
    return run_batches(*loader.loader, 1, 5).totals;
  };
  CHECK(faults("libtorch").decode_errors >= 2);
  CHECK(faults("native").decode_errors >= 1);
}

TEST_CASE("libtorch: a mock stacks what it cloned, or hands over batches without bytes",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const Changes small = {{"samples", "40"}, {"height", "8"}, {"width", "8"}, {"classes", "7"}};
  const auto make = [](Changes changes) {
    const PartRow& row = *built_in_catalog().find(PartKind::loader, "libtorch_mock");
    const LoaderSettings settings(*row.description, changes);
    return built_in_catalog()
        .maker(PartKind::loader, "libtorch_mock")
        .loader({.settings = settings, .dataset = {}, .batch_size = 8});
  };
  const auto stacked = make(small);
  const Seen seen = run_batches(*stacked, 2, 10);
  CHECK(seen.delivered == 80);
  CHECK(seen.missing == 0);
  for (const auto& [key, row] : seen.rows) {
    CHECK(row.label == static_cast<std::int64_t>(key.second % 7));
    CHECK(std::ranges::all_of(row.image, [](std::byte b) { return b == std::byte{127}; }));
  }
  Changes nothing = small;
  nothing["collate"] = "none";
  const auto empty = make(nothing);
  const Seen bare = run_batches(*empty, 2, 10);
  CHECK(bare.delivered == 80);
  CHECK(bare.rows.begin()->second.image.size() == 1);
}

}  // namespace benchbench::test
