// What `benchbench selftest` prints.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>

#include "harness/selftest/selftest.h"

namespace benchbench {

// Tables for a terminal of `width` columns.
void write_selftest_text(std::ostream& out, const selftest::SelftestResult& result,
                         std::size_t width);
// One JSON document.
void write_selftest_json(std::ostream& out, const selftest::SelftestResult& result);
// "hit", "missed", "too noisy".
std::string_view outcome_word(selftest::Outcome outcome) noexcept;
// "all truths hit", what was missed, or why this machine cannot show it.
std::string selftest_conclusion(const selftest::SelftestResult& result);

}  // namespace benchbench
