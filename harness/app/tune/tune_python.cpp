#include "harness/app/tune/tune_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/app/preparation/run_place.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

bool is_name(const std::string& text) {
  // Python takes letters of any script
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 128; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, fits);
}

struct Function {
  std::string place;  // "code/train.py" or "my_pkg.data"
  std::string name;
  bool is_script() const { return place.ends_with(".py"); }
};

bool is_plain(const std::string& text) {
  return !text.empty() &&
         std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 127; });
}

Function function_of(const Arguments& arguments, std::string_view option) {
  const std::string text = arguments.text(option);
  const std::size_t colon = text.rfind(':');
  Function f{text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 1)};
  if (!is_plain(f.place) || !is_name(f.name))
    throw UsageError(
        fmt::format("{} {}: expected FILE.py:FUNCTION or MODULE:FUNCTION", option, text),
        fmt::format("e.g. {} train.py:{}", option,
                    option == "--python" ? "make_loader" : "train_step"));
  return f;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string part_of(const Function& f) {
  return fmt::format("use: python, {}: {}, call: {}", f.is_script() ? "script" : "module",
                     quoted(f.place), quoted(f.name));
}

std::string step_of(const Arguments& arguments) {
  const bool step = arguments.flag("--step"), time = arguments.flag("--step-time"),
             setup = arguments.flag("--setup");
  if (step && time)
    throw UsageError("--step and --step-time exclude each other",
                     "the step is yours, or takes a given time");
  if (setup && !step) throw UsageError("--setup needs --step: what it returns is the step's state");
  if (time) {
    const std::string text = arguments.text("--step-time");
    if (const auto took = parse_duration(text); !took || took->count() <= 0)
      throw UsageError(fmt::format("--step-time {}: expected a time such as 120ms", text));
    return fmt::format("trainer: {{use: timed, step_time: {}}}\n", text);
  }
  if (!step) return "trainer: {use: discard}\n";
  const Function call = function_of(arguments, "--step");
  if (!setup) return fmt::format("trainer: {{{}}}\n", part_of(call));
  const Function made = function_of(arguments, "--setup");
  if (made.place != call.place)
    throw UsageError(fmt::format("--setup {}: it has to be in {}, as the step is",
                                 arguments.text("--setup"), call.place));
  return fmt::format("trainer: {{{}, setup: {}}}\n", part_of(call), quoted(made.name));
}

bool holds(const std::string& file, const std::string& text) {
  std::ifstream in(file);
  std::ostringstream held;
  held << in.rdbuf();
  return held.str() == text;
}

void write_scenario(const std::string& file, const std::string& text, bool resumed) {
  std::error_code error;
  if (resumed && fs::exists(file, error)) {
    if (holds(file, text)) return;
    throw UsageError(fmt::format("--resume: {} is of other functions or of another step", file),
                     "start a new tune (without --resume)");
  }
  if (fs::exists(file, error) && !holds(file, text))
    throw UsageError(fmt::format("{} exists already and is another one: the scenario of this tune "
                                 "would be written there",
                                 file),
                     "name another folder with --out");
  const fs::path folder = fs::path(file).parent_path();
  if (!folder.empty()) make_folders(folder.string());
  write_whole(file, text);
}

}  // namespace

std::string name_of_python(const Arguments& arguments) {
  const Function f = function_of(arguments, "--python");
  std::string name = f.is_script() ? fs::path(f.place).stem().string() : f.place;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '-';
  return name;
}

std::string scenario_of_python(const Arguments& arguments) {
  const Function made = function_of(arguments, "--python");
  return fmt::format(
      "# benchbench tune --python {}\nname: {}\nquestion: Which settings of {} train fastest "
      "here?\nloader: {{{}}}\n{}measure: {{rounds: 3}}\n",
      arguments.text("--python"), name_of_python(arguments), made.name, part_of(made),
      step_of(arguments));
}

Arguments with_file(const Arguments& arguments) {
  const bool file = !arguments.positional().empty(), python = arguments.flag("--python");
  for (const std::string_view option : {"--step", "--setup", "--step-time"})
    if (arguments.flag(option) && !python)
      throw UsageError(fmt::format("{} needs --python", option),
                       "a scenario file names its own step");
  if (file && python)
    throw UsageError("a scenario file and --python exclude each other", "drop one of them");
  if (!file && !python)
    throw UsageError(
        "tune needs a scenario FILE or --python FILE.py:FUNCTION",
        "e.g. benchbench tune --python train.py:make_loader --step train.py:train_step");
  if (file) return arguments;
  const std::string text = scenario_of_python(arguments),
                    folder = run_path(arguments, name_of_python(arguments));
  if (!arguments.flag("--resume")) RunFolder::refuse_used(folder);
  write_scenario(folder + ".yaml", text, arguments.flag("--resume"));
  tell("scenario: {}.yaml\n", folder);
  Arguments out = arguments;
  out.set_positional({folder + ".yaml"});
  out.add("--out", {folder});
  return out;
}

}  // namespace benchbench
