#include "harness/app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "harness/app/command.h"
#include "harness/app/output_file.h"
#include "harness/app/version_text.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"

namespace benchbench {

std::string Arguments::text(std::string_view name, std::string otherwise) const {
  const auto found = values_.find(std::string(name));
  return found == values_.end() || found->second.empty() ? std::move(otherwise)
                                                         : found->second.back();
}

std::vector<std::string> Arguments::list(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

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

// All that follows -- is another program's.
bool takes_rest(const Command& c) { return c.positional.starts_with("-- "); }

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

// CLI11 keeps the values; this remembers where.
struct Bound {
  const Option* option;
  std::vector<std::string> values;
  bool given = false;
};

[[noreturn]] void unknown_option(const Command& c, const std::string& word) {
  std::vector<std::string> names{"--help"};
  for (const Option& o : c.options) names.emplace_back(o.name);
  const std::string near = nearest_spelling(word.substr(0, word.find('=')), names);
  throw UsageError(fmt::format("benchbench {}: unexpected '{}'{}", c.name, word,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)),
                   fmt::format("`benchbench {} -h` lists what it takes", c.name));
}

[[noreturn]] void command_without_mark(const Command& c, const std::string& word) {
  throw UsageError(
      fmt::format("benchbench {}: '{}' is not after --", c.name, word),
      fmt::format("the command comes after --: benchbench {} [OPTIONS] {}", c.name, c.positional));
}

// What is before the * of an option that is another program's; empty where it is one of ours.
std::string_view prefix_of(const Option& o) {
  return o.name.ends_with('*') ? o.name.substr(0, o.name.size() - 1) : std::string_view{};
}

// The words that go to another program, taken out of those that are ours.
std::vector<std::string> take_others(const Option& o, std::vector<std::string>& words) {
  std::vector<std::string> taken;
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto theirs = std::stable_partition(
      words.begin(), end, [&](const std::string& w) { return !w.starts_with(prefix_of(o)); });
  taken.assign(theirs, end);
  words.erase(theirs, end);
  return taken;
}

// CLI11 would take the word after a misspelt option for a positional and complain of that.
void refuse_unknown_options(const Command& c, int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string word = argv[i];
    // Otherwise its options would be taken for ours.
    if (takes_rest(c) && !word.starts_with('-')) command_without_mark(c, word);
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    const auto known = std::find_if(c.options.begin(), c.options.end(),
                                    [&](const Option& o) { return o.name == name; });
    if (known == c.options.end()) unknown_option(c, word);
    // Its value is the next word, whatever that looks like.
    if (!known->value.empty() && word.size() == name.size()) ++i;
  }
}

// What a script makes of a variable that is not set. A folder or file of no name is none.
void refuse_empty(const Command& c, const std::vector<std::string>& positional) {
  if (std::ranges::find(positional, "") != positional.end())
    throw UsageError(fmt::format("benchbench {}: {} is empty", c.name, c.positional),
                     "is a variable of the shell not set?");
}

void refuse_empty(const Option& o, const std::vector<std::string>& values) {
  constexpr std::string_view kPlaces[] = {"FILE", "DIR", "PATH", "FOLDER"};
  if (std::ranges::find(kPlaces, o.value) != std::end(kPlaces) &&
      std::ranges::find(values, "") != values.end())
    throw UsageError(fmt::format("{}: its {} is empty", o.name, o.value),
                     "is a variable of the shell not set?");
}

Arguments parse_ours(const Command& c, int argc, char** argv) {
  refuse_unknown_options(c, argc, argv);
  CLI::App app;
  app.set_help_flag();
  std::vector<Bound> bound;
  bound.reserve(c.options.size());
  for (const Option& o : c.options) {
    if (!prefix_of(o).empty()) continue;
    Bound& b = bound.emplace_back(Bound{&o, {}, false});
    if (o.value.empty())
      app.add_flag(std::string(o.name), b.given);
    else
      app.add_option(std::string(o.name), b.values)
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(o.repeats ? CLI::MultiOptionPolicy::TakeAll
                                          : CLI::MultiOptionPolicy::TakeLast);
  }
  std::vector<std::string> positional;
  if (c.max_positional > 0)
    app.add_option("positional", positional)
        ->expected(static_cast<int>(c.min_positional), CLI::detail::expected_max_vector_size);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& e) {
    const auto left = app.remaining();
    unknown_option(c, left.empty() ? e.what() : left.front());
  } catch (const CLI::ParseError& e) {
    throw UsageError(fmt::format("benchbench {}: {}", c.name, e.what()),
                     fmt::format("`benchbench {} -h` lists what it takes", c.name));
  }
  if (positional.size() < c.min_positional)
    throw UsageError(fmt::format("benchbench {}: {} is missing", c.name, c.positional),
                     fmt::format("`benchbench {} -h` shows examples", c.name));
  if (positional.size() > c.max_positional)
    throw UsageError(fmt::format("benchbench {}: '{}' is one too many, it takes {}", c.name,
                                 positional[c.max_positional], c.positional),
                     fmt::format("`benchbench {} -h` shows examples", c.name));
  refuse_empty(c, positional);
  Arguments arguments;
  for (Bound& b : bound) refuse_empty(*b.option, b.values);
  for (Bound& b : bound)
    if (b.given || !b.values.empty()) arguments.add(b.option->name, b.values);
  arguments.set_positional(std::move(positional));
  return arguments;
}

Arguments parse(const Command& c, int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  std::vector<std::string> rest;
  if (const auto mark = std::ranges::find(words, "--"); takes_rest(c) && mark != words.end()) {
    rest.assign(mark + 1, words.end());
    words.erase(mark, words.end());
  }
  std::map<std::string_view, std::vector<std::string>> others;
  for (const Option& o : c.options)
    if (!prefix_of(o).empty()) others[o.name] = take_others(o, words);
  std::vector<char*> ours;
  for (std::string& word : words) ours.push_back(word.data());
  Arguments arguments = parse_ours(c, static_cast<int>(ours.size()), ours.data());
  for (auto& [name, taken] : others)
    if (!taken.empty()) arguments.add(name, std::move(taken));
  if (takes_rest(c)) arguments.set_positional(std::move(rest));
  return arguments;
}

// Words that people try, and no spelling is near.
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
  const std::string near = nearest_spelling(name, names);
  throw UsageError(fmt::format("unknown command '{}'{}", name,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)),
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
  return command.run(parse(command, argc - 1, argv + 1));
}

}  // namespace benchbench
