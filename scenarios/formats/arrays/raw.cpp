// One file of raw records behind each other, each beginning at a multiple of 4096 bytes: nothing to
// parse, whole records by one aligned read, mappable. Its layout is in raw_header.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"
#include "scenarios/formats/arrays/array_payload.h"
#include "scenarios/formats/arrays/raw_header.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/placed_writer.h"
#include "scenarios/formats/table_archive.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {
namespace {

constexpr std::uint64_t kMaxTables = 16ull << 30;

// The columns of the tables, by their place.
class Tables {
 public:
  Tables(const raw::Header& header, std::string_view bytes) : header_(header), bytes_(bytes) {
    const std::uint64_t n = header.samples;
    const bool varied = header.record_bytes == 0;
    labels_ = varied ? 16 * n : 0;
    named_ = bytes.size() / 8 >= (varied ? 4 : 2) * n;
    ends_ = labels_ + 8 * n;
    names_ = ends_ + 8 * n;
  }
  std::uint64_t offset(std::uint64_t i) const {
    return header_.record_bytes ? header_.alignment + i * header_.record_bytes : number_at(8 * i);
  }
  std::uint64_t length(std::uint64_t i) const {
    return header_.record_bytes ? array_bytes(header_.payload)
                                : number_at(8 * (header_.samples + i));
  }
  std::int64_t label(std::uint64_t i) const {
    return static_cast<std::int64_t>(number_at(labels_ + 8 * i));
  }
  std::string name(std::uint64_t i) const {
    if (!named_) return fmt::format("sample {}", i);
    const std::uint64_t begin = i == 0 ? 0 : number_at(ends_ + 8 * (i - 1));
    const std::uint64_t end = number_at(ends_ + 8 * i);
    if (begin > end || end > bytes_.size() - names_)
      throw PartError(fmt::format("the name of sample {} is out of bounds", i));
    return std::string(bytes_.substr(names_ + begin, end - begin));
  }

 private:
  std::uint64_t number_at(std::uint64_t at) const { return little_endian(bytes_.substr(at, 8)); }

  const raw::Header& header_;
  std::string_view bytes_;
  bool named_ = false;
  std::uint64_t labels_ = 0, ends_ = 0, names_ = 0;
};

SampleTable table_of(const raw::Header& header, std::string_view bytes) {
  const Tables tables(header, bytes);
  SampleTable table;
  for (std::uint64_t i = 0; i < header.samples; ++i) {
    const std::uint64_t offset = tables.offset(i), length = tables.length(i);
    if (offset % header.alignment != 0 || offset < header.alignment || offset > header.tables_at ||
        length > header.tables_at - offset)
      throw PartError(
          fmt::format("record {} is at {} + {}, outside the records", i, offset, length));
    const std::int64_t label = tables.label(i);
    if (!is_label(label)) throw PartError(fmt::format("label {} of record {}", label, i));
    table.add(tables.name(i), label, offset, length);
  }
  return table;
}

std::unique_ptr<SampleArchive> open_raw(const std::string& path, const ColumnNames&) try {
  const ReadFile file = ReadFile::open(path.c_str());
  std::array<std::byte, raw::kHeaderBytes> head{};
  const auto there = std::span(head).first(std::min<std::uint64_t>(head.size(), file.size()));
  file.read_at(0, there, path);
  const raw::Header header = raw::parse(there, file.size());
  if (header.tables_bytes > kMaxTables)
    throw PartError(fmt::format("tables of {} bytes", header.tables_bytes));
  std::string tables(header.tables_bytes, '\0');
  file.read_at(header.tables_at, std::as_writable_bytes(std::span(tables)), path);
  if (!raw::digest_fits(header, there, tables))
    throw PartError("its header or its tables are damaged: wrong digest");
  return std::make_unique<TableArchive>(TableArchive::Parts{
      .files = {path}, .table = table_of(header, tables), .payload = header.payload});
} catch (const PartError& error) {
  throw ScenarioError(fmt::format("'{}': {}", path, error.message()), error.hint());
}

class RawWriter final : public PlacedWriter {
 public:
  explicit RawWriter(const WriteOrder& order)
      : PlacedWriter(order), file_(WriteFile::create(place_.beside())) {
    header_.payload = order.payload;
    if (!order.payload.encoded_image()) header_.record_bytes = up(array_bytes(order.payload));
    file_.write_zeros(header_.alignment);
  }

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    if (header_.record_bytes) require_array(payload, header_.payload, name);
    put_little_endian(offsets_, file_.size());
    put_little_endian(lengths_, payload.size());
    put_little_endian(labels_, static_cast<std::uint64_t>(label));
    names_ += name;
    put_little_endian(ends_, names_.size());
    file_.write(payload);
    file_.write_zeros(up(file_.size()) - file_.size());
  }

  void complete() override {
    header_.samples = added_;
    header_.tables_at = file_.size();
    const std::string tables =
        (header_.record_bytes ? "" : offsets_ + lengths_) + labels_ + ends_ + names_;
    header_.tables_bytes = tables.size();
    file_.write(tables);
    file_.write_at(0, raw::text_of(header_, tables));
    file_.close(/*sync=*/true);
  }

  std::uint64_t up(std::uint64_t bytes) const {
    return (bytes + header_.alignment - 1) / header_.alignment * header_.alignment;
  }

  WriteFile file_;
  raw::Header header_;
  std::string offsets_, lengths_, labels_, ends_, names_;
};

}  // namespace

namespace parts {

extern const PartDescription sample_format_raw_description{
    .kind = PartKind::sample_format,
    .name = "raw",
    .summary =
        "One file of records aligned to 4096 bytes, with nothing to parse: encoded or decoded "
        "images, volumes.",
    .stages = kReadStage,
    .holds = {.images = true, .pixels = true, .volumes = true},
    .on_disk = {.extensions = {".raw"}, .signature = raw::kMagic, .standard_of = {.pixels = true}},
};

PartMaker sample_format_raw_maker() { return format_maker<open_raw, RawWriter>(); }

}  // namespace parts
}  // namespace benchbench
