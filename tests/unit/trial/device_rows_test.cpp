// Trials of data that stay on a device: what is told of them, and what they refuse.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <vector>

#include "tests/scratch_folder.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::device_rows {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSamples = 50;

// Samples of `data` in files of numpy, or tokens.
class Data {
 public:
  explicit Data(PayloadSpec payload)
      : folder_(make_scratch_folder("rows")),
        path_(folder_ / "set"),
        format_(payload.data == DataKind::tokens ? "tokens" : "npy") {
    const auto writer = built_in_catalog()
                            .maker(PartKind::sample_format, format_)
                            .format.create({path_.string(), kSamples, payload});
    const auto values = static_cast<std::size_t>(payload.row.elements());
    for (SampleId id = 0; id < kSamples; ++id)
      writer->add("c0/" + std::to_string(id), 0,
                  std::vector<std::byte>(values * size_of(payload.dtype), std::byte{1}));
    writer->finish();
  }
  ~Data() { fs::remove_all(folder_); }

  TrialRecord run(TrialOfMocks::Changes changes) const {
    TrialOfMocks mocks("native", "timed",
                       {{"loader.residency", "device"},
                        {"loader.transform.normalize", "none"},
                        {"trainer.device", "emulated"},
                        {"trainer.step_time", "1ms"},
                        {"measure.window", "500ms"}});
    mocks.change(changes);
    ExecutorContext context{.catalog = built_in_catalog(),
                            .environment = {},
                            .dataset = {format_, path_.native()},
                            .expected_digest = {},
                            .simulated = true,
                            .stop = nullptr,
                            .progress = {}};
    context.environment.cores_available = 2;
    return run_trial(mocks.trial(), {}, context);
  }

 private:
  fs::path folder_, path_;
  std::string format_;
};

constexpr PayloadSpec kPixels{
    .data = DataKind::image, .dtype = DType::uint8, .row = {.extent = {40, 50, 3}, .rank = 3}};
constexpr PayloadSpec kVolumes{
    .data = DataKind::volume, .dtype = DType::int16, .row = {.extent = {6, 10, 12}, .rank = 3}};
constexpr PayloadSpec kTokens{
    .data = DataKind::tokens, .dtype = DType::uint16, .row = {.extent = {9}, .rank = 1}};

TEST_CASE("trial of rows on a device: whole, of lists alone in its window, and said so",
          "[unit][trial]") {
  const TrialRecord record = Data(kPixels).run({{"loader.transform.center_crop", "16"},
                                                {"loader.transform.resize", "16"},
                                                {"loader.transform.normalize", "imagenet"},
                                                {"trainer.emulated.memory_rate", "1MB/s"},
                                                {"measure.content_check", "1"}});
  INFO(reasons_of(record));
  REQUIRE(record.status == Status::valid);
  const Facts& f = record.facts;
  REQUIRE(f.device);
  // The step normalises four images, five bytes for each value at 1 MB/s, and the device waits for
  // that launch.
  CHECK(f.device->span_ns ==
        static_cast<std::int64_t>(f.window.steps) * (4 * 16 * 16 * 3 * 5 * 1000 + 1'003'000));
  CHECK(f.device->copied_bytes == sizeof(SampleId) * f.window.samples);
  CHECK_THAT(f.parts.loader_note,
             Catch::StartsWith("all 50 samples are on the device: 37.9 KiB; io: "));
  CHECK(f.accounting.delivered > kSamples);
  CHECK(f.accounting.missing == 0);
  CHECK(f.accounting.duplicated == 0);
  CHECK(f.window.stages[static_cast<std::size_t>(Stage::decode)].count == 0);
  CHECK(f.window.stages[static_cast<std::size_t>(Stage::read)].count == 0);
  CHECK_FALSE(f.bytes.loaded);
  for (const std::string& notice : f.notices)
    CHECK(notice.find("virtual time") == std::string::npos);
}

TEST_CASE("trial of rows on a device: rows that differ from epoch to epoch are refused",
          "[unit][trial]") {
  const auto refused = [](const PayloadSpec& payload, TrialOfMocks::Changes changes) {
    const TrialRecord record = Data(payload).run(changes);
    CHECK(record.status == Status::failed);
    return reasons_of(record);
  };
  CHECK_THAT(refused(kPixels, {}),
             Catch::Contains("random crops and patches differ in each epoch"));
  const TrialOfMocks::Changes crop{{"loader.transform.center_crop", "16"},
                                   {"loader.transform.resize", "16"}};
  for (const PayloadSpec& payload : {kVolumes, kTokens})
    CHECK_THAT(refused(payload, crop), Catch::Contains("loader.residency: device takes images"));
}

}  // namespace
}  // namespace benchbench::test::device_rows
