// Per-step times beside the journal.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/trial_record.h"

namespace benchbench {

inline constexpr std::uint64_t kMaxSeriesValues = 100000;

// Writes `series/<sequence>-<name>.bin` below `folder`, thinned beyond kMaxSeriesValues (of "step"
// and "get_blocked" each two in 2 x kept_every neighbours, the least and the most; of others every
// kept_every-th), synced or, where `later`, on its way to the disk. Its entry in the folder series/
// is synced by the caller, once for all of a record's.
SeriesFile write_series(const std::string& folder, std::uint64_t sequence, const std::string& name,
                        std::span<const std::int64_t> values, bool later = false);
// Throws StoreError naming the file where it is not what the record says (length, checksum) or lies
// elsewhere.
std::vector<std::int64_t> read_series(const std::string& folder, const SeriesFile& series);
// The greatest sequence that a series in `folder` is of; nullopt where there is none, or where they
// cannot be listed.
std::optional<std::uint64_t> last_series(const std::string& folder);
// Those of that sequence and of greater ones. What is not called as write_series() calls them
// stays.
void remove_series_from(const std::string& folder, std::uint64_t sequence);

}  // namespace benchbench
