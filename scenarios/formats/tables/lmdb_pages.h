// The pages of an LMDB file (data version 1), walked and checked: liblmdb trusts what it maps, and
// a damaged file would end the process. Also finds where each value lies in the file.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

#include "scenarios/formats/looked_bytes.h"

namespace benchbench::lmdb {

// Called once a key of the main database, in the order of keys.
using TakeValue =
    std::function<void(std::string_view key, std::uint64_t offset, std::uint64_t size)>;

// Throws Malformed where a page, a node or a value is not what LMDB writes, or reaches outside the
// file. Keys of named databases are left out.
void walk_pages(LookedBytes& bytes, const TakeValue& take);

}  // namespace benchbench::lmdb
