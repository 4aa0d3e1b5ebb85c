#include "harness/part/module.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/core/error.h"

namespace benchbench::module_tests {

// The modules of this test lie beside it, as libbenchbench_test_<name>.so.
std::string refusal(std::string_view name) {
  try {
    module_rows(name);
  } catch (const DeviceError& e) {
    return std::string(e.message());
  }
  return "";
}

TEST_CASE("module: one that fits is loaded once and gives its rows", "[unit][part]") {
  const auto rows = module_rows("test_fitting");
  REQUIRE(rows.size() == 1);
  CHECK(std::string(rows[0].name) == "small");
  CHECK(module_rows("test_fitting").data() == rows.data());
}

TEST_CASE("module: one of another seam is refused, with both named", "[unit][part]") {
  const std::string why = refusal("test_other_seam");
  CHECK(why.find("built for a different version of benchbench") != std::string::npos);
  CHECK(why.find("interface another") != std::string::npos);
  CHECK(why.find(std::string(seam_id())) != std::string::npos);
}

TEST_CASE("module: a library that is no module, and one that is not there, are refused",
          "[unit][part]") {
  CHECK(refusal("test_without_table").find("has no benchbench_module()") != std::string::npos);
  CHECK(refusal("test_missing").find("libbenchbench_test_missing.so is not next to the program") !=
        std::string::npos);
}

}  // namespace benchbench::module_tests
