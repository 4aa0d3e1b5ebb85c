#include "scenarios/formats/arrays/npy_labels.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/core/error.h"
#include "scenarios/formats/sample_table.h"

namespace benchbench::npy {

bool has_labels(const Header& header, std::uint64_t samples) noexcept {
  const auto& shape = header.shape;
  const bool fits = !shape.empty() && shape[0] == samples &&
                    (shape.size() == 1 || (shape.size() == 2 && shape[1] == 1));
  return fits && header.dtype != DType::float16 && header.dtype != DType::float32;
}

std::vector<std::int64_t> labels_in(const Header& header, ByteSpan elements) {
  const std::size_t width = size_of(header.dtype);
  const bool is_signed = header.dtype != DType::uint8 && header.dtype != DType::uint16;
  std::vector<std::int64_t> labels(elements.size() / width, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::memcpy(&labels[i], elements.data() + i * width, width);
    const bool negative = is_signed && std::to_integer<int>(elements[(i + 1) * width - 1]) >= 128;
    if (negative || !is_label(labels[i]))
      throw PartError(fmt::format("the label of sample {} is negative or too large", i));
  }
  return labels;
}

}  // namespace benchbench::npy
