// A temporary folder and records to put into a store.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/core/error.h"
#include "harness/store/run_folder.h"
#include "tests/scratch_folder.h"

namespace benchbench::store_tests {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(test::make_scratch_folder("store")) {}
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline Plan plan_of(std::uint32_t trials = 2) {
  Plan plan;
  plan.scenario.name = "quick";
  plan.scenario.base.set("loader.num_workers", *Value::parse(ParameterType::integer, "2"));
  for (std::uint32_t i = 0; i < trials; ++i) {
    Trial trial;
    trial.index = i;
    trial.digest = "d" + std::to_string(i);
    trial.settings = plan.scenario.base;
    plan.trials.push_back(trial);
  }
  plan.digest = "plan";
  return plan;
}

inline TrialRecord record_of(std::uint32_t trial, std::int64_t window = 1000) {
  TrialRecord record;
  record.trial = plan_of(trial + 1).trials.back();
  record.planned.trial = trial;
  record.facts.window.ns = window;
  record.facts.window.samples = 64;
  record.started_at = "2026-11-05T10:00:00Z";
  record.environment.machine = "m";
  return record;
}

inline Environment environment() {
  Environment e;
  e.machine = "m";
  return e;
}

template <class Body>
std::string complaint_of(Body body) {
  try {
    body();
  } catch (const Error& e) {
    return std::string(e.message()) + " | " + std::string(e.hint()) + " | " +
           std::string(e.context());
  }
  return "";
}

}  // namespace benchbench::store_tests
