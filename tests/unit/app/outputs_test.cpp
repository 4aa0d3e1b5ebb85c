#include "harness/app/run/outputs.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/report/formats.h"

namespace benchbench::outputs_test {

TEST_CASE("outputs: each format of the table is an option, the terminal's is none", "[unit][app]") {
  const std::vector<Option> options = with_output_options({});
  for (const ReportFormat* format : report_formats()) {
    INFO(format->option);
    const auto at = std::ranges::find(options, format->option, &Option::name);
    CHECK((at != options.end()) == (format->name() != "terminal"));
    if (at != options.end()) CHECK(at->value == "FILE");
  }
  CHECK(options.size() == report_formats().size() + 1);  // --detail and --trace are no formats
}

TEST_CASE("outputs: two that want standard output are refused, with what could be meant", "[unit][app]") {
  Arguments arguments;
  arguments.add("--csv", {"-"});
  CHECK_NOTHROW(check_outputs(arguments));
  arguments.add("--markdown", {"-"});
  try {
    check_outputs(arguments);
    FAIL("must throw");
  } catch (const UsageError& e) {
    CHECK(e.message() == "only one of --json, --html, --csv, --markdown, --junit, --gbench, --prometheus, --trace can be written to standard output");
  }
}

}  // namespace benchbench::outputs_test
