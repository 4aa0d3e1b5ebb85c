#include "harness/record/keys.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "harness/record/trial_record.h"
#include "harness/record/value.h"

namespace benchbench::keys_tests {

TEST_CASE("keys: each default is a value of its own type, range and choices", "[unit][record]") {
  for (const auto keys : {dataset_keys(), loader_keys(), trainer_keys(), measure_keys()}) {
    std::set<std::string_view> seen;
    for (const Parameter& key : keys) {
      INFO(key.key);
      CHECK(seen.insert(key.key).second);
      CHECK(key.help.size() > 15);
      CHECK(key.help.ends_with("."));
      CHECK((key.type == ParameterType::choice) == !key.choices.empty());
      if (key.standard.empty()) continue;
      const auto value = Value::parse(key.type, key.standard);
      REQUIRE(value);
      if (value->none()) continue;
      if (key.type == ParameterType::choice) {
        CHECK(std::find(key.choices.begin(), key.choices.end(), key.standard) != key.choices.end());
      }
      if (const auto* n = std::get_if<std::int64_t>(&value->held)) {
        CHECK(static_cast<double>(*n) >= key.min);
        CHECK(static_cast<double>(*n) <= key.max);
      }
    }
  }
}

TEST_CASE("trial: names come back, and a point is named after what it changes", "[unit][record]") {
  for (const auto mode : {Mode::loader, Mode::trainer, Mode::pipeline})
    CHECK(from_name<Mode>(name_of(mode)) == mode);
  for (const auto status : {Status::valid, Status::noisy, Status::invalid, Status::failed,
                            Status::skipped, Status::aborted}) {
    CHECK(from_name<Status>(name_of(status)) == status);
  }
  CHECK_FALSE(from_name<Mode>("Loader"));
  Point point;
  CHECK(point.name() == "base");
  point.labels = {{"loader.num_workers", "4"}, {"dataset.format", "hdf5"}};
  CHECK(point.name() == "num_workers=4 format=hdf5 (base)");
  point.index = 1;
  CHECK(point.name() == "num_workers=4 format=hdf5");
}

TEST_CASE("point: the base's labels are in its name as far as they leave room for the rates",
          "[unit][record]") {
  Point base;
  base.labels = {{"loader.num_workers", "2"}};
  CHECK(base.name() == "num_workers=2 (base)");
  // Two are told however long they are; of three or more, up to 40 characters.
  base.labels = {{"loader.transform.random_resized_crop", "224"},
                 {"loader.transform.horizontal_flip", "0.5"}};
  CHECK(base.name() == "random_resized_crop=224 horizontal_flip=0.5 (base)");
  base.labels = {
      {"loader.num_workers", "2"}, {"loader.batch_size", "16"}, {"loader.seed", "12345"}};
  CHECK(base.name() == "num_workers=2 batch_size=16 seed=12345 (base)");
  base.labels.back().second = "1234567";
  CHECK(base.name() == "num_workers=2 batch_size=16 seed=1234567 (base)");  // 40
  base.labels.back().second = "12345678";
  CHECK(base.name() == "num_workers=2 +2 (base)");
  base.index = 1;
  CHECK(base.name() == "num_workers=2 batch_size=16 seed=12345678");
}

}  // namespace benchbench::keys_tests
