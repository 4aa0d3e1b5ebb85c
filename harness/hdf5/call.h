// Inside harness/hdf5 only: the library set up once, and one check for every call.
#pragma once
// From 1.12 on the same names have other types (H5L_info_t has a token for an address).
#define H5_USE_110_API
#include <hdf5.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "harness/hdf5/dataset.h"

namespace benchbench::hdf5 {

static_assert(std::is_same_v<hid_t, Id> && std::is_same_v<herr_t, int>);  // H5Dclose is a Close

// First thing in every function that calls the library: sets it up (no plug-ins, no exit handler),
// and switches off error printing, which is per thread.
void enter_library();

// The thread's error stack as one line, "H5Dread: can't read data (file read failed: errno = 5
// ...)".
std::string error_line();

[[noreturn]] void fail(const Where& where, std::string_view doing, std::string_view why);

// Returns the result of a call, or throws where it is negative: check(H5Dopen2(...), where,
// "open").
template <class Result>
Result check(Result result, const Where& where, std::string_view doing) {
  if (result < 0) fail(where, doing, error_line());
  return result;
}

// Properties to open a file by. The library's own lock fails on read-only and network file systems;
// a run folder has a lock of its own.
Handle access_without_lock();
hid_t memory_type(Element element);         // native; not to be closed; not for text
Handle text_type(std::size_t width);        // UTF-8; width 0: variable length
Handle flat_space(std::uint64_t elements);  // of one dimension

}  // namespace benchbench::hdf5
