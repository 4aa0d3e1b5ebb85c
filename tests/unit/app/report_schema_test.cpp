#include "harness/app/commands/report_schema.h"

#include <catch2/catch.hpp>

#include "harness/core/files/whole_file.h"
#include "tests/places.h"

namespace benchbench::report_schema_test {

TEST_CASE("report schema: docs has what the program prints", "[unit][app]") {
  INFO("renew it: benchbench describe report.schema.json > docs/report.schema.json");
  CHECK(write_report_schema() == read_whole(test::source_path("docs/report.schema.json")));
}

}  // namespace benchbench::report_schema_test
