// One array a file, one folder a class: what npy and npz have in common. Order and classes of a
// folder that we did not write are those of image_folder.cpp; one that we wrote keeps them in
// `.benchbench-index`.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/core/byte_span.h"
#include "harness/part/sample_format.h"

namespace benchbench {

// How one array lies in one file. Stateless: any thread.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  virtual std::string_view extension() const noexcept = 0;  // ".npy"
  // What the file holds, from its first bytes or from all of them. PartError.
  virtual PayloadSpec payload_of(ByteSpan file) const = 0;
  // The elements, in `file` or in `scratch`. PartError where they are not `payload` or damaged.
  virtual ByteSpan elements(ByteSpan file, const PayloadSpec& payload, Scratch& scratch) const = 0;
  // The file of these elements: `head`, then `body`.
  struct Image {
    std::string head;
    ByteSpan body;
    std::string tail;
  };
  // `body` may lie in `room`.
  virtual Image image_of(ByteSpan elements, const PayloadSpec& payload,
                         std::vector<std::byte>& room) const = 0;
};

// `file` lives as long as the archive or the writer. All samples are of the first one's element and
// shape: of the others it is checked as they are read.
std::unique_ptr<SampleArchive> open_array_folder(const std::string& path, const ArrayFile& file);
std::unique_ptr<SampleWriter> create_array_folder(const WriteOrder& order, const ArrayFile& file);

}  // namespace benchbench
