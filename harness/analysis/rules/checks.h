// The checks behind the rules, one file each.
#pragma once
#include "harness/analysis/rules.h"

namespace benchbench::rules {

std::optional<Firing> conservation(const TrialRecord& record);
std::optional<Firing> content(const TrialRecord& record);
std::optional<Firing> errors(const TrialRecord& record);
std::optional<Firing> steady(const TrialRecord& record);
std::optional<Firing> duration(const TrialRecord& record);
std::optional<Firing> quota(const TrialRecord& record);
std::optional<Firing> neighbours(const TrialRecord& record);
std::optional<Firing> environment(const TrialRecord& record);
std::optional<Firing> interference(const TrialRecord& record);
std::optional<Firing> impossible(const TrialRecord& record);
std::optional<Firing> host_identity(const TrialRecord& record);
std::optional<Firing> worker_identity(const TrialRecord& record);

}  // namespace benchbench::rules
