#include "harness/part/catalog.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/part/module.h"
#include "harness/part/own_library.h"

namespace benchbench {
namespace {

// Of the loaded module; a row that the module lacks is a module built from other sources.
const PartMaker& maker_in_module(const PartRow& row) {
  for (const ModuleRow& candidate : module_rows(row.module)) {
    if (candidate.kind == row.description->kind && row.description->name == candidate.name)
      return candidate.maker;
  }
  throw DeviceError(
      fmt::format("needs libbenchbench_{}.so with the {} {}; the one next to the program lacks it",
                  row.module, name_of(row.description->kind), row.description->name),
      "build the program and the module together");
}

// "sample_format" is for code; people read "sample format".
std::string words(PartKind kind) {
  std::string text(name_of(kind));
  for (char& c : text) c = c == '_' ? ' ' : c;
  return text;
}

}  // namespace

const PartRow* Catalog::find(PartKind kind, std::string_view name) const noexcept {
  for (const PartRow& row : rows_) {
    if (row.description->kind == kind && row.description->name == name) return &row;
  }
  return find_library_part(kind, name);
}

std::vector<std::string> Catalog::names(PartKind kind) const {
  std::vector<std::string> names;
  for (const PartRow& row : rows_) {
    if (row.description->kind == kind) names.emplace_back(row.description->name);
  }
  return names;
}

const PartMaker& Catalog::maker(PartKind kind, std::string_view name) const {
  if (const PartRow* row = find(kind, name))
    return row->module.empty() ? row->maker : maker_in_module(*row);
  const auto known = names(kind);
  const std::string question = ask_whether(nearest_spelling(name, known));
  throw PartError(fmt::format("unknown {} {}{}", words(kind), name,
                              question.empty() ? "" : fmt::format(" ({})", question)),
                  fmt::format("known: {}", listed(known)));
}

}  // namespace benchbench
