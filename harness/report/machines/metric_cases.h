// A metric of a point with the status of the trials it comes from: what programs are told of, one
// by one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/text/formats.h"

namespace benchbench {

struct MetricCase {
  std::string_view metric;  // as in metric_fields.h: "loader_rate_samples_per_second"
  // The point's name; where several have the same, " #2" and so on behind the later ones.
  std::string point;
  Status status = Status::valid;     // the worst of the modes it needs
  bool never_ran = false;            // ABORTED because the run ended before
  Measured value;                    // to be used where the status is; else only shown
  std::vector<std::string> reasons;  // "R06: ...", of those modes' trials, each rule once
  // Windows of all rounds, of L, T and F; 0 of what comes from the same windows.
  double seconds = 0;
};

// By point, the estimates with a status of their own (Metric::modes) whose modes were asked for.
std::vector<MetricCase> metric_cases(const ReportInput& input);

// Of all points, by index, none twice.
std::vector<std::string> unique_point_names(const Findings& findings);

}  // namespace benchbench
