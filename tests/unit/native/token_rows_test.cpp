// Rows of tokens: cut, padded to the longest of the batch, told.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/part/null_meter.h"
#include "harness/record/value.h"
#include "tests/unit/decode/recording_meter.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::token_rows {
namespace {

class TokenMeter final : public NullMeter {
 public:
  void record(StepNumber, Stage stage, Nanoseconds time) override {
    transformed |= stage == Stage::transform;
    ++records[stage];
    billed += time;
  }
  void elements(std::uint64_t of_samples, std::uint64_t around) override {
    real += of_samples, padding += around;
  }
  void fault(SampleId id, SampleFault kind, std::string_view, std::string_view) override {
    faults[id] = kind;
  }
  bool stages_wanted() const noexcept override { return true; }
  std::uint64_t real = 0, padding = 0;
  bool transformed = false;
  std::map<Stage, int> records;
  Nanoseconds billed{0};
  std::map<SampleId, SampleFault> faults;
};

template <class Token>
Token token(SampleId id, std::size_t place) {
  return static_cast<Token>(1000 * (id + 1) + place);
}

// A set of sequences this long; sample i holds 1000 (i + 1), 1000 (i + 1) + 1, ...
template <class Token>
std::string write_set(const TestFolder& folder, DType dtype,
                      const std::vector<std::size_t>& lengths) {
  const std::string path = folder.at("set");
  const auto writer =
      built_in_catalog()
          .maker(PartKind::sample_format, "tokens")
          .format.create(
              {path, lengths.size(), {.data = DataKind::tokens, .dtype = dtype, .row = {}}});
  for (SampleId id = 0; id < lengths.size(); ++id) {
    std::vector<Token> tokens(lengths[id]);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = token<Token>(id, i);
    writer->add("n0/" + std::to_string(id) + ".tok", 0, std::as_bytes(std::span(tokens)));
  }
  writer->finish();
  return path;
}

class Native {
 public:
  explicit Native(const std::string& path, const std::map<std::string, std::string>& changes = {}) {
    for (const Parameter& p :
         built_in_catalog().find(PartKind::loader, "native")->description->parameters) {
      const auto changed = changes.find(std::string(p.key));
      const std::string_view text = changed == changes.end() ? p.standard : changed->second;
      if (text != "none" || p.type == ParameterType::choice)
        settings_.set("loader." + std::string(p.key), *Value::parse(p.type, text));
    }
    loader_ =
        built_in_catalog()
            .maker(PartKind::loader, "native")
            .loader(
                {.settings = view_, .dataset = {"tokens", path}, .catalog = &built_in_catalog()});
  }
  Loader& loader() { return *loader_; }

  // One batch as the harness makes it, `requests` workers sharing it.
  template <class Token>
  std::vector<std::vector<Token>> batch(const std::vector<SampleId>& ids, StageMeter& meter,
                                        std::size_t requests = 1) {
    std::vector<SampleRef> refs;
    for (const SampleId id : ids) refs.push_back({id, 0});
    TensorView views[] = {
        {loader_->spec().tensor[0], static_cast<std::int64_t>(ids.size()), nullptr},
        {loader_->spec().tensor[1], static_cast<std::int64_t>(ids.size()), nullptr}};
    std::vector<std::byte> all(views[0].bytes(), std::byte{0xEE});
    lengths.assign(ids.size(), -1);
    views[0].data = all.data();
    views[1].data = reinterpret_cast<std::byte*>(lengths.data());
    views[0].spec.row.extent[0] = loader_->width_of(refs);
    const auto runtime = make_real_runtime();
    const std::size_t each = ids.size() / requests;
    for (std::size_t first = 0; first < ids.size(); first += each)
      loader_->worker(0, *runtime)
          ->fill({.samples = std::span(refs).subspan(first, each),
                  .rows = RowSpan(views, first, each)},
                 meter);
    std::vector<std::vector<Token>> rows(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      rows[i].resize(static_cast<std::size_t>(views[0].spec.row.extent[0]));
      std::memcpy(rows[i].data(), views[0].data + i * views[0].spec.bytes_per_row(),
                  views[0].spec.bytes_per_row());
    }
    return rows;
  }
  std::vector<std::int32_t> lengths;

