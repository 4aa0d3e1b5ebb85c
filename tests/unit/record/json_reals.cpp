// The text of reals in the store: what journals hold already, to the byte.
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "harness/record/trial_record.h"

namespace benchbench::json_reals_tests {

std::string text_of(double value) {
  Environment environment;
  environment.cpu_quota = value;
  const std::string line = to_json(environment), name = "\"cpu_quota\":";
  const std::size_t from = line.find(name) + name.size();
  return line.substr(from, line.find(',', from) - from);
}

TEST_CASE("json: a real is its shortest text that reads back equal, and never looks whole",
          "[unit][record]") {
  CHECK(text_of(0) == "0.0");
  CHECK(text_of(-0.0) == "-0.0");
  CHECK(text_of(3) == "3.0");
  CHECK(text_of(-128000) == "-128000.0");
  CHECK(text_of(0.1) == "0.1");
  CHECK(text_of(1.0 / 3) == "0.3333333333333333");
  CHECK(text_of(0.0001) == "0.0001");
  CHECK(text_of(0.00001) == "1e-05");
  CHECK(text_of(1e15) == "1000000000000000.0");
  CHECK(text_of(1e16) == "1e+16");
  CHECK(text_of(5e-324) == "5e-324");
  CHECK(text_of(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
}

TEST_CASE("json: reals that nlohmann writes otherwise", "[unit][record]") {
  CHECK(text_of(4059830810010669) == "4059830810010669.0");
  CHECK(text_of(608116586817409.2) == "608116586817409.2");
  CHECK(text_of(0.612256287772801) == "0.612256287772801");
  CHECK(text_of(7.165488980535343) == "7.165488980535343");
}

TEST_CASE("json: what is no number is text", "[unit][record]") {
  CHECK(text_of(std::numeric_limits<double>::quiet_NaN()) == "\"nan\"");
  CHECK(text_of(std::numeric_limits<double>::infinity()) == "\"inf\"");
  CHECK(text_of(-std::numeric_limits<double>::infinity()) == "\"-inf\"");
}

}  // namespace benchbench::json_reals_tests
