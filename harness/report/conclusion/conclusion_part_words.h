// The single parts of the last paragraph. Each gives whole sentences, or "" where there is nothing
// to say.
#pragma once
#include <string>

#include "harness/analysis/findings.h"

namespace benchbench {

// What is spoken of, and how: in a what-if things would be so. `brief` 0 says all; 1 leaves reasons
// and intervals out, 2 what may do as well, 3 what difference of an axis would have been seen.
struct Telling {
  const Findings& f;
  const Plan& plan;
  int brief = 0;

  const Conclusion& c() const { return f.conclusion; }
  bool would() const { return f.conclusion.what_if; }
  bool wrapped() const { return wraps_script(plan); }
  // What was seen is no ground to change anything.
  bool doubted() const { return f.conclusion.doubt != Doubt::none; }
  std::string_view is() const { return would() ? "would be" : "is"; }
  // "takes", "would take".
  std::string does(std::string_view verb) const;
};

std::string binds_words(const Telling& t);
// Says what of a wrapped script's step no side explains, where cores may, or where the side that is
// named takes little of it; begins with a space.
std::string rest_words(const Telling& t, const PointFindings& point);
std::string use_words(const Telling& t);
// Says what more workers are foretold to do, or why they are not advised.
std::string workers_words(const WorkersForetold& foretold);
// Compares the user's own step with their own loader and with another.
std::string loaders_words(const Telling& t);
std::string axes_words(const Telling& t);
// Says what this loader would mean for a device that is emulated next to the base's own.
std::string emulated_words(const Telling& t);
std::string findings_words(const Telling& t);
std::string headroom_words(const Telling& t);
// Says nothing at `brief` 3 and above.
std::string depth_words(const Telling& t);
std::string epoch_words(const Telling& t);
std::string job_words(const Telling& t);
std::string next_words(const Telling& t);

// "0.998" and " (0.996 to 1.003)".
struct RatioWords {
  std::string value, interval;
};
// A ratio whose interval holds 1, with as many digits as tell the interval's ends apart; without
// the interval where four do not.
RatioWords undecided_ratio(const Estimate& ratio);

// "num_workers: 4", "dataset.format: tar": a key of the loader without its section; of the user's
// own loader as their code has it.
std::string setting_words(const std::string& key, const std::string& label);
// What a point has in place of the base's settings; "your settings" of the base where it has over
// two or none.
std::string point_words(const Telling& t, std::uint32_t point);
// The same where `use` has just named it: several keys are "those settings".
std::string point_words_again(const Telling& t, std::uint32_t point);
// The words of a point, "" for the base, with what the conditions that are swept are there:
// "num_workers: 4, dataset.storage.like: s3".
std::string with_conditions(const Telling& t, std::uint32_t point, std::string words);
// "7 %"; "a factor of 2.3" from 100 % on.
std::string difference_words(double share);
// A few noisy rounds may leave an interval that half the rate more is within: whatever is said of
// what they compared, it is not that nothing was different.
inline constexpr std::string_view kNothingSeen =
    "not even a difference of 50 % would have been seen";
// "7 % would have been seen".
std::string seen_words(double share);
// A first letter made large, a full stop.
std::string as_sentence(std::string text);

}  // namespace benchbench
