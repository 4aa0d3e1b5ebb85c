// Which keys a scenario may hold, given the parts it names: the harness's own and each part's parameters.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/part/catalog.h"

namespace benchbench::config {

// The parts a scenario names; "" where it names none (yet).
struct Selection {
  std::string loader, trainer, format, access, synthesis;
  bool operator==(const Selection&) const = default;
};

struct KnownKey {
  const Parameter* parameter = nullptr;
  std::string owner;  // "loader native"; "" for a key of the harness
};

class KeyTable {
 public:
  KeyTable(const Selection& selection, const Catalog& catalog);
  // nullptr where there is no such key.
  const KnownKey* find(std::string_view key) const;
  // True for keys of a section whose part is not known: they cannot be judged.
  bool cannot_judge(std::string_view key) const;
  const std::map<std::string, KnownKey, std::less<>>& all() const noexcept { return keys_; }
  // "unknown key loader.batchsize; did you mean loader.batch_size? allowed under loader: ..."
  std::string unknown(std::string_view key, std::string_view written) const;

 private:
  std::vector<std::string> words_under(const std::string& parent) const;
  void add(std::string prefix, std::span<const Parameter> parameters, const std::string& owner);
  void add_part(const Catalog& catalog, PartKind kind, const std::string& name, const std::string& prefix);
  std::map<std::string, KnownKey, std::less<>> keys_;
  std::vector<std::string> unjudged_;  // prefixes
};

// "loader" of "loader.num_workers".
std::string_view section_of(std::string_view key);
// The kind of part that a key names ("loader.use", "dataset.format", "loader.access"); nullptr where it names
// none.
const PartKind* part_kind_named_by(std::string_view key);

}  // namespace benchbench::config
