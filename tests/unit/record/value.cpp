#include "harness/record/value.h"
#include "harness/record/setting_keys.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

namespace benchbench::value_tests {

using enum ParameterType;

Value read(ParameterType type, std::string_view text) {
  auto value = Value::parse(type, text);
  REQUIRE(value);
  return *value;
}

TEST_CASE("value: text is canonical, so equal values have equal text", "[unit][record]") {
  CHECK(read(duration, "1500us").text() == read(duration, "1.5ms").text());
  CHECK(read(duration, "0.012s") == read(duration, "12ms"));
  CHECK(read(bytes, "65536").text() == "64KiB");
  CHECK(read(rate, "30/min").text() == read(rate, "0.5/s").text());
  CHECK(read(real, "0.50").text() == "0.5");
  CHECK(read(real, "-0").text() == "0");
  CHECK(read(boolean, "true").text() == "true");
  CHECK(read(integer, "-12").text() == "-12");
}

TEST_CASE("value: text reads back as the same value", "[unit][record]") {
  const std::pair<ParameterType, const char*> samples[] = {{boolean, "false"},
                                                           {integer, "9223372036854775807"},
                                                           {real, "0.1"},
                                                           {real, "1e300"},
                                                           {duration, "1ns"},
                                                           {duration, "90min"},
                                                           {duration, "1234567ns"},
                                                           {bytes, "3"},
                                                           {bytes, "1.5GB"},
                                                           {rate, "333.3/s"},
                                                           {bandwidth, "1.2GB/s"},
                                                           {text, "a b\"c"},
                                                           {choice, "shared"},
                                                           {duration, "0"},
                                                           {bytes, "0"}};
  for (const auto& [type, words] : samples) {
    const Value value = read(type, words);
    INFO(words << " -> " << value.text());
    CHECK(Value::parse(type, value.text()) == value);
  }
}

TEST_CASE("value: what is no value says what would be one", "[unit][record]") {
  const std::pair<ParameterType, const char*> wrong[] = {{boolean, "yes"},
                                                         {boolean, "True"},
                                                         {boolean, ""},
                                                         {integer, "010"},
                                                         {integer, "1.5"},
                                                         {integer, "12ms"},
                                                         {integer, ""},
                                                         {real, "007.5"},
                                                         {real, "nan"},
                                                         {real, "inf"},
                                                         {real, "0x10"},
                                                         {duration, "12"},
                                                         {duration, "ms"},
                                                         {bytes, "12ms"},
                                                         {rate, "500"},
                                                         {bandwidth, "5/s"},
                                                         {integer, "9223372036854775808"},
                                                         {integer, "-01"},
                                                         {real, "1e999"},
                                                         {bytes, "-1"}};
  for (const auto& [type, words] : wrong) {
    std::string why;
    INFO(words);
    CHECK_FALSE(Value::parse(type, words, &why));
    CHECK_FALSE(why.empty());
  }
}

TEST_CASE("value: none is absence, except where it is a choice", "[unit][record]") {
  CHECK(read(integer, "none").none());
  CHECK(read(text, "none").none());
  CHECK(read(duration, "none").text() == "none");
  CHECK_FALSE(read(choice, "none").none());
  CHECK(read(choice, "none").text() == "none");
}

TEST_CASE("settings: an absent key is named with its nearest spelling", "[unit][record]") {
  SettingsMap settings;
  settings.set("loader.num_workers", read(integer, "4"));
  CHECK(settings.integer("loader.num_workers") == 4);
  CHECK(settings.real("loader.num_workers") == 4.0);
  try {
    settings.at("loader.num_worker");
    FAIL("no error");
  } catch (const ScenarioError& e) {
    CHECK(std::string(e.message()).find("loader.num_worker is not set") != std::string::npos);
    CHECK(std::string(e.hint()).find("loader.num_workers") != std::string::npos);
  }
  CHECK_THROWS_AS(settings.boolean("loader.num_workers"), ScenarioError);
  CHECK_THROWS_AS(settings.duration("loader.num_workers"), ScenarioError);
}

TEST_CASE("settings: a prefix is erased and nothing beside it", "[unit][record]") {
  SettingsMap settings;
  for (const char* key : {"loader.rate", "loader.rate.spread", "loader.ratio", "loader.use"}) {
    settings.set(key, read(text, "x"));
  }
  settings.erase_prefix("loader.rate");
  CHECK(settings.all().size() == 2);
  settings.erase("loader.use");
  settings.erase("loader.unknown");
  CHECK(settings.has("loader.ratio"));
  CHECK(settings.all().size() == 1);
}

TEST_CASE("settings: a key of the harness reads and sets its own type", "[unit][record]") {
  SettingsMap settings;
  settings.set(keys::loader.num_workers, 4);
  settings.set(keys::measure.window, std::chrono::seconds{2});
  settings.set(keys::loader.dispatch, "shared");
  settings.set(keys::trainer.intra_op_threads, read(integer, "2"));
  CHECK(settings.integer("loader.num_workers") == 4);
  CHECK(settings.at("measure.window") == read(duration, "2s"));
  CHECK(settings.at("loader.dispatch") == read(choice, "shared"));
  CHECK(settings.get(keys::trainer.intra_op_threads) == "2");
  CHECK(settings.get_if(keys::measure.window) == std::chrono::seconds{2});
  CHECK_THROWS_AS(settings.get(keys::loader.batch_size), ScenarioError);
  CHECK(settings.get_if(keys::loader.batch_size) == std::nullopt);
}

TEST_CASE("settings: what is absent, none or of another type is not there to read",
          "[unit][record]") {
  SettingsMap settings;
  settings.set("loader.batch_size", read(text, "auto"));
  settings.set("loader.max_jobs", read(integer, "none"));
  CHECK(settings.get_if(keys::loader.batch_size) == std::nullopt);
  CHECK(settings.get_if(keys::loader.max_jobs) == std::nullopt);
  CHECK(settings.integer_or("loader.batch_size", 3) == 3);
  CHECK(settings.text_or("loader.batch_size", "8") == "auto");
  CHECK(settings.text_or("loader.max_jobs", "8") == "8");
  CHECK(settings.real_or("loader.max_jobs", 0.5) == 0.5);
  CHECK_THROWS_AS(settings.get(keys::loader.batch_size), ScenarioError);
}

TEST_CASE("settings: a part sees its own keys, typed", "[unit][record]") {
  SettingsMap settings;
  settings.set("trainer.step_time", read(duration, "12ms"));
  settings.set("trainer.size", read(bytes, "64KiB"));
  settings.set("trainer.limit", read(rate, "none"));
  settings.set("trainer.speed", read(bandwidth, "2kB/s"));
  settings.set("trainer.name", read(choice, "fast"));
  settings.set("loader.rate", read(rate, "5/s"));
  const PrefixedSettings part(settings, "trainer.");
  CHECK(part.duration("step_time") == std::chrono::milliseconds{12});
  CHECK(part.bytes("size").value == 65536);
  CHECK(part.rate("speed") == 2000.0);
  CHECK(part.text("name") == "fast");
  CHECK_FALSE(part.has("limit"));
  CHECK_FALSE(part.has("rate"));
  CHECK_THROWS_AS(part.rate("rate"), PartError);
  CHECK_THROWS_AS(part.rate("limit"), PartError);
  CHECK_THROWS_AS(part.integer("step_time"), PartError);
  CHECK_THROWS_AS(part.bytes("step_time"), PartError);
}

}  // namespace benchbench::value_tests
