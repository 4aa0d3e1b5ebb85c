#include "harness/app/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "harness/app/arguments.h"
#include "harness/app/command.h"
#include "harness/app/output_file.h"
#include "harness/app/status_line.h"
#include "harness/app/version_text.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

struct GroupTitle {
  std::string_view group, title;
};
constexpr GroupTitle kGroups[] = {
    {"measure", "Measure"}, {"decide", "Decide"}, {"check", "Prepare and check"}};

std::string overview() {
  std::string text =
      "benchbench — is it the loader or the trainer, and what do I change?\n\n"
      "Usage: benchbench COMMAND [OPTIONS]\n";
  for (const auto& [group, title] : kGroups) {
    text += fmt::format("\n{}\n", title);
    for (const Command* c : commands())
      if (c->group == group) text += fmt::format("  {:<10} {}\n", c->name, c->summary);
  }
  text +=
      "\nExamples\n"
      "  benchbench run configs/quickstart.yaml   mocks only, done in seconds\n"
      "  benchbench run configs/resnet.yaml       JPEG files into a ResNet step\n"
      "  benchbench run configs/resnet.yaml --set dataset.path=my/photos\n"
      "\n`benchbench COMMAND -h` explains each command, `benchbench --version` says what this "
      "is.\n";
  return text;
}

std::string option_column(const Option& o) {
  return o.value.empty() ? std::string(o.name) : fmt::format("{} {}", o.name, o.value);
}

std::string help_of(const Command& c) {
  std::string text =
      fmt::format("benchbench {} — {}\n\nUsage: benchbench {}{}\n", c.name, c.summary, c.name,
                  takes_rest(c) ? fmt::format(" [OPTIONS] {}", c.positional)
                                : fmt::format("{}{}{}", c.positional.empty() ? "" : " ",
                                              c.positional, c.options.empty() ? "" : " [OPTIONS]"));
  if (!c.options.empty()) text += "\nOptions\n";
  std::size_t width = 10;
  for (const Option& o : c.options) width = std::max(width, option_column(o).size());
  for (const Option& o : c.options)
    text += fmt::format("  {:<{}}  {}\n", option_column(o), width, o.help);
  text += fmt::format("\nExamples\n{}", c.examples);
  return text;
}

// Words that people try, and how the program calls the thing.
struct OtherWord {
  std::string_view word, way;
};
constexpr OtherWord kOtherWords[] = {
    {"list", "describe"},
    {"prune", "history DIR --prune 90d"},
    {"export", "report DIR --h5"},
    {"version", "--version"},
    {"datagen", "data FILE"},
    {"verify", "data FILE --verify"},
    {"convert", "data PATH --to PATH"},
};

const Command& find_command(std::string_view name) {
  std::vector<std::string> names;
  for (const Command* c : commands()) {
    if (c->name == name) return *c;
    if (!c->group.empty()) names.emplace_back(c->name);
  }
  for (const OtherWord& other : kOtherWords)
    if (other.word == name)
      throw UsageError(fmt::format("unknown command '{}'", name),
                       fmt::format("benchbench {}", other.way));
  throw UsageError(fmt::format("unknown command '{}'{}", name, did_you_mean(name, names, "'")),
                   fmt::format("commands: {}", listed(names)));
}

bool asks_help(std::string_view word) { return word == "-h" || word == "--help"; }

}  // namespace

int run_command_line(int argc, char** argv) {
  if (argc < 2) {
    print_fitted(stderr, as_called(overview()));
    return 2;
  }
  const std::string_view first = argv[1];
  if (asks_help(first) || first == "help") {
    print_fitted(
        as_called(first == "help" && argc > 2 ? help_of(find_command(argv[2])) : overview()));
    return 0;
  }
  if (first == "--version" || first == "-V") {
    std::fputs(version_text().c_str(), stdout);
    return 0;
  }
  const Command& command = find_command(first);
  for (int i = 2; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (asks_help(argv[i])) {
      print_fitted(as_called(help_of(command)));
      return 0;
    }
  const Arguments arguments = parse_arguments(command, {argv + 2, argv + argc});
  if (arguments.flag("--quiet")) StatusLine::hide_all();
  return command.run(arguments);
}

}  // namespace benchbench
