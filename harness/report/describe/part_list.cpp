#include "harness/report/describe/part_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/record/setting_keys.h"
#include "harness/report/text/text_table.h"

namespace benchbench {
namespace {

struct KindTitle {
  PartKind kind;
  std::string_view title, key;
};
constexpr std::array kKinds{
    KindTitle{PartKind::loader, "loaders", keys::loader.use},
    KindTitle{PartKind::trainer, "trainers", keys::trainer.use},
    KindTitle{PartKind::sample_format, "formats", keys::dataset.format},
    KindTitle{PartKind::sampler, "sampling orders", keys::loader.access},
    KindTitle{PartKind::synthesis, "synthesised data", "dataset.synthesize"},
    KindTitle{PartKind::preparation, "offline preprocessing", keys::dataset.prepare}};

// What people call a module: the library it is made of.
std::string library_of(std::string_view module) {
  if (module == "torch") return "libtorch";
  if (module == "arrow") return "Arrow";
  if (module == "torch_cuda") return "libtorch with CUDA";
  return module == "cuda" ? "CUDA" : std::string(module);
}

std::string about(const PartRow& row, const MissingModules& missing) {
  const auto reason = missing.find(std::string(row.module));
  if (row.module.empty() || reason == missing.end()) return std::string(row.description->summary);
  // The module's own words may already say what it needs.
  const std::string needs = fmt::format("needs {}: ", library_of(row.module));
  const std::string_view why = std::string_view(reason->second).starts_with(needs)
                                   ? std::string_view(reason->second).substr(needs.size())
                                   : std::string_view(reason->second);
  return fmt::format("{} [{}{}]", row.description->summary, needs, why);
}

std::vector<const PartRow*> rows_of(const Catalog& catalog, PartKind kind) {
  std::vector<const PartRow*> rows;
  for (const PartRow& row : catalog.rows())
    if (row.description->kind == kind) rows.push_back(&row);
  return rows;
}

}  // namespace

std::optional<PartKind> find_listed_kind(std::string_view word) {
  const auto found = std::ranges::find(kKinds, word, &KindTitle::title);
  return found == kKinds.end() ? std::nullopt : std::optional(found->kind);
}

std::vector<std::string_view> listed_kinds() {
  std::vector<std::string_view> titles;
  for (const KindTitle& kind : kKinds) titles.push_back(kind.title);
  return titles;
}

std::string part_list(const Catalog& catalog, const MissingModules& missing,
                      std::optional<PartKind> only, std::size_t width) {
  std::size_t longest = 0;
  for (const PartRow& row : catalog.rows())
    longest = std::max(longest, display_width(row.description->name));
  std::string text;
  for (const auto& [kind, title, key] : kKinds) {
    const std::vector<const PartRow*> rows = rows_of(catalog, kind);
    if (rows.empty() || (only && kind != *only)) continue;
    text += fmt::format("{}{} ({})\n", text.empty() ? "" : "\n", title, key);
    for (const PartRow* row : rows) {
      const std::string head = fmt::format("  {:<{}}  {:<4}  ", row->description->name, longest,
                                           row->description->mock ? "mock" : "real");
      text += head + wrapped(about(*row, missing), width, head.size(), head.size()) + '\n';
    }
  }
  return text;
}

}  // namespace benchbench
