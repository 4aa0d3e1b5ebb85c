// `benchbench validate FILE...`: every diagnostic at once, nothing run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/app/exit_code.h"
#include "harness/app/options.h"
#include "harness/app/output_file.h"
#include "harness/app/preparation/prepared_plan.h"
#include "harness/app/whole_error.h"
#include "harness/core/error.h"
#include "harness/core/visible_text.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// "1 #1, 1 #2, 2".
std::string values_of(const Axis& axis) {
  std::string text;
  for (const AxisValue& v : axis.values)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", v.label,
                        v.repeat > 0 ? fmt::format(" #{}", v.repeat) : "");
  return text;
}

// "train.py", "train.py and steps.py": the user's own, which nothing here imports.
std::string own_code(const SettingsMap& settings) {
  std::set<std::string> names;
  for (const char* key : {"loader.script", "loader.module", "trainer.script", "trainer.module"})
    if (settings.given(key)) names.insert(settings.text(key));
  return fmt::format("{}", fmt::join(names, " and "));
}

// Returns dataset.path where nothing is there; else "".
std::string missing_data(const SettingsMap& settings) {
  if (!settings.given(keys::dataset.path)) return {};
  std::error_code ignored;
  const std::string path = settings.get(keys::dataset.path);
  return std::filesystem::exists(path, ignored) ? std::string{} : path;
}

void check_one(const Arguments& arguments) {
  const Scenario s = scenario_from(arguments);
  print_fitted("{}: valid: scenario '{}', {}\n", s.source, s.name,
               s.axes.empty() ? "nothing is swept" : "swept:");
  for (const Axis& axis : s.axes) print_fitted("  {}: {}\n", axis.key, values_of(axis));
  print_decisions(stdout, s);
  if (const std::string path = missing_data(s.base); !path.empty())
    print_fitted("  not here: dataset.path '{}', which plan and run need\n", path);
  if (const std::string code = own_code(s.base); !code.empty())
    print_fitted("  names in {} are checked by plan and run\n", code);
  if (arguments.flag("--resolved"))
    for (const auto& [key, value] : s.base.all()) print_fitted("{}: {}\n", key, value.text());
}

// Returns the exit code of one of several, which a wrong one does not end.
int check_one_of_several(Arguments arguments, const std::string& file) {
  arguments.set_positional({file});
  try {
    check_one(arguments);
    return kDone;
  } catch (Error& e) {
    if (e.kind() == ErrorKind::interrupted) throw;
    e.add_context(file);
    std::fflush(stdout);  // its line comes behind those of the files before
    const int code = tell_whole_error(e);
    print_fitted("{}: not valid\n", visible(file));
    return code;
  }
}

int run_validate(const Arguments& arguments) {
  if (arguments.positional().size() == 1) {
    check_one(arguments);
    return kDone;
  }
  std::vector<int> codes;
  for (const std::string& file : arguments.positional())
    codes.push_back(check_one_of_several(arguments, file));
  return strongest(codes);
}

constexpr Option kValidateOptions[] = {
    {"--resolved", "", "print all settings of the base point as resolved"}};

}  // namespace

extern const Command validate_command{"validate",
                                      "measure",
                                      "check scenario files and report all errors at once",
                                      "FILE...",
                                      joined({kValidateOptions, scenario_options()}),
                                      "  benchbench validate configs/*.yaml\n"
                                      "  benchbench validate my.yaml --resolved\n"
                                      "  benchbench validate my.yaml --set loader.batch_size=64\n",
                                      run_validate};

}  // namespace benchbench
