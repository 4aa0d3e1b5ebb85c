// A part, a key, a metric, a validity rule, or any other word that a report or a help prints, in
// plain words.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "harness/part/catalog.h"
#include "harness/report/describe/terms.h"

namespace benchbench {

// Everything known by that word: "native", "headroom" or its symbol, "R06", "loader.num_workers",
// "num_workers", "timed.step_time", "held back by", "NOISY". Several where a word has several
// meanings ("replay" is a loader and a trainer), all of a topic where it is no word itself
// ("severity"). `more` are known besides. Throws UsageError with the nearest spelling where there
// is none. Lines of at most `width` columns.
std::string describe(std::string_view word, const Catalog& catalog, std::size_t width = 100,
                     std::span<const Term> more = {});

// Returns the text of `describe` for each part.
std::string describe_parts(std::span<const PartRow> parts, std::size_t width = 100);

// Returns all words but the parts' by topic, a paragraph each.
std::string describe_topics(std::size_t width = 80, std::span<const Term> more = {});

}  // namespace benchbench
