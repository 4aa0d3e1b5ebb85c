// A command: its words, its options as data, its function. A new one is one file,
// commands/<name>.cpp, which defines `extern const Command <name>_command`, and its name in the
// list of CMakeLists.txt.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benchbench {

// One option. `value` is the placeholder of what it takes ("N", "KEY=VALUE"); empty for a flag. A
// name that ends in * is every option that begins so ("--benchmark_*"), another program's, taken
// word for word and not looked into.
struct Option {
  std::string_view name;  // "--set"
  std::string_view value;
  std::string_view help;
  bool repeats = false;
};

// What was given on the command line.
class Arguments {
 public:
  bool flag(std::string_view name) const { return values_.contains(std::string(name)); }
  // The last value given, or `otherwise`.
  std::string text(std::string_view name, std::string otherwise = {}) const;
  std::vector<std::string> list(std::string_view name) const;
  const std::vector<std::string>& positional() const noexcept { return positional_; }
  void add(std::string_view name, std::vector<std::string> values) {
    values_[std::string(name)] = std::move(values);
  }
  void set_positional(std::vector<std::string> values) { positional_ = std::move(values); }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> positional_;
};

struct Command {
  std::string_view name;
  std::string_view group;    // "measure", "decide", "check"; "" hides it
  std::string_view summary;  // one line in the list of commands
  // "FILE", "[FILE]", "DIR...", "A [B]", "" for none: this is also how many words it takes;
  // "-- COMMAND...": all that follows --, word for word.
  std::string_view positional;
  std::vector<Option> options;
  std::string_view examples;     // three lines
  int (*run)(const Arguments&);  // returns the exit code; throws Error
  // Added to the exit code of an error: the command hands those of a program of the user's on, and
  // they differ.
  int added_to_ours = 0;
};

// Returns every command, in the order in which the help shows them within their group.
std::span<const Command* const> commands() noexcept;

}  // namespace benchbench
