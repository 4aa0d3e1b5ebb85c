#include "harness/app/run/outputs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/report/text/formats.h"
#include "tests/scratch_folder.h"

namespace benchbench::outputs_test {

TEST_CASE("outputs: each format of the table is an option, the terminal's is none", "[unit][app]") {
  const std::vector<Option> options = output_options();
  for (const ReportFormat* format : report_formats()) {
    INFO(format->option);
    const auto at = std::ranges::find(options, format->option, &Option::name);
    CHECK((at != options.end()) == (format->name() != "terminal"));
    if (at != options.end()) CHECK(at->value == "FILE");
  }
  CHECK(options.size() == report_formats().size() + 1);  // --detail and --trace are no formats
}

TEST_CASE("outputs: two that want standard output are refused, with what could be meant",
          "[unit][app]") {
  Arguments arguments;
  arguments.add("--csv", {"-"});
  CHECK_NOTHROW(check_outputs(arguments));
  arguments.add("--markdown", {"-"});
  try {
    check_outputs(arguments);
    FAIL("must throw");
  } catch (const UsageError& e) {
    CHECK(e.message() ==
          "only one of --json, --html, --csv, --markdown, --junit, --gbench, --prometheus, --trace "
          "can be written to standard output");
  }
}

TEST_CASE(
    "outputs: one whose folder is missing is refused at first, "
    "one in a folder that the run makes is not",
    "[unit][app]") {
  const std::string folder = test::make_scratch_folder("outputs");
  const auto check = [&](const std::string& path, const std::string& out = "") {
    Arguments arguments;
    arguments.add("--json", {path});
    check_outputs(arguments,
                  {{}, out.empty() ? std::vector<std::string>{} : std::vector<std::string>{out}});
  };
  CHECK_THROWS_WITH(check(folder + "/no/x.json"),
                    folder + "/no/x.json could not be written: No such file or directory");
  CHECK_NOTHROW(check(folder + "/x.json"));
  CHECK_NOTHROW(check(folder + "/no/run/x.json", folder + "/no/run"));
  CHECK_NOTHROW(check(folder + "/no/x.json", folder + "/no/run"));
  CHECK_THROWS_AS(check(folder + "/no/run/deeper/x.json", folder + "/no/run"), StoreError);
  CHECK_THROWS_AS(check(folder + "/other/x.json", folder + "/no/run"), StoreError);
  std::filesystem::current_path(folder);
  CHECK_NOTHROW(check("results/x.json"));
  CHECK_NOTHROW(check("results/runs/x.json"));
  CHECK_THROWS_AS(check("results/runs/night/x.json"), StoreError);
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);
}

}  // namespace benchbench::outputs_test
