#include "harness/config/named_libraries.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "harness/core/error.h"
#include "harness/part/own_library.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

// In a variant and in the sweep the key has more words in front; a list of values has none.
std::optional<PartKind> kind_named_at(std::string_view key) {
  const auto ends = [&](std::string_view whole) {
    return key.ends_with(whole) &&
           (key.size() == whole.size() || key[key.size() - whole.size() - 1] == '.');
  };
  if (ends(keys::loader.use) || ends("loader.of.use")) return PartKind::loader;
  return ends(keys::trainer.use) ? std::optional(PartKind::trainer) : std::nullopt;
}

// With a slash in it always: without one, "mine" would be a part's name.
std::string path_from(const std::string& folder, const std::string& text) {
  const std::string path = (std::filesystem::path(folder) / text).lexically_normal().string();
  return path.find('/') == path.npos ? "./" + path : path;
}

void load_at(const YamlNode& node, PartKind kind, const LoadLibrary& load,
             Diagnostics& diagnostics) {
  try {
    load(kind, node.text);
  } catch (const Error& e) {
    diagnostics.add(node.at, e.hint().empty() ? std::string(e.message())
                                              : fmt::format("{}; {}", e.message(), e.hint()));
  }
}

}  // namespace

void settle_libraries(YamlNode& node, const std::string& key, const std::string& folder,
                      const LoadLibrary& load, Diagnostics& diagnostics) {
  for (YamlMember& m : node.members)
    settle_libraries(m.value, key.empty() ? m.key : key + "." + m.key, folder, load, diagnostics);
  for (YamlNode& item : node.items) settle_libraries(item, key, folder, load, diagnostics);
  const auto kind = kind_named_at(key);
  if (!kind || !node.scalar() || !is_library(node.text)) return;
  node.text = path_from(folder, node.text);
  if (load) load_at(node, *kind, load, diagnostics);
}

}  // namespace benchbench::config
