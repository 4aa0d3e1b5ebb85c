#include "harness/app/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>

#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

using Words = std::vector<std::string>;

struct Count {
  std::size_t least = 0, most = 0;
};

// "FILE" is one word, "[FILE]" at most one, "DIR..." one or more, "A [B]" one or two.
Count count_positional(const Command& c) {
  Count count;
  std::istringstream text{std::string(c.positional)};
  for (std::string word; text >> word; ++count.most) count.least += word.front() != '[';
  if (c.positional.find("...") != c.positional.npos)
    count.most = std::numeric_limits<std::size_t>::max();
  return count;
}

// Returns the text before the * of another program's option; "" for one of ours.
std::string_view prefix_of(const Option& o) {
  return o.name.ends_with('*') ? o.name.substr(0, o.name.size() - 1) : std::string_view{};
}

UsageError refusal(const Command& c, const std::string& what, std::string_view help_has) {
  return UsageError(fmt::format("benchbench {}: {}", c.name, what),
                    fmt::format("`benchbench {} -h` {}", c.name, help_has));
}

const Option& find_option(const Command& c, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names{"--help"};
  for (const Option& o : c.options) {
    if (o.name == name || (!prefix_of(o).empty() && word.starts_with(prefix_of(o)))) return o;
    names.emplace_back(o.name);
  }
  throw refusal(c, fmt::format("unexpected '{}'{}", word, did_you_mean(name, names, "'")),
                "lists what it takes");
}

// A script that uses a variable which is not set gives an empty word.
void refuse_empty(const std::string& what) {
  throw UsageError(fmt::format("{} is empty", what), "is a variable of the shell not set?");
}

bool names_place(const Option& o) {
  constexpr std::string_view kPlaces[] = {"FILE", "DIR", "PATH", "FOLDER"};
  return contains(kPlaces, o.value);
}

// Returns the option's value: what is after the = of `word`, else the next word, whatever that
// looks like.
std::string take_value(const Command& c, const Option& o, Words::const_iterator& word,
                       Words::const_iterator end) {
  const std::size_t equals = word->find('=');
  if (equals == std::string::npos && ++word == end)
    throw refusal(c, fmt::format("{} needs a value: {} {}", o.name, o.name, o.value),
                  "lists what it takes");
  std::string value = equals == std::string::npos ? *word : word->substr(equals + 1);
  if (value.empty() && names_place(o)) refuse_empty(fmt::format("{}: its {}", o.name, o.value));
  return value;
}

// Takes the option that `word` begins, with its value.
void take_option(const Command& c, std::map<std::string_view, Words>& given,
                 Words::const_iterator& word, Words::const_iterator end) {
  const Option& o = find_option(c, *word);
  Words& values = given[o.name];
  if (!prefix_of(o).empty()) return values.push_back(*word);
  if (o.value.empty() && *word != o.name)
    throw refusal(c, fmt::format("{} takes no value", o.name), "lists what it takes");
  if (!o.repeats) values.clear();  // the last one counts
  if (!o.value.empty()) values.push_back(take_value(c, o, word, end));
}

void check_positional(const Command& c, const Words& positional) {
  const Count count = count_positional(c);
  if (positional.size() < count.least)
    throw refusal(c, fmt::format("{} is missing", c.positional), "shows examples");
  if (positional.size() > count.most)
    throw refusal(
        c,
        fmt::format("'{}' is one too many{}", positional[count.most],
                    c.positional.empty() ? "" : fmt::format(", it takes {}", c.positional)),
        "shows examples");
  if (contains(positional, ""))
    refuse_empty(fmt::format("benchbench {}: {}", c.name, c.positional));
}

// A command without the mark would have its options taken for ours.
void refuse_command(const Command& c, const std::string& word) {
  throw UsageError(
      fmt::format("benchbench {}: '{}' is not after --", c.name, word),
      fmt::format("the command comes after --: benchbench {} [OPTIONS] {}", c.name, c.positional));
}

}  // namespace

bool takes_rest(const Command& c) { return c.positional.starts_with("-- "); }

std::string Arguments::text(std::string_view name, std::string otherwise) const {
  const auto found = values_.find(std::string(name));
  return found == values_.end() || found->second.empty() ? std::move(otherwise)
                                                         : found->second.back();
}

std::vector<std::string> Arguments::list(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

Arguments parse_arguments(const Command& c, const Words& words) {
  const auto mark = std::ranges::find(words, "--");
  std::map<std::string_view, Words> given;
  Words positional;
  for (auto word = words.begin(); word != mark; ++word)
    if (word->starts_with('-') && *word != "-")
      take_option(c, given, word, mark);
    else if (takes_rest(c))
      refuse_command(c, *word);
    else
      positional.push_back(*word);
  if (mark != words.end()) positional.insert(positional.end(), mark + 1, words.end());
  if (!takes_rest(c)) check_positional(c, positional);
  Arguments arguments;
  for (auto& [name, values] : given) arguments.add(name, std::move(values));
  arguments.set_positional(std::move(positional));
  return arguments;
}

}  // namespace benchbench
