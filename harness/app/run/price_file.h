// What trials cost on this machine, kept between runs so that `plan` and the ETA need not guess.
#pragma once
#include <map>
#include <string>

#include "harness/plan/planner.h"
#include "harness/record/trial_record.h"

namespace benchbench {

// prices-<machine>.tsv in the cache folder: key, startup s, step s, memory bytes; one a line. A damaged line is left out.
std::map<std::string, PriceEntry> read_prices(const std::string& cache_folder, const std::string& machine);
// Best effort: a cache that cannot be written costs a guess next time, nothing more.
void write_prices(const std::string& cache_folder, const std::string& machine, const std::map<std::string, PriceEntry>& prices);
// What one finished trial teaches; false where it teaches nothing (failed, skipped, simulated).
bool learn_price(std::map<std::string, PriceEntry>& prices, const TrialRecord& record);

}  // namespace benchbench

