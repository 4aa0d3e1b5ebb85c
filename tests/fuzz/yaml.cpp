// A scenario file that somebody means harm with: loaded, or refused with diagnostics that point
// into it.
#include <cstdlib>

#include "harness/config/scenario_file.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const benchbench::fuzz::InputFile input(".yaml");
  const std::string& path = input.hold(data, size);
  benchbench::ScenarioRequest request;
  request.path = path;
  request.cores = 2;
  try {
    benchbench::load_scenario(request, benchbench::built_in_catalog());
  } catch (const benchbench::ScenarioDiagnostics& error) {
    if (error.all().empty() || error.text().empty()) std::abort();
  } catch (const benchbench::ScenarioError&) {
  }
  return 0;
}
