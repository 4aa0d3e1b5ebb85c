#include "scenarios/python/batch_ring.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/core/error.h"

namespace benchbench::python_part {
namespace {

constexpr std::size_t kAlignment = 64, kPage = 4096;
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;  // of a row
constexpr std::string_view kWayOut =
    "hand-over takes up to 4 tensors of a fixed shape; a trainer `python` takes any batch, "
    "`discard` drops it in Python";

constexpr std::size_t up(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

std::optional<DType> dtype_from(const std::string& word) {
  if (word == "bool") return DType::uint8;  // a byte, 0 or 1
  const auto at = std::ranges::find(kWordsOf<DType>, std::string_view(word));
  if (at == kWordsOf<DType>.end()) return std::nullopt;
  return static_cast<DType>(at - kWordsOf<DType>.begin());
}

[[noreturn]] void refuse(const std::string& call, const std::string& what) {
  throw ScenarioError(fmt::format("batches of {} cannot be handed over: {}", call, what), kWayOut);
}

Shape shape_from(const Json& extents, const std::string& call, const std::string& name) {
  if (extents.size() > kMaxRank)
    refuse(call, fmt::format("'{}' has {} dimensions", name, extents.size() + 1));
  Shape shape;
  std::int64_t elements = 1;
  for (const Json& one : extents) {
    const auto extent = whole<std::int64_t>(one);
    if (extent < 1 || extent > kMostElements / elements)
      refuse(call, fmt::format("'{}' has rows of shape {}", name, extents.dump()));
    elements *= extent;
    shape.extent[shape.rank++] = extent;
  }
  return shape;
}

// A name that is too long keeps its end, which tells the leaves of nested containers apart.
void name_it(TensorSpec& tensor, std::string_view name) {
  constexpr std::size_t kRoom = sizeof tensor.name - 1;
  if (name.size() > kRoom) name.remove_prefix(name.size() - kRoom);
  std::memcpy(tensor.name, name.data(), name.size());
}

TensorSpec tensor_from(const Json& tensor, const std::string& call) {
  const auto name = tensor.at("name").get<std::string>(),
             dtype = tensor.at("dtype").get<std::string>();
  const auto known = dtype_from(dtype);
  if (!known)
    refuse(call, fmt::format("'{}' is of type {}; known are {}", name, dtype,
                             fmt::join(kWordsOf<DType>, ", ")));
  TensorSpec spec;
  name_it(spec, name);
  spec.dtype = *known;
  spec.row = shape_from(tensor.at("shape"), call, name);
  return spec;
}

BatchSpec spec_from(const Json& tensors, const std::string& call) {
  if (tensors.empty() || tensors.size() > kMaxTensors)
    refuse(call, fmt::format("they hold {} tensors", tensors.size()));
  BatchSpec spec;
  for (const Json& one : tensors) {
    TensorSpec& made = spec.tensor[spec.count] = tensor_from(one, call);
    const auto earlier = std::span(spec.tensor).first(spec.count++);
    if (std::ranges::any_of(
            earlier, [&](const TensorSpec& t) { return std::strcmp(t.name, made.name) == 0; }))
      name_it(made = TensorSpec{.dtype = made.dtype, .row = made.row},
              fmt::format("tensor {}", spec.count - 1));
  }
  return spec;
}

// Each tensor within the slot, none in another's place.
void check(const SlotLayout& layout) {
  std::size_t end = 0;
  if (layout.offsets.size() != layout.spec.count)
    throw_nonsense(
        fmt::format("{} offsets for {} tensors", layout.offsets.size(), layout.spec.count));
  for (std::size_t t = 0; t < layout.spec.count; ++t) {
    const std::size_t row = layout.spec.tensor[t].bytes_per_row(), offset = layout.offsets[t];
    if (offset < end || offset > layout.slot_bytes ||
        layout.rows > (layout.slot_bytes - offset) / row)
      throw_nonsense(fmt::format("a slot of {} bytes with {} rows of {} bytes at {}",
                                 layout.slot_bytes, layout.rows, row, offset));
    end = offset + layout.rows * row;
  }
}

std::size_t checked_bytes(int file, const SlotLayout& layout, std::uint32_t slots) {
  struct stat found{};
  if (::fstat(file, &found) != 0)
    throw PartError(
        fmt::format("cannot read the memory file of batches: {}", strerrordesc_np(errno)));
  const auto there = static_cast<std::size_t>(found.st_size);
  if (layout.slot_bytes == 0 || there / layout.slot_bytes < slots)
    throw_nonsense(
        fmt::format("slots of {} bytes in a memory file of {}", layout.slot_bytes, there));
  return layout.slot_bytes * slots;
}

}  // namespace

SlotLayout layout_of(const BatchSpec& spec, std::uint32_t rows) {
  SlotLayout layout{.spec = spec, .rows = rows, .offsets = {}, .slot_bytes = 0};
  for (const TensorSpec& tensor : spec.tensors()) {
    layout.offsets.push_back(layout.slot_bytes);
    layout.slot_bytes = up(layout.slot_bytes + rows * tensor.bytes_per_row(), kAlignment);
  }
  layout.slot_bytes = std::max(kPage, up(layout.slot_bytes, kPage));
  return layout;
}

SlotLayout layout_from(const Message& message, const std::string& call) {
  SlotLayout layout = read_from(message, [&](const Json& body) {
    return SlotLayout{.spec = spec_from(body.at("tensors"), call),
                      .rows = whole<std::uint32_t>(body.at("rows")),
                      .offsets = wholes<std::size_t>(body.at("offsets")),
                      .slot_bytes = whole<std::size_t>(body.at("slot_bytes"))};
  });
  if (layout.rows == 0) throw_nonsense("a first batch without rows");
  check(layout);
  return layout;
}

Json members_of(const SlotLayout& layout) {
  Json tensors = Json::array();
  for (const TensorSpec& tensor : layout.spec.tensors()) {
    Json shape = Json::array();
    for (std::uint8_t i = 0; i < tensor.row.rank; ++i) shape.push_back(tensor.row.extent[i]);
    tensors.push_back({{"name", tensor.name}, {"dtype", name_of(tensor.dtype)}, {"shape", shape}});
  }
  return {{"tensors", tensors},
          {"rows", layout.rows},
          {"slot_bytes", layout.slot_bytes},
          {"offsets", layout.offsets}};
}

BatchRing::BatchRing(int file, const SlotLayout& layout, std::uint32_t slots)
    : layout_(layout), slots_(slots), bytes_(checked_bytes(file, layout, slots)) {
  void* const mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    throw PartError(
        fmt::format("cannot map {} bytes for batches: {}", bytes_, strerrordesc_np(errno)));
  data_ = static_cast<std::byte*>(mapped);
}

BatchRing::~BatchRing() { ::munmap(data_, bytes_); }

std::array<TensorView, kMaxTensors> BatchRing::views(std::uint32_t slot,
                                                     std::uint32_t rows) const noexcept {
  std::array<TensorView, kMaxTensors> views{};
  for (std::uint8_t t = 0; t < layout_.spec.count; ++t)
    views[t] = {.spec = layout_.spec.tensor[t], .rows = rows, .data = tensor(slot, t)};
  return views;
}

}  // namespace benchbench::python_part
