#include "harness/store/record_reader.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

namespace benchbench::record_reader_test {

TrialRecord record_of(std::uint32_t trial, const std::string& use, const std::string& machine) {
  TrialRecord record;
  record.sequence = trial;
  record.trial.index = record.planned.trial = trial;
  record.trial.settings.set("loader.use", {ParameterType::text, use});
  record.environment.machine = machine;
  record.facts.window.samples = 100 + trial;
  return record;
}

TEST_CASE("record reader: a trial and an environment that were read before come back the same",
          "[unit][store]") {
  RecordReader reader;
  const std::string hostile = R"(},"planned":{"trial":{ },"facts":)";
  for (const char* machine : {"one", "two", "one"})
    for (const std::string& use : {std::string("native"), hostile, std::string("native")})
      for (const std::uint32_t trial : {0, 1, 0}) {
        const std::string line = to_json(record_of(trial, use, machine));
        CHECK(to_json(reader.read(line)) == line);
      }
}

TEST_CASE("record reader: a line without a trial is refused, whatever was read before",
          "[unit][store]") {
  RecordReader reader;
  std::string line = to_json(record_of(1, "native", "one"));
  reader.read(line);
  const std::size_t from = line.find("\"trial\":{");
  line.erase(from, line.find("\"planned\":") - from);
  CHECK_THROWS_AS(reader.read(line), StoreError);
}

TEST_CASE("record reader: what is damaged is told by its place", "[unit][store]") {
  RecordReader reader;
  std::string line = to_json(record_of(1, "native", "one"));
  line.insert(line.find("\"mode\":\"") + 8, "no");
  for (int i = 0; i < 2; ++i) {
    try {
      reader.read(line);
      FAIL("it was read");
    } catch (const StoreError& e) {
      CHECK(std::string(e.message()).find("trial.mode") != std::string::npos);
    }
  }
}

}  // namespace benchbench::record_reader_test
