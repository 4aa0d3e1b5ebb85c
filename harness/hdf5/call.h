// Inside harness/hdf5 only: the library set up once, and one check for every call.
#pragma once
// From 1.12 on the same names have other types (H5L_info_t has a token for an address).
#define H5_USE_110_API
#include <hdf5.h>

#include <string>
#include <string_view>

#include "harness/hdf5/dataset.h"

namespace benchbench::hdf5 {

static_assert(sizeof(hid_t) == sizeof(Id));

// First thing in every function that calls the library: sets it up (no plug-ins, no exit handler),
// and switches off error printing, which is per thread.
void enter_library();

// The thread's error stack as one line, "H5Dread: can't read data (file read failed: errno = 5
// ...)".
std::string error_line();

[[noreturn]] void fail(ErrorKind kind, const std::string& where, std::string_view doing,
                       std::string_view why);

// Returns the result of a call, or throws where it is negative: check(H5Dopen2(...), kind, where,
// "open").
template <class Result>
Result check(Result result, ErrorKind kind, const std::string& where, std::string_view doing) {
  if (result < 0) fail(kind, where, doing, error_line());
  return result;
}

// Closers with one signature; each knows what kind of identifier it closes.
int close_file(Id id);
int close_dataset(Id id);
int close_space(Id id);
int close_type(Id id);
int close_properties(Id id);
int close_attribute(Id id);
int close_group(Id id);
int close_object(Id id);

hid_t memory_type(Element element);   // native; not to be closed; not for text
Handle text_type(std::size_t width);  // UTF-8; width 0: variable length
void write_attribute(Id object, ErrorKind kind, const std::string& where, const std::string& name,
                     hid_t type, const void* value);
void write_text_attribute(Id object, ErrorKind kind, const std::string& where,
                          const std::string& name, std::string_view text);
std::optional<std::string> read_text_attribute(Id object, ErrorKind kind, const std::string& where,
                                               const std::string& name);
std::optional<std::int64_t> read_integer_attribute(Id object, ErrorKind kind,
                                                   const std::string& where,
                                                   const std::string& name);

}  // namespace benchbench::hdf5
