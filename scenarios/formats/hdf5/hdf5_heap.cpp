#include "scenarios/formats/hdf5/hdf5_heap.h"

#include <algorithm>
#include <unordered_map>

#include "harness/core/files/little_endian.h"
#include "scenarios/formats/image_bytes.h"

namespace benchbench::hdf5_format {
namespace {

constexpr std::uint64_t kHead = 16;  // of a collection, and of an object in it
constexpr std::string_view kMagic{"GCOL\1", 5};

struct Object {
  std::uint64_t number = 0, offset = 0, size = 0;
};

class Heap {
 public:
  explicit Heap(LookedBytes& file) : file_(file) {}

  const Object& find(std::uint64_t address, std::uint64_t number) {
    const auto [at, fresh] = collections_.try_emplace(address);
    if (fresh) at->second = read(address);
    const auto found = std::ranges::lower_bound(at->second, number, {}, &Object::number);
    if (found == at->second.end() || found->number != number)
      throw Malformed{"a value of variable length is in no collection of the file", address};
    return *found;
  }

 private:
  ByteSpan head_at(std::uint64_t at) {
    const auto head = file_.look(at, kHead);
    if (head.size() < kHead) throw Malformed{"a collection of values is truncated", at};
    return head;
  }

  std::vector<Object> read(std::uint64_t address) {
    const auto head = head_at(address);
    if (!begins_with(head, kMagic))
      throw Malformed{"a value of variable length is in no collection of the file", address};
    const auto size = little_endian(head.subspan(8, 8));
    if (size < kHead || size > file_.size() - address)
      throw Malformed{"a collection of values is truncated", address};
    // Crafted ones could share their bytes, and each of many would be walked to the file's end.
    walked_ += size;
    if (walked_ > file_.size()) throw Malformed{"collections of values overlap", address};
    return objects_in(address + kHead, address + size);
  }

  std::vector<Object> objects_in(std::uint64_t at, std::uint64_t end) {
    std::vector<Object> objects;
    while (at < end && end - at >= kHead) {
      const auto head = head_at(at);
      const Object object{little_endian(head.first(2)), at + kHead,
                          little_endian(head.subspan(8, 8))};
      if (object.number == 0) break;  // the room that is free
      if (object.size > end - object.offset)
        throw Malformed{"a value is longer than its collection", at};
      objects.push_back(object);
      at = object.offset + (object.size + 7) / 8 * 8;
    }
    std::ranges::sort(objects, {}, &Object::number);
    return objects;
  }

  LookedBytes& file_;
  std::unordered_map<std::uint64_t, std::vector<Object>> collections_;
  std::uint64_t walked_ = 0;
};

}  // namespace

std::vector<Extent> objects_at(LookedBytes& file, ByteSpan references, std::uint64_t base) {
  Heap heap(file);
  std::vector<Extent> extents;
  for (; references.size() >= kReferenceBytes; references = references.subspan(kReferenceBytes)) {
    const auto bytes = little_endian(references.first(4));
    const auto address = little_endian(references.subspan(4, 8));
    if (bytes == 0) {
      extents.push_back({});
      continue;
    }
    if (base > file.size() || address > file.size() - base)
      throw Malformed{"a value of variable length is outside the file", address};
    const Object& object = heap.find(base + address, little_endian(references.subspan(12, 4)));
    if (bytes > object.size) throw Malformed{"a value is longer than its place", object.offset};
    extents.push_back({0, object.offset, bytes});
  }
  return extents;
}

}  // namespace benchbench::hdf5_format
