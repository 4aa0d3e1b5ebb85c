#include "scenarios/formats/tables/lmdb_datum.h"

#include "scenarios/formats/image_bytes.h"
#include "scenarios/formats/sample_table.h"

namespace benchbench::lmdb {
namespace {

using proto::Wire;

constexpr std::uint32_t kData = 4, kLabel = 5, kEncoded = 7;
constexpr std::uint32_t kName = 1000;  // ours; other readers pass over a field they do not know

bool is_image(LookedBytes& bytes, std::uint64_t begin, std::uint64_t size) {
  return begins_as_image(bytes.look(begin, std::min<std::uint64_t>(size, kImageHead)));
}

// Objects of Python's, which many keep in LMDB: whole samples that only their own code can read.
void refuse_objects(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end) {
  const auto head = bytes.look(begin, std::min<std::uint64_t>(begin > end ? 0 : end - begin, 2));
  if (head.size() < 2) return;
  const int first = std::to_integer<int>(head[0]), second = std::to_integer<int>(head[1]);
  if (first == 0x80 && second >= 2 && second <= 5)
    throw Malformed{
        "the value is a pickle, and loading it would run code: store the bytes of the "
        "image and its label as values of their own",
        begin};
  const bool map = first > 0x80 && first <= 0x8F, list = first > 0x90 && first <= 0x9F,
             long_one = first >= 0xDC && first <= 0xDF;
  if (map || list || long_one)
    throw Malformed{
        "the value is msgpack, which is not supported: store the bytes of the image and "
        "its label as values of their own",
        begin};
}

}  // namespace

Datum parse_datum(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end) {
  if (begin <= end && is_image(bytes, begin, end - begin))
    return {.image_begin = begin, .image_size = end - begin, .label = {}, .name = {}};
  refuse_objects(bytes, begin, end);
  Datum datum;
  bool encoded = false, has_data = false;
  proto::Message message(bytes, begin, end);
  while (message.next()) {
    if (message.is(kData, Wire::bytes))
      datum.image_begin = message.begin(), datum.image_size = message.size(), has_data = true;
    if (message.is(kLabel, Wire::varint)) datum.label = static_cast<std::int64_t>(message.number());
    if (message.is(kEncoded, Wire::varint)) encoded = message.number() != 0;
    if (message.is(kName, Wire::bytes)) datum.name = message.text();
  }
  if (!has_data) throw Malformed{"the value is not a Datum with data", begin};
  if (!encoded && !is_image(bytes, datum.image_begin, datum.image_size))
    throw Malformed{
        "the Datum holds decoded pixels: only encoded images are supported (convert_imageset "
        "--encoded)",
        begin};
  if (datum.label && !is_label(*datum.label))
    throw Malformed{"the label is not a number from 0 to 2147483647", begin};
  return datum;
}

std::string datum_head(std::int64_t label, std::string_view name, std::uint64_t image_bytes) {
  std::string head;
  proto::put_number(head, kLabel, static_cast<std::uint64_t>(label));
  proto::put_number(head, kEncoded, 1);
  if (!name.empty()) proto::put_bytes(head, kName, name);
  proto::put_head(head, kData, image_bytes);
  return head;
}

}  // namespace benchbench::lmdb
