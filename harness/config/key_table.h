// Which keys a scenario may hold, given the parts it names: the harness's own and each part's
// parameters.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/part/catalog.h"

namespace benchbench::config {

// The parts a scenario names; "" where it names none (yet).
struct Selection {
  std::string loader, trainer, format, access, synthesis;
  std::string of = {};  // the loader that makes what `loader` repeats
  // Makes the samples.
  const std::string& maker() const noexcept { return of.empty() ? loader : of; }
  // The part that a section, "loader" or "trainer", else "dataset", is about.
  const std::string& part_of(std::string_view section) const noexcept {
    return section == "loader" ? loader : section == "trainer" ? trainer : format;
  }
  bool operator==(const Selection&) const = default;
};

struct KnownKey {
  const Parameter* parameter = nullptr;
  std::string owner;  // "loader native"; "" for a key of the harness
  bool free = false;  // of whatever type its value has: PartDescription::free_keys
};

class KeyTable {
 public:
  KeyTable(const Selection& selection, const Catalog& catalog);
  // nullptr where there is no such key.
  const KnownKey* find(std::string_view key) const;
  // "loader.args", where all keys below it are free; they are given as a map, or each by itself.
  bool holds_free_keys(std::string_view key) const;
  // True for keys of a section whose part is not known, where some part of that kind takes them:
  // they cannot be judged.
  bool cannot_judge(std::string_view key) const;
  const std::map<std::string, KnownKey, std::less<>>& all() const noexcept { return keys_; }
  // "unknown key loader.batchsize; did you mean loader.batch_size? allowed under loader: ..."
  std::string unknown(std::string_view key, std::string_view written) const;

 private:
  std::vector<std::string> words_under(const std::string& parent) const;
  std::string nearest_key(std::string_view key, std::string_view written) const;
  void add(const std::string& prefix, std::span<const Parameter> parameters,
           const std::string& owner);
  void add_part(const Catalog& catalog, PartKind kind, const std::string& name,
                const std::string& prefix);
  void add_unjudged(const Catalog& catalog, PartKind kind, const std::string& prefix);
  std::map<std::string, KnownKey, std::less<>> keys_;
  std::map<std::string, KnownKey, std::less<>> free_;  // by what they begin with: "loader.args."
  std::set<std::string, std::less<>> unjudged_, unjudged_free_;
};

// "loader" of "loader.num_workers".
std::string_view section_of(std::string_view key);
// A key's last part given alone (`num_workers`, `batch`) -> the whole key of the harness that it
// is, or is nearest to; "" where there is none.
std::string whole_key(std::string_view word);
// The part of that name, or the one that a misspelt name is nearest to: its keys are then judged as
// that part's. `name` where none is near.
std::string nearest_part(PartKind kind, const std::string& name, const Catalog& catalog);
// The kind of part that a key names ("loader.use", "dataset.format", "loader.access"); nullptr
// where it names none.
const PartKind* part_kind_named_by(std::string_view key);

}  // namespace benchbench::config