 private:
  SettingsMap settings_;
  PrefixedSettings view_{settings_, "loader."};
  std::unique_ptr<Loader> loader_;
};

TEST_CASE(
    "native tokens: a batch is as wide as its longest sequence, rounded up, and padded behind each",
    "[unit][native]") {
  const TestFolder folder;
  const std::vector<std::size_t> lengths{5, 3, 17, 8, 1, 40};
  const std::string path = write_set<std::uint16_t>(folder, DType::uint16, lengths);
  for (const std::string residency : {"storage", "host"}) {
    Native native(path, {{"transform.pad_token_id", "-100"}, {"residency", residency}});
    const BatchSpec spec = native.loader().spec();
    CHECK(std::string_view(spec.tensor[0].name) == "input_ids");
    CHECK(spec.tensor[0].row.extent[0] == 40);
    CHECK(spec.tensor[0].ragged);
    CHECK_FALSE(spec.tensor[1].ragged);
    const std::vector<SampleId> ids{1, 2, 4, 0};
    TokenMeter meter;
    const auto rows = native.batch<std::int64_t>(ids, meter);
    REQUIRE(rows[0].size() == 24);  // 17 in eights
    for (std::size_t row = 0; row < ids.size(); ++row) {
      CHECK(native.lengths[row] == static_cast<std::int32_t>(lengths[ids[row]]));
      for (std::size_t i = 0; i < 24; ++i)
        CHECK(rows[row][i] == (i < lengths[ids[row]] ? token<std::int64_t>(ids[row], i) : -100));
    }
    CHECK(meter.real == 3 + 17 + 1 + 5);
    CHECK(meter.padding == 4 * 24 - 26);
    CHECK(meter.faults.empty());
    CHECK(meter.transformed);
    CHECK(native.batch<std::int64_t>(ids, meter, 4) == rows);  // a worker a row
    CHECK(native.batch<std::int64_t>({0, 1}, meter)[0].size() == 8);
  }
}

TEST_CASE("native tokens: max_length cuts, and what it cuts is no padding", "[unit][native]") {
  const TestFolder folder;
  const std::string path = write_set<std::int32_t>(folder, DType::int32, {5, 40, 9});
  Native native(path, {{"transform.max_length", "10"},
                       {"transform.pad_to_multiple_of", "1"},
                       {"transform.token_dtype", "int32"}});
  CHECK(native.loader().spec().tensor[0].dtype == DType::int32);
  CHECK(native.loader().spec().tensor[0].row.extent[0] == 10);
  TokenMeter meter;
  const auto rows = native.batch<std::int32_t>({1, 0}, meter);
  REQUIRE(rows[0].size() == 10);
  CHECK(rows[0][9] == token<std::int32_t>(1, 9));
  CHECK(rows[1][5] == 0);
  CHECK(native.lengths == std::vector<std::int32_t>{10, 5});
  CHECK(meter.real == 15);
  CHECK(meter.padding == 5);
  Native rounded(path, {{"transform.max_length", "10"}});
  CHECK(rounded.loader().spec().tensor[0].row.extent[0] == 16);  // as Hugging Face's collators pad
}

TEST_CASE("native tokens: every kind of element comes out as the number it is", "[unit][native]") {
  const auto check = [](auto stored, DType dtype) {
    using Token = decltype(stored);
    const TestFolder folder;
    Native native(write_set<Token>(folder, dtype, {9, 2}));
    TokenMeter meter;
    const auto rows = native.batch<std::int64_t>({0, 1}, meter);
    for (std::size_t i = 0; i < 9; ++i)
      CHECK(rows[0][i] == static_cast<std::int64_t>(token<Token>(0, i)));
    CHECK(rows[1][1] == static_cast<std::int64_t>(token<Token>(1, 1)));
  };
  check(std::uint8_t{}, DType::uint8);
  check(std::int16_t{}, DType::int16);
  check(std::uint16_t{}, DType::uint16);
  check(std::int32_t{}, DType::int32);
  check(std::int64_t{}, DType::int64);
}

TEST_CASE("native tokens: empty sequences and numbers that do not fit are faults with a blank row",
          "[unit][native]") {
  const TestFolder folder;
  const std::string path = folder.at("set");
  const auto writer =
      built_in_catalog()
          .maker(PartKind::sample_format, "tokens")
          .format.create({path, 3, {.data = DataKind::tokens, .dtype = DType::int64, .row = {}}});
  const std::int64_t fits[] = {-5, 2147483647}, large[] = {1, 2147483648};
  writer->add("n0/0.tok", 0, std::as_bytes(std::span(fits)));
  writer->add("n0/1.tok", 0, {});
  writer->add("n0/2.tok", 0, std::as_bytes(std::span(large)));
  writer->finish();
  Native native(path, {{"transform.token_dtype", "int32"}, {"transform.pad_token_id", "7"}});
  TokenMeter meter;
  const auto rows = native.batch<std::int32_t>({0, 1, 2}, meter);
  CHECK(rows[0] == std::vector<std::int32_t>{-5, 2147483647, 7, 7, 7, 7, 7, 7});
  CHECK(rows[1] == std::vector<std::int32_t>(8, 7));
  CHECK(rows[2] == std::vector<std::int32_t>(8, 7));
  CHECK(native.lengths == std::vector<std::int32_t>{2, 0, 0});
  CHECK(meter.faults == std::map<SampleId, SampleFault>{{1, SampleFault::decode_error},
                                                        {2, SampleFault::decode_error}});
  std::filesystem::resize_file(path + "/tokens.bin", 4);  // a file that shrinks while it is read
  native.batch<std::int32_t>({0, 1, 2}, meter);
  CHECK(meter.faults.at(0) == SampleFault::short_read);
  CHECK(native.lengths == std::vector<std::int32_t>{0, 0, 0});
}

TEST_CASE("native tokens: a row that is narrower than its sequence is cut, never left",
          "[unit][native]") {
  const TestFolder folder;
  Native native(write_set<std::uint16_t>(folder, DType::uint16, {4, 40}));
  TensorSpec narrow = native.loader().spec().tensor[0];
  narrow.row.extent[0] = 8;  // as mode trainer's batch, where a longer sample takes a bad one's row
  std::vector<std::int64_t> ids(8 + 8, -1);
  std::int32_t length = -1;
  const TensorView views[] = {
      {narrow, 1, reinterpret_cast<std::byte*>(ids.data())},
      {native.loader().spec().tensor[1], 1, reinterpret_cast<std::byte*>(&length)}};
  const SampleRef ref{1, 0};
  const auto runtime = make_real_runtime();
  TokenMeter meter;
  native.loader()
      .worker(0, *runtime)
      ->fill({.samples = {&ref, 1}, .rows = RowSpan(views, 0, 1)}, meter);
  CHECK(length == 8);
  CHECK(ids[7] == token<std::int64_t>(1, 7));
  CHECK(std::count(ids.begin() + 8, ids.end(), -1) == 8);
}

TEST_CASE("native tokens: a ticket is billed once, with what its reads leave of its time",
          "[unit][native]") {
  const TestFolder folder;
  const std::string path =
      write_set<std::uint16_t>(folder, DType::uint16, {5, 40, 9, 7, 3, 12, 1, 30});
  const std::vector<SampleId> ids{0, 1, 2, 3, 4, 5, 6, 7};
  const std::string residency = GENERATE("storage", "host");
  Native native(path, {{"residency", residency}});
  TokenMeter meter;
  const auto runtime = make_real_runtime();
  const TimePoint begun = runtime->now();
  native.batch<std::int64_t>(ids, meter);
  CHECK(meter.billed <= runtime->now() - begun);
  CHECK(meter.records[Stage::transform] == 1);
  // Two reads: the plan, and one request for all neighbours.
  CHECK(meter.records[Stage::read] <= (residency == "host" ? 0 : 2));
  native.batch<std::int64_t>(ids, meter, 2);
  CHECK(meter.records[Stage::transform] == 3);
}

TEST_CASE("native tokens: rows that are not made count no tokens", "[unit][native]") {
  const TestFolder folder;
  const std::string path = write_set<std::uint16_t>(folder, DType::uint16, {5, 40, 9});
  for (const std::string payload : {"ready", "transformed"}) {
    CAPTURE(payload);
    Native native(path, {{"payload", payload}, {"transform.pad_token_id", "-1"}});
    TokenMeter meter;
    CHECK(native.batch<std::int64_t>({0, 2}, meter)[0] == std::vector<std::int64_t>(16, -1));
    CHECK(meter.real == 0);
    CHECK(meter.padding == 0);
  }
}

}  // namespace
}  // namespace benchbench::test::token_rows
