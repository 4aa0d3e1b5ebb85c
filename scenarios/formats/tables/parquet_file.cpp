#include "scenarios/formats/tables/parquet_file.h"

#include <arrow/io/file.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <parquet/column_reader.h>
#include <parquet/column_writer.h>
#include <parquet/file_reader.h>
#include <parquet/file_writer.h>
#include <parquet/schema.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "harness/core/error.h"
#include "scenarios/storage/read_file.h"

namespace benchbench::parquet_format {
namespace {

constexpr std::int64_t kBatch = 1024;
constexpr std::uint64_t kMaxGroupBytes = 4ull << 30;

// What Arrow throws never leaves this file.
template <class E, class Do>
auto translated(const std::string& path, Do action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.message().find(path) != std::string_view::npos) throw;
    throw E(fmt::format("'{}': {}", path, error.message()), error.hint());
  } catch (const std::exception& error) {
    throw E(fmt::format("'{}': {}", path, error.what()));
  }
}

// -1 where there is none.
int find_column(const parquet::SchemaDescriptor& schema, const std::vector<std::string>& names,
                std::initializer_list<parquet::Type::type> types) {
  for (const std::string& name : names) {
    for (int i = 0; i < schema.num_columns(); ++i) {
      const parquet::ColumnDescriptor* column = schema.Column(i);
      if (column->max_repetition_level() == 0 && column->path()->ToDotString() == name &&
          std::ranges::find(types, column->physical_type()) != types.end())
        return i;
    }
  }
  return -1;
}

std::string columns_of(const parquet::SchemaDescriptor& schema) {
  std::string text;
  for (int i = 0; i < std::min(schema.num_columns(), 16); ++i)
    text += fmt::format("{}{} ({})", i ? ", " : "", schema.Column(i)->path()->ToDotString(),
                        parquet::TypeToString(schema.Column(i)->physical_type()));
  return text;
}

// The column that is named, or a customary one. `what` it has to hold is for messages.
int choose_column(const parquet::SchemaDescriptor& schema, std::string_view named,
                  const std::vector<std::string>& customary, std::string_view what,
                  std::initializer_list<parquet::Type::type> types) {
  if (named.empty()) return find_column(schema, customary, types);
  const std::string name(named);
  // Hugging Face's images are a struct of bytes and path.
  const int found = find_column(schema, {name, name + ".bytes"}, types);
  if (found >= 0) return found;
  throw PartError(
      fmt::format("it has no column '{}' of {}; its columns: {}", name, what, columns_of(schema)));
}

// `take(value)` for every row, with a value of nothing where the row has none.
template <class Type, class Take>
void for_each_value(parquet::RowGroupReader& group, int column, std::int64_t rows, Take take) {
  const auto reader = group.Column(column);
  auto& typed = dynamic_cast<parquet::TypedColumnReader<Type>&>(*reader);
  const std::int16_t present = reader->descr()->max_definition_level();
  std::vector<std::int16_t> levels(kBatch);
  std::vector<typename Type::c_type> values(kBatch);
  std::int64_t seen = 0;
  while (typed.HasNext()) {
    std::int64_t values_read = 0;
    const std::int64_t read =
        typed.ReadBatch(kBatch, levels.data(), nullptr, values.data(), &values_read);
    if (read == 0 && values_read == 0) break;
    const std::int64_t count = present == 0 ? values_read : read;
    for (std::int64_t i = 0, at = 0; i < count; ++i)
      take(present == 0 || levels[static_cast<std::size_t>(i)] == present
               ? values[static_cast<std::size_t>(at++)]
               : typename Type::c_type{});
    seen += count;
  }
  if (seen != rows)
    throw PartError(fmt::format("a column has {} values instead of {}", seen, rows));
}

void append(Values& values, const parquet::ByteArray& value) {
  if (values.bytes.size() + value.len > kMaxGroupBytes)
    throw PartError("a row group of more than 4 GiB");
  values.add({reinterpret_cast<const std::byte*>(value.ptr), value.len});
}

void read_values(parquet::RowGroupReader& group, int column, std::int64_t rows, Values& values) {
  values.clear();
  for_each_value<parquet::ByteArrayType>(
      group, column, rows, [&](const parquet::ByteArray& value) { append(values, value); });
}

parquet::ByteArray as_value(ByteSpan bytes) {
  return {static_cast<std::uint32_t>(bytes.size()),
          reinterpret_cast<const std::uint8_t*>(bytes.data())};
}

void write_values(parquet::RowGroupWriter& group, const Values& values) {
  auto& column = dynamic_cast<parquet::ByteArrayWriter&>(*group.NextColumn());
  for (std::size_t row = 0; row < values.ends.size(); ++row) {
    const parquet::ByteArray value = as_value(values[row]);
    column.WriteBatch(1, nullptr, nullptr, &value);
  }
  column.Close();
}

std::shared_ptr<parquet::schema::GroupNode> schema_of_ours() {
  using parquet::Repetition;
  using parquet::schema::PrimitiveNode;
  const parquet::schema::NodeVector columns{
      PrimitiveNode::Make("image", Repetition::REQUIRED, parquet::Type::BYTE_ARRAY),
      PrimitiveNode::Make("label", Repetition::REQUIRED, parquet::Type::INT64),
      PrimitiveNode::Make("name", Repetition::REQUIRED, parquet::LogicalType::String(),
                          parquet::Type::BYTE_ARRAY)};
  return std::static_pointer_cast<parquet::schema::GroupNode>(
      parquet::schema::GroupNode::Make("schema", Repetition::REQUIRED, columns));
}

}  // namespace

