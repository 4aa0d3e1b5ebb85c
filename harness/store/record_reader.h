// Reads the records of one journal.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "harness/record/trial_record.h"

namespace benchbench {

// Two thirds of a line are its trial's settings and its environment, the same text in most lines:
// each is read once, and then known by its text. Not for several threads.
class RecordReader {
 public:
  // Returns and throws what record_from_json() does.
  TrialRecord read(std::string_view json);

 private:
  std::map<std::string, Trial, std::less<>> trials_;
  std::map<std::string, Environment, std::less<>> environments_;
};

}  // namespace benchbench
