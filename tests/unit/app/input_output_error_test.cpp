// Which exceptions are faults of files, and their messages.
#include "harness/app/input_output_error.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <ios>
#include <stdexcept>
#include <system_error>

namespace benchbench::input_output_error_test {

TEST_CASE(
    "input and output: what the library throws of a path is told with the path and the reason",
    "[unit][app]") {
  const std::error_code loop = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  const auto of_path = input_output_error(std::filesystem::filesystem_error("status", "a/b", loop));
  REQUIRE(of_path);
  CHECK(of_path->message() == "a/b: " + loop.message());
  const auto of_nothing =
      input_output_error(std::filesystem::filesystem_error("cannot get current path", loop));
  REQUIRE(of_nothing);
  CHECK_THAT(std::string(of_nothing->message()), Catch::Contains("cannot get current path"));
  const auto of_stream =
      input_output_error(std::ios_base::failure("basic_filebuf::underflow error", loop));
  REQUIRE(of_stream);
  CHECK_THAT(std::string(of_stream->message()),
             Catch::Contains("a file cannot be read or written"));
  CHECK_FALSE(input_output_error(std::logic_error("vector::_M_range_check")));
}

}  // namespace benchbench::input_output_error_test
