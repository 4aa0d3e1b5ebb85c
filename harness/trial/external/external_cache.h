// The page cache of data that an external process reads.
#pragma once
#include <string>
#include <vector>

#include "harness/part/external_facts.h"
#include "harness/trial/trial_parts.h"

namespace benchbench {

// Before the process starts: brings the data into the state that dataset.cache asks for, as far as
// it can, and says what became of it. Warm data are read and proven to be in memory. Cold is never
// reached: the workers of another process cannot be held while the data are evicted, and what they
// have fetched ahead cannot be told from what they fetch.
void prepare_cache(const TrialContext& context, ExternalWay way, CacheFacts& facts,
                   std::vector<std::string>& notices);

}  // namespace benchbench
