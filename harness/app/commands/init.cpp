// `benchbench init`: a scenario file to begin with.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <ostream>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/app/output_file.h"
#include "harness/app/tell.h"
#include "harness/config/dlio/dlio.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"

namespace benchbench {
namespace {

// Never over a file that is there.
void write_new(const std::string& path, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored))
    throw UsageError(fmt::format("'{}' already exists", path), "choose another with --out");
  write_to(path, [&](std::ostream& out) { out << text; });
}

int run_init(const Arguments& arguments) {
  const std::string workload = arguments.text("--from-dlio");
  if (workload.empty())
    throw UsageError("init needs --from-dlio FILE",
                     "configs/ has scenarios to start from: copy the closest one");
  const DlioImport made = scenario_from_dlio(workload);
  const std::string out = arguments.text("--out", "-");
  if (out == "-")
    std::fwrite(made.yaml.data(), 1, made.yaml.size(), stdout);
  else
    write_new(out, made.yaml);
  if (!made.ignored.empty()) tell("not converted, {} keys:\n", made.ignored.size());
  for (const std::string& line : made.ignored) tell("  {}\n", line);
  if (out != "-") tell("{} written; next: {}\n", out, as_called("benchbench plan " + out));
  return 0;
}

constexpr Option kInitOptions[] = {
    {"--from-dlio", "FILE",
     "a workload file of DLIO or MLPerf Storage; keys that cannot be converted are listed"},
    {"--out", "FILE", "output file for the scenario; default or \"-\": standard output"},
};

}  // namespace

extern const Command init_command{
    "init",
    "check",
    "convert another tool's workload to a scenario file",
    "",
    joined({kInitOptions}),
    "  benchbench init --from-dlio unet3d_h100.yaml\n"
    "  benchbench init --from-dlio unet3d_h100.yaml --out unet3d.yaml\n"
    "  benchbench init --from-dlio - < resnet50_h100.yaml\n",
    run_init};

}  // namespace benchbench