File::File(const std::string& path, const ColumnNames& columns) : path_(path) {
  ReadFile::open(path.c_str());  // a pipe or a device is refused here, in words
  translated<PartError>(path, [&] {
    parquet::ReaderProperties properties;
    properties.set_page_checksum_verification(true);
    reader_ = parquet::ParquetFileReader::OpenFile(path, /*memory_map=*/false, properties);
    groups_ = reader_->metadata()->num_row_groups();
    const parquet::SchemaDescriptor& schema = *reader_->metadata()->schema();
    image_ = choose_column(
        schema, columns.image,
        {"image", "image.bytes", "img", "img.bytes", "jpg", "jpg.bytes", "jpeg", "image_bytes"},
        "encoded images", {parquet::Type::BYTE_ARRAY});
    label_ = choose_column(schema, columns.label,
                           {"label", "labels", "cls", "class", "target", "fine_label"},
                           "whole numbers", {parquet::Type::INT64, parquet::Type::INT32});
    name_ = choose_column(schema, columns.name,
                          {"name", "filename", "__key__", "image.path", "img.path", "path"}, "text",
                          {parquet::Type::BYTE_ARRAY});
    if (image_ >= 0) return;
    throw PartError(
        fmt::format("'{}' has no column of encoded images; its columns: {}", path,
                    columns_of(schema)),
        "expected one of image, image.bytes, img, img.bytes, jpg, jpg.bytes, jpeg, image_bytes; or "
        "name it: dataset.columns: {image: NAME}");
  });
}

File::~File() = default;

std::uint64_t File::rows(int group) const {
  return translated<PartError>(path_, [&] {
    const std::int64_t rows = reader_->metadata()->RowGroup(group)->num_rows();
    if (rows < 0 || rows > std::numeric_limits<std::int32_t>::max())
      throw PartError(fmt::format("'{}' has a row group of {} rows", path_, rows));
    return static_cast<std::uint64_t>(rows);
  });
}

std::uint64_t File::images(int group, Values& values) const {
  const auto count = static_cast<std::int64_t>(rows(group));
  return translated<PartError>(path_, [&] {
    read_values(*reader_->RowGroup(group), image_, count, values);
    const auto bytes =
        reader_->metadata()->RowGroup(group)->ColumnChunk(image_)->total_compressed_size();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
  });
}

std::vector<std::int64_t> File::labels(int group) const {
  std::vector<std::int64_t> labels;
  if (label_ < 0) return labels;
  const auto count = static_cast<std::int64_t>(rows(group));
  const auto take = [&](std::int64_t label) { labels.push_back(label); };
  translated<PartError>(path_, [&] {
    const auto reader = reader_->RowGroup(group);
    if (reader_->metadata()->schema()->Column(label_)->physical_type() == parquet::Type::INT64)
      for_each_value<parquet::Int64Type>(*reader, label_, count, take);
    else
      for_each_value<parquet::Int32Type>(*reader, label_, count, take);
  });
  return labels;
}

Values File::names(int group) const {
  Values names;
  if (name_ < 0) return names;
  const auto count = static_cast<std::int64_t>(rows(group));
  translated<PartError>(path_,
                        [&] { read_values(*reader_->RowGroup(group), name_, count, names); });
  return names;
}

struct FileWriter::State {
  std::string path;
  std::shared_ptr<arrow::io::FileOutputStream> file;
  std::unique_ptr<parquet::ParquetFileWriter> writer;
};

FileWriter::FileWriter(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  translated<ScenarioError>(path, [&] {
    auto file = arrow::io::FileOutputStream::Open(path);
    if (!file.ok())
      throw ScenarioError(fmt::format("cannot write '{}': {}", path, file.status().ToString()));
    state_->file = *file;
    // Images neither compress nor repeat, and their smallest and largest are of no use in a footer.
    const auto properties = parquet::WriterProperties::Builder()
                                .disable_dictionary()
                                ->disable_statistics("image")
                                ->enable_page_checksum()
                                ->created_by("benchbench")
                                ->build();
    state_->writer = parquet::ParquetFileWriter::Open(state_->file, schema_of_ours(), properties);
  });
}

FileWriter::~FileWriter() {
  try {
    state_.reset();
  } catch (const std::exception&) {  // what was dropped need not be whole
  }
}

void FileWriter::group(const Values& images, std::span<const std::int64_t> labels,
                       const Values& names) {
  translated<ScenarioError>(state_->path, [&] {
    parquet::RowGroupWriter* group = state_->writer->AppendRowGroup();
    write_values(*group, images);
    auto& column = dynamic_cast<parquet::Int64Writer&>(*group->NextColumn());
    column.WriteBatch(static_cast<std::int64_t>(labels.size()), nullptr, nullptr, labels.data());
    column.Close();
    write_values(*group, names);
    group->Close();
  });
}

void FileWriter::finish() {
  translated<ScenarioError>(state_->path, [&] {
    state_->writer->Close();
    const int file = state_->file->file_descriptor();
    if (::fdatasync(file) != 0) throw ScenarioError(fmt::format("cannot write '{}'", state_->path));
    if (const auto closed = state_->file->Close(); !closed.ok())
      throw ScenarioError(fmt::format("cannot write '{}': {}", state_->path, closed.ToString()));
  });
}

}  // namespace benchbench::parquet_format
