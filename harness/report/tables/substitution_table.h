// What a step would win if each component were free, as rows of text: the same in terminal and
// Markdown.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

struct SubstitutionRow {
  std::string component;
  std::string recovers;  // "199 ms"
  std::string interval;  // "197 ms to 201 ms", "-" where one round only
  std::string share;     // of the step
  std::string remark;    // severity and how it was found
};

// Those measured, largest first.
std::vector<SubstitutionRow> substitution_rows(const Substitutions& s);
// "One step of base, 216 ms, with one component free at a time (3 rounds):"
std::string substitution_title(const Substitutions& s, const Findings& findings);
// "decode", "tie", "not measured"; `none` where none could be named.
std::string_view naming_word(Naming naming, const std::vector<Component>& named,
                             std::string_view none);
// The next single change to try, one sentence; empty where nothing binds.
std::string next_step(const Substitutions& s);
// What binds, what to change next, and what was not measured.
std::string substitution_words(const Substitutions& s);

}  // namespace benchbench
