// The keys of a DLIO workload file, each taken at most once.
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/config/yaml_tree.h"

namespace benchbench::config {

class DlioKeys {
 public:
  // `tree` and `diagnostics` outlive it. Lists and maps that are values ({mean: 1, stdev: 0.1}) are
  // keys of their own.
  DlioKeys(const YamlNode& tree, Diagnostics& diagnostics);

  bool has(const std::string& key) const { return find(key) != nullptr; }
  // Whether any key lies below `section`.
  bool has_section(const std::string& section) const;
  // Whether `key` is there with that word, capitals apart; takes nothing.
  bool says(const std::string& key, std::string_view word) const;
  // Each takes the first of `names` that is there, so that it is not told as ignored. A value of
  // another kind, or below `min`, is a diagnostic, and nullopt.
  std::optional<std::string> text(std::initializer_list<const char*> names);
  std::optional<double> number(std::initializer_list<const char*> names, double min) {
    return within(names, min, std::numeric_limits<double>::infinity(), "number");
  }
  std::optional<std::uint64_t> count(std::initializer_list<const char*> names, std::uint64_t min);
  std::optional<bool> flag(std::initializer_list<const char*> names);
  std::vector<std::uint64_t> list(const char* name);

  // What nobody took, in the order of the file: "key: value (line n): why".
  std::vector<std::string> not_taken() const;
  // Notes beside a key that was taken ("stdev is not played").
  void remark(std::initializer_list<const char*> names, const std::string& words);
  // Notes for all keys that begin with `prefix` and that nothing has taken so far.
  void remark_unused(const std::string& prefix, const std::string& words);

  void complain(const std::string& key, const std::string& message);

 private:
  struct Key {
    std::string name;  // "dataset.format"
    const YamlNode* value;
    bool taken = false;
    std::string remark;
  };
  void walk(const YamlNode& node, const std::string& prefix);
  const Key* find(const std::string& name) const;
  Key* take(std::initializer_list<const char*> names);
  std::optional<double> within(std::initializer_list<const char*> names, double min, double max,
                               const char* kind);

  Diagnostics& diagnostics_;
  Span top_;
  std::vector<Key> keys_;
};

}  // namespace benchbench::config
