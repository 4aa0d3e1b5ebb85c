#include "tests/golden/program/compare_runs.h"

#include <catch2/catch.hpp>

namespace benchbench::test {

Ran compare(const Scratch& s, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  Ran ran = run_program(s, arguments);
  UNSCOPED_INFO(ran.err << ran.out);
  return ran;
}

void store(const Scratch& s, const std::string& folder, const std::vector<std::string>& more,
           const std::string& scenario) {
  std::vector<std::string> arguments{"run", "tiny.yaml", "--clock", "simulated", "--rounds",
                                     "10",  "--out",     folder,    "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ran ran = copy_shared_run(s, scenario, arguments);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
}

Ran interleaved(const Scratch& s, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"compare",   "tiny.yaml", "--interleave", "--clock",
                                     "simulated", "--rounds",  "10",           "--out",
                                     "out",       "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Ran ran = copy_shared_run(s, tiny_scenario(), arguments);
  UNSCOPED_INFO(ran.err << ran.out);
  return ran;
}

}  // namespace benchbench::test
