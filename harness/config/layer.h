// One layer of a scenario: the file, a variant, or what the command line sets; its keys dotted and
// by their own names.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/config/yaml_tree.h"
#include "harness/core/contains.h"

namespace benchbench::config {

// One key as written. `value` lives as long as the tree it is from.
struct Entry {
  std::string key;      // "loader.access"
  std::string written;  // "loader.shuffle"
  Span at;              // of the key
  const YamlNode* value = nullptr;
};

// The entry that decided each key, by key.
using Given = std::map<std::string, const Entry*, std::less<>>;

// Returns nullptr if no layer gave the key.
inline const Entry* find_entry(const Given& given, std::string_view key) {
  const auto* const found = find_value(given, key);
  return found ? *found : nullptr;
}

// The first of them below `prefix`, or at it; nullptr if no layer gave one.
inline const Entry* first_below(const Given& given, std::string_view prefix) {
  const auto found = given.lower_bound(prefix);
  return found != given.end() && found->first.starts_with(prefix) ? found->second : nullptr;
}
// Returns the word that an entry holds; "" where there is none.
inline std::string_view word_of(const Entry* entry) {
  return entry ? std::string_view(entry->value->text) : std::string_view();
}

struct Layer {
  Span top;                    // where the text it is from begins
  std::string name;            // "the file", "variant cpu", "--set"
  std::vector<Entry> entries;  // under dataset, loader, trainer, measure, run; one a key
  std::vector<Entry> axes;   // under sweep, one a key: a list of values, or `none` to drop the axis
  std::vector<Entry> mode;   // sweep.mode: none or one
  std::vector<Entry> title;  // name, question
  std::map<std::string, Span> sections;  // where `loader:` stands
  std::optional<Span> no_sweep;          // where `sweep: none` stands: what lies below has no axes
  bool only = false;  // its axes are all the sweep there is, but for what is laid on later
  bool empty() const noexcept {
    return entries.empty() && axes.empty() && mode.empty() && title.empty() && !no_sweep;
  }
};

// The keys that a layer may hold besides dataset, loader, trainer, measure, run.
struct LayerRules {
  bool title = false;  // name, question
  bool sweep = false;
  bool variants = false;  // left for the caller to read
};

// Adds what YAML gives to `layer`. Diagnostics: unknown sections, a key given twice in two
// spellings, lists that are no axis.
class LayerReader {
 public:
  LayerReader(Layer& layer, Diagnostics& diagnostics, const LayerRules& rules = {})
      : layer_(layer), diagnostics_(diagnostics), rules_(rules) {}

  // Adds the members of `map`.
  void read(const YamlNode& map);
  // Adds one key, as read() does with each of its members.
  void read_member(const YamlMember& member);
  // Adds the value, or the map of values, under a dotted name.
  void read_set(const std::string& key, const Span& at, const YamlNode& value);
  void read_axis(const std::string& key, const Span& at, const YamlNode& value);

 private:
  bool is_known(const YamlMember& member) const;
  std::vector<std::string> sections_allowed() const;
  void add_once(std::vector<Entry>& entries, Entry entry);
  void flatten(const std::string& key, const Span& at, const YamlNode& value);
  void flatten_axes(const std::string& key, const Span& at, const YamlNode& value);
  void read_sweep(const YamlNode& sweep);
  void read_swept(const std::string& key, const Span& at, const YamlNode& value);
  void read_below(const YamlMember& member, const std::string& section);
  void refuse_section(const YamlMember& member);
  void refuse_axis(const std::string& key, const Span& at, const YamlNode& value);

  Layer& layer_;
  Diagnostics& diagnostics_;
  const LayerRules rules_;
};

// "loader.shuffle" is another name of "loader.access".
std::string canonical_key(const std::string& written);

}  // namespace benchbench::config
