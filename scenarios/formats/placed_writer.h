// The base class of the writers of all formats.
#pragma once
#include "harness/part/sample_format.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/storage/write_file.h"

namespace benchbench {

// Refuses unsafe names, and data without a sample; moves what was written to its place.
class PlacedWriter : public SampleWriter {
 public:
  void add(std::string_view name, std::int64_t label, ByteSpan payload) final {
    refuse_unsafe_name(name, place_.path());
    write(name, label, payload);
    ++added_;
  }
  void finish() override {
    if (is_empty()) place_.refuse_empty();
    complete();
    place_.place();
  }

 protected:
  explicit PlacedWriter(const WriteOrder& order) : place_(order.path) {}
  virtual void write(std::string_view name, std::int64_t label, ByteSpan payload) = 0;
  virtual bool is_empty() const noexcept { return added_ == 0; }
  // Called once, last: the file next to the place is whole when it returns.
  virtual void complete() = 0;

  PendingPlace place_;
  std::uint64_t added_ = 0;
};

}  // namespace benchbench
