#include "harness/report/terminal/part_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "harness/report/text_table.h"

namespace benchbench {
namespace {

struct KindTitle {
  PartKind kind;
  std::string_view title;
};
constexpr std::array kKinds{
    KindTitle{PartKind::loader, "loaders (loader.use)"},
    KindTitle{PartKind::trainer, "trainers (trainer.use)"},
    KindTitle{PartKind::sample_format, "formats (dataset.format)"},
    KindTitle{PartKind::sampler, "sampling orders (loader.access)"},
    KindTitle{PartKind::synthesis, "synthesised data (dataset.synthesize)"},
    KindTitle{PartKind::preparation, "offline preprocessing (dataset.prepare)"}};

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

}  // namespace

void write_part_list(std::ostream& out, const Catalog& catalog, const MissingModules& missing,
                     std::size_t width) {
  std::size_t longest = 0;
  for (const PartRow& row : catalog.rows())
    longest = std::max(longest, display_width(row.description->name));
  bool first = true;
  for (const auto& [kind, title] : kKinds) {
    const auto of_kind = [kind = kind](const PartRow& row) {
      return row.description->kind == kind;
    };
    if (std::none_of(catalog.rows().begin(), catalog.rows().end(), of_kind)) continue;
    out << (first ? "" : "\n") << title << '\n';
    first = false;
    for (const PartRow& row : catalog.rows()) {
      if (!of_kind(row)) continue;
      const std::string head = fmt::format("  {:<{}}  {:<4}  ", row.description->name, longest,
                                           row.description->mock ? "mock" : "real");
      out << head << wrapped(about(row, missing), width, head.size(), head.size()) << '\n';
    }
  }
}

}  // namespace benchbench
