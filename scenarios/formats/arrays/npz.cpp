// numpy's .npz, a zip archive of .npy files: one archive a sample, one folder a class, or one
// archive with all samples (npz_file.h). Of an archive a sample the array is the first member,
// stored (numpy.savez) or deflated (numpy.savez_compressed); what we write is such a folder of the
// one or the other, by the format's name, a member named data.
#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "scenarios/formats/arrays/array_folder.h"
#include "scenarios/formats/arrays/array_payload.h"
#include "scenarios/formats/arrays/npy_header.h"
#include "scenarios/formats/arrays/npz_file.h"
#include "scenarios/formats/arrays/zip_member.h"
#include "scenarios/formats/deflate.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {
namespace {

constexpr int kLevel = 6;  // zlib's own, which numpy takes
constexpr std::uint64_t kMaxStored = 0xFFFF0000;

// The .npy that an archive holds, checked.
ByteSpan npy_in(ByteSpan file, Scratch& scratch) {
  const zip::Member member = zip::find(file, ".npy");
  ByteSpan npy = member.stored;
  if (member.deflated) {
    const std::span<std::byte> room = scratch.room(member.size);
    if (!inflate(Deflated::raw, member.stored, room))
      throw PartError("its deflated array is damaged");
    npy = room;
  }
  if (crc32(npy) != member.crc) throw PartError("its array is damaged: wrong checksum");
  return npy;
}

class NpzFile final : public ArrayFile {
 public:
  explicit NpzFile(bool deflated) : deflated_(deflated) {}
  std::string_view extension() const noexcept override { return ".npz"; }
  PayloadSpec payload_of(ByteSpan file) const override {
    GrowingScratch scratch;
    return payload_of_npy(npy_in(file, scratch));
  }
  ByteSpan elements(ByteSpan file, const PayloadSpec& payload, Scratch& scratch) const override {
    return elements_of_npy(npy_in(file, scratch), payload);
  }
  Image image_of(ByteSpan elements, const PayloadSpec& payload,
                 std::vector<std::byte>& room) const override {
    const std::string head = npy::header_of(payload.dtype, shape_of(payload));
    std::vector<std::byte> plain(head.size() + elements.size());
    if (plain.size() > kMaxStored)
      throw ScenarioError("a sample of 4 GiB or more cannot be written to an .npz");
    std::ranges::copy(std::as_bytes(std::span(head)), plain.begin());
    std::ranges::copy(elements, plain.begin() + static_cast<std::ptrdiff_t>(head.size()));
    zip::Member member{.name = "data.npy",
                       .stored = {},
                       .size = plain.size(),
                       .crc = crc32(plain),
                       .deflated = deflated_};
    room = deflated_ ? deflate(Deflated::raw, kLevel, plain) : std::move(plain);
    member.stored = room;
    zip::Frame frame = zip::frame_of(member);
    return {std::move(frame.head), room, std::move(frame.tail)};
  }

 private:
  bool deflated_;
};
const NpzFile kStored(false), kDeflated(true);

std::unique_ptr<SampleArchive> open_npz(const std::string& path, const ColumnNames& columns,
                                        const NpzFile& file) {
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) return open_npz_file(path, columns);
  if (columns.given())
    throw ScenarioError(
        fmt::format("'{}' is a folder with a sample in each file, of which arrays cannot be named "
                    "('{}', '{}', '{}')",
                    path, columns.image, columns.label, columns.name),
        "name those of one .npz with all samples");
  return open_array_folder(path, file);
}

// Both read both.
template <const NpzFile& kFile>
PartMaker maker_of() {
  return {.format = {
              .opens =
                  [](std::string_view path, const ColumnNames& columns) {
                    return open_npz(std::string(path), columns, kFile);
                  },
              .create = [](const WriteOrder& order) { return create_array_folder(order, kFile); }}};
}

}  // namespace

namespace parts {

extern const PartDescription sample_format_npz_description{
    .kind = PartKind::sample_format,
    .name = "npz",
    .summary =
        "NumPy's .npz as numpy.savez writes it: one uncompressed array per file, one folder per "
        "class; or one file [samples, ...].",
    .stages = kReadAndParseStages,
    .holds = {.pixels = true, .volumes = true},
    .on_disk = {.made_as = "arrays",
                .files = FormatFiles::tree,
                .extensions = {".npz"},
                .signature = "PK\x03\x04",
                .begins =
                    [](std::string_view head) {
                      return zip::begins_with(std::as_bytes(std::span(head)), ".npy");
                    },
                .check_sums = true,
                .columns = true},
};
extern const PartDescription sample_format_npz_deflated_description{
    .kind = PartKind::sample_format,
    .name = "npz_deflated",
    .summary =
        "NumPy's .npz as numpy.savez_compressed writes it: one deflated array per file, one folder "
        "per class.",
    .stages = kReadAndParseStages,
    .holds = {.pixels = true, .volumes = true},
};

PartMaker sample_format_npz_maker() { return maker_of<kStored>(); }
PartMaker sample_format_npz_deflated_maker() { return maker_of<kDeflated>(); }

}  // namespace parts
}  // namespace benchbench
