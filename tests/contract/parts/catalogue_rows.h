// Goes over the rows of the catalogue, so that a new part is under test the moment it has a row,
// and none is passed over. `benchbench contract` runs the same tests on the parts of one library.
#pragma once
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/part/own_library.h"
#include "tests/contract/parts/user_script.h"

namespace benchbench::test {

// The library whose parts are under test; empty: the catalogue's are.
inline std::string library_under_test() {
  const char* path = std::getenv("BENCHBENCH_CONTRACT_LIBRARY");
  return path ? path : "";
}
inline std::span<const PartRow> rows_under_test() {
  const std::string library = library_under_test();
  return library.empty() ? built_in_catalog().rows() : library_parts(library);
}

// What a test did with one row: how many things of it were looked at, or why it was set aside.
struct Verdict {
  std::uint64_t looked_at = 0;
  std::string set_aside = {};
};
inline Verdict looked_at(std::uint64_t things) { return {.looked_at = things}; }
inline Verdict set_aside(std::string reason) { return {.set_aside = std::move(reason)}; }

// Empty where the part can be made here; else what is missing: a part's module may not be built.
inline std::string why_absent(const PartRow& row) {
  if (row.description->external) {
    static const std::string numpy = UserScript::lacks(PartKind::loader),
                             torch = UserScript::lacks(PartKind::trainer);
    const std::string& lacking = row.description->kind == PartKind::trainer ? torch : numpy;
    if (!lacking.empty()) return "the tests' Python has no " + lacking;
  }
  try {
    built_in_catalog().maker(row.description->kind, row.description->name);
    return {};
  } catch (const DeviceError& error) {
    return std::string(error.message());
  }
}

inline std::string words_of(const PartRow& row) {
  return std::string(name_of(row.description->kind)) + " " + std::string(row.description->name);
}

// Each row of the kind is tested, or set aside with a reason; at least `min_tested` of the
// catalogue's are tested. A test that looked at nothing and says no reason is a failure.
template <class Test>
void for_each_row(PartKind kind, std::uint64_t min_tested, Test test) {
  std::uint64_t rows = 0, tested = 0, aside = 0;
  for (const PartRow& row : rows_under_test()) {
    if (row.description->kind != kind) continue;
    ++rows;
    INFO(words_of(row));
    const std::string absent = why_absent(row);
    const Verdict verdict = absent.empty() ? test(row) : set_aside(absent);
    if (verdict.looked_at > 0) ++tested;
    if (verdict.set_aside.empty()) {
      CHECK(verdict.looked_at > 0);  // neither tested nor set aside
      continue;
    }
    ++aside;
    CHECK(verdict.looked_at == 0);
    SUCCEED(words_of(row) + " set aside: " + verdict.set_aside);
  }
  INFO(rows << " rows of kind " << name_of(kind) << ", " << tested << " tested, " << aside
            << " set aside with a reason");
  REQUIRE(tested + aside == rows);
  if (!library_under_test().empty()) return;
  REQUIRE(rows > 0);
  REQUIRE(tested >= min_tested);
}

}  // namespace benchbench::test
