// The order for an external process, made from a trial's settings, and the page cache of its data.
#pragma once
#include <memory>

#include "harness/part/external.h"
#include "harness/record/value.h"
#include "harness/trial/trial_parts.h"

namespace benchbench {

// The settings that an ExternalOrder looks at, and the order; not copied, since the order has views
// into it.
class OrderOfTrial {
 public:
  // `way` is one that runs externally. `shares`: as ExternalOrder has it.
  OrderOfTrial(const TrialContext& context, ExternalWay way, bool shares);
  OrderOfTrial(const OrderOfTrial&) = delete;
  OrderOfTrial& operator=(const OrderOfTrial&) = delete;
  const ExternalOrder& order() const noexcept { return order_; }
  std::uint32_t num_workers() const noexcept { return order_.keys.num_workers.value_or(0); }

 private:
  std::unique_ptr<PrefixedSettings> loader_, trainer_;
  ExternalOrder order_;
};

// A data set is read in the window, as the rules have it: one is named, and batches are not those
// fetched before.
bool reads_in_window(const SettingsMap& settings, ExternalWay way);

// Returns what a loader or a trainer in a process of its own has to know of a trial that the
// harness runs.
// `context` must outlive them.
ExternalTerms external_terms(const TrialContext& context);

// Before the process starts: brings the data into the state that dataset.cache asks for, as far as
// it can, and says what became of it. Warm data are read and proven to be in memory. Cold is never
// reached: the workers of another process cannot be held while the data are evicted, and what they
// have fetched ahead cannot be distinguished from what they
// fetch.
void prepare_cache(const TrialContext& context, ExternalWay way, CacheFacts& facts,
                   std::vector<std::string>& notices);

}  // namespace benchbench
