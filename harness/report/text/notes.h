// What a reader must know beside the numbers, a line each: warnings, and what was skipped, noisy,
// invalid, failed or never run, and why, in as few lines as can be.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

struct Note {
  bool bad = false;  // something FAILED or is INVALID
  std::string text;
  // Lines below it, such as a traceback of the user's code: printed as they are.
  std::vector<std::string> details = {};
  bool only_detail = false;  // true of every run with this loader: it adds nothing to the numbers
  std::string rule = {};     // "R06": this is why trials are NOISY or INVALID
  std::string brief = {};    // begins with the reason where `text` begins with names; else empty
};

// The notes' texts, without details.
std::vector<std::string> texts_of(const std::vector<Note>& notes);

// The first line of a reason.
std::string headline_of(const std::string& reason);
// At most `most` of them (3 at least), the first and the last ones: what is left out between them
// is said.
std::vector<std::string> without_middle(const std::vector<std::string>& lines, std::size_t most);

// "other programs used 0.9 of 2 cores, 1.8 at most".
std::string other_programs_text(const CoresUsed& used);
std::vector<std::string> warning_lines(const Findings& findings, const Plan& plan);
// "NOISY R06 (steady): base pipeline round 2 (...), ...": one line a problem, trials named up to a
// few; then what the plan skipped, and what has no record.
std::vector<Note> problem_lines(const Findings& findings, const Plan& plan);
// Returns what of a wrapped script's answer could be another one without noise, and why it is
// NOISY: a line; empty where none of it could.
std::string noise_line(const Findings& findings);
// Both, alarms that are raised, and faulty samples. Without `detail`, of a wrapped script one line
// says that noise could change the answer, and rules are not named.
std::vector<Note> notes_of(const Findings& findings, const Plan& plan, bool detail = true);

// "base pipeline", "num_workers=4 free:decode".
std::string trial_name(const Plan& plan, const Trial& trial);
// "15 trials"; of a wrapped script "15 stretches".
std::string counted_trials(const Plan& plan, std::size_t count);

}  // namespace benchbench
