// An HDF5 identifier that closes itself, and the error every failing call becomes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "harness/core/error.h"

namespace benchbench::hdf5 {

// Whose fault a failing call is only the caller knows: ErrorKind::scenario where somebody else's
// file is read, ErrorKind::store where results are written. `what()` holds file, data set, what was
// tried and the library's own words, in one line.
class Hdf5Error : public Error {
 public:
  using Error::Error;
};

// The place that an error names, "results.h5: /trials/samples", and whose fault it is.
struct Where {
  std::string text;
  ErrorKind kind = ErrorKind::scenario;
};

// hid_t, without the library's header.
using Id = std::int64_t;

// Owns one identifier. Move-only; closing errors are lost here, so what must be told is closed by
// hand (File::close).
class Handle {
 public:
  using Close = int (*)(Id);
  Handle() = default;
  Handle(Id id, Close close) noexcept : id_(id), close_(close) {}
  Handle(Handle&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  Handle& operator=(Handle&& o) noexcept {
    if (this != &o) {
      reset();
      id_ = std::exchange(o.id_, -1);
      close_ = o.close_;
    }
    return *this;
  }
  ~Handle() { reset(); }
  Id get() const noexcept { return id_; }
  bool valid() const noexcept { return id_ >= 0; }
  int reset() noexcept { return id_ < 0 ? 0 : close_(std::exchange(id_, -1)); }

 private:
  Id id_ = -1;
  Close close_ = nullptr;
};

}  // namespace benchbench::hdf5
