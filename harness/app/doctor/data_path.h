// The way from where data are to this machine.
#pragma once
#include <string>
#include <vector>

#include "harness/app/doctor/checks.h"
#include "harness/app/doctor/endpoint.h"
#include "harness/app/doctor/mounted.h"

namespace benchbench {

struct DataPath {
  std::vector<DoctorCheck> checks;
  double network = 0;      // bytes a second over the network; 0: none was measured
  std::string value = {};  // what was measured, for the row of the network
};

// Throws UsageError where `data` is neither a path that is there nor a URL that can be asked.
void refuse_bad_data(const std::string& data);

// `data` as refuse_bad_data() lets it pass. Nothing is thrown.
DataPath examine_data(const std::string& data, Runtime& runtime);

// From what was measured; pure, so that tests give them figures of their own.
DataPath judge_mount(const std::string& path, const Mount& mount, const PathSpeed& speed);
DataPath judge_endpoint(const std::string& url, const EndpointSpeed& speed);

}  // namespace benchbench
