// One Parquet file's rows: the column of images by row groups, labels and names of all rows.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/part/loader.h"

namespace parquet {
class ParquetFileReader;
class RowGroupReader;
}  // namespace parquet

namespace benchbench::parquet_format {

// Values end to end.
struct Values {
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> ends;
  ByteSpan operator[](std::uint64_t row) const {
    const std::uint64_t begin = row == 0 ? 0 : ends[row - 1];
    return std::span(bytes).subspan(begin, ends[row] - begin);
  }
  void add(ByteSpan value) {
    bytes.insert(bytes.end(), value.begin(), value.end());
    ends.push_back(bytes.size());
  }
  void clear() {
    bytes.clear();
    ends.clear();
  }
};

// Every failure is a PartError with the file's name, also of a column that is named and not there.
class File {
 public:
  File(const std::string& path, const ColumnNames& columns);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int groups() const noexcept { return groups_; }
  std::uint64_t rows(int group) const;
  // The images of a row group, into what `values` has room for already. How many bytes were read.
  std::uint64_t images(int group, Values& values) const;
  // Empty where there is no such column.
  std::vector<std::int64_t> labels(int group) const;
  Values names(int group) const;

 private:
  std::string path_;
  std::unique_ptr<parquet::ParquetFileReader> reader_;
  int groups_ = 0, image_ = -1, label_ = -1, name_ = -1;
};

// Writes columns image (binary), label (int64), name (string), a row group at a time.
// ScenarioError.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  void group(const Values& images, std::span<const std::int64_t> labels, const Values& names);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace benchbench::parquet_format
