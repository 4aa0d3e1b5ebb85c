// What a tune was asked for, kept in its folder: --resume goes on with it.
#pragma once
#include <string>
#include <vector>

#include "harness/app/tune/tune_knobs.h"

namespace benchbench {

inline constexpr const char* kTuneFile = "tune.json";

// What the report needs and no record has.
struct TuneKept {
  std::vector<UntriedKnob> not_tried;
  double guessed_full_run = 1;  // as in TuneStudy
};
// Beside the journal. Options that say where output goes, and --resume itself, are not kept.
void write_asked(const std::string& folder, const Arguments& arguments, const TuneKept& kept);
bool is_tune_folder(const std::string& folder);
TuneKept kept_in(const std::string& folder);  // StoreError
// As given, and where an option was not given as it is in the folder's file, if there is one.
// StoreError where it cannot be read.
Arguments with_stored_options(const std::string& folder, const Arguments& arguments);

}  // namespace benchbench
