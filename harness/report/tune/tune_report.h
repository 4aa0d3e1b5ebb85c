// The report of a tune: what to paste, what it is worth, and what was measured for it.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/text/notes.h"
#include "harness/tune/tune_findings.h"

namespace benchbench {

struct TuneReport : TuneFindings {
  std::vector<Note> problems = {};  // trials that are not used, and noisy ones, with their reasons
};

// "num_workers=4 prefetch_factor=2"; knobs that have no effect at the point are left out.
std::string settings_text(const Space& space, PointId point);
// DataLoader(...), libtorch's options or YAML, whichever the loader takes.
std::string line_to_paste(const Space& space, PointId point, const std::string& loader,
                          bool keep_workers = false);
// Of the chosen point, with persistent_workers where it is worth it.
std::string line_to_paste(const TuneReport& report);
// The first paragraph: what to do, and how sure it is.
std::string tune_summary(const TuneReport& report);
std::string tune_text(const TuneReport& report);
nlohmann::ordered_json tune_json(const TuneReport& report);

}  // namespace benchbench
