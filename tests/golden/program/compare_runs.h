// Runs of tiny_scenario() in virtual time, for the tests of `compare`.
#pragma once
#include "tests/golden/program/program.h"

namespace benchbench::test {

Ran compare(const Scratch& s, std::vector<std::string> arguments);

// Puts a run of ten rounds into `folder`. Cases that ask for the same get copies of one run.
void store(const Scratch& s, const std::string& folder, const std::vector<std::string>& more = {},
           const std::string& scenario = tiny_scenario());

// Compares A with B, ten rounds of each in turn, and puts both into out. Cases that ask for the
// same get copies of one comparison. A step takes 1 ms, and one worker makes a batch in 2 ms: of
// the pipeline's 2 ms the trainer waits 1.
Ran interleaved(const Scratch& s, const std::vector<std::string>& more);

// The words that make B's loader 10 % slower.
inline const std::vector<std::string> kSlowerLoader{"--b-set", "loader.batch_time=2.2ms", "--json",
                                                    "out.json"};

}  // namespace benchbench::test
