// YAML text as a tree of our own, with places. Anchors, aliases, tags, merge keys, second
// documents, complex keys and nesting beyond 32 are refused here, so that the rest of the folder
// meets scalars, lists and maps only.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/config/source_text.h"

namespace benchbench::config {

struct YamlMember;

struct YamlNode {
  enum class Kind { none, scalar, list, map };
  Kind kind = Kind::none;
  Span at{};
  std::string text{};   // of a scalar
  bool quoted = false;  // "12" or '12' rather than 12
  std::vector<YamlNode> items{};
  std::vector<YamlMember> members;  // keys differ: a second one of the same name is refused

  bool scalar() const noexcept { return kind == Kind::scalar; }
  bool list() const noexcept { return kind == Kind::list; }
  bool map() const noexcept { return kind == Kind::map; }
  // True of nothing, and of {}.
  bool says_nothing() const noexcept { return kind == Kind::none || (map() && members.empty()); }
  const YamlMember* find(std::string_view key) const noexcept;
};

struct YamlMember {
  std::string key;
  Span at;  // of the key
  YamlNode value;
};

inline constexpr std::size_t kDeepest = 32;

// Parses `yaml`, whose first byte stands in column `column` of the source's first line. nullopt,
// with diagnostics, where check_text() refuses the source, or it is not YAML; a tree with
// diagnostics where parts of it are refused; kind none where it is empty.
std::optional<YamlNode> parse_yaml(const Source& source, const std::string& yaml, int column,
                                   Diagnostics& diagnostics);
// The same of all that the source holds.
inline std::optional<YamlNode> parse_yaml(const Source& source, Diagnostics& diagnostics) {
  return parse_yaml(source, source.text(), 1, diagnostics);
}

}  // namespace benchbench::config
