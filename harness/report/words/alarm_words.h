// Alarms as text, the same in every format.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

// "exposed_wait: the trainer waited for batches 34 % of the time (limit 10 %), with num_workers=0":
// one a raised alarm. Not of a wrapped script's wait that its table has.
std::vector<std::string> raised_alarms(const Findings& findings, const Plan& plan);
// What was seen of any alarm, with its limit; of one that is not measured why.
std::string alarm_words(const Alarm& alarm, const Plan& plan);
// "raised: exposed_wait; not raised: memory (41 %), ...; not measured: network (why)"; each part
// where there is one.
std::string alarms_line(const Findings& findings, const Plan& plan);
// The table of thresholds, in lines of at most `width` columns.
std::string alarms_table(std::size_t width);

}  // namespace benchbench
