// Columns that a user names: of every format that has columns, those are read and no others.
#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "tests/scratch_folder.h"

namespace benchbench::test::columns_contract {
namespace {

// Parquet is in a module that need not be there.
const FormatPart* format_of(const PartRow& row) {
  if (row.description->kind != PartKind::sample_format || !row.description->on_disk.columns)
    return nullptr;
  try {
    return &built_in_catalog().maker(PartKind::sample_format, row.description->name).format;
  } catch (const DeviceError&) {
    return nullptr;
  }
}

std::string error_with(const FormatPart& format, const std::string& path,
                       const ColumnNames& columns) {
  try {
    format.open(path, columns);
  } catch (const ScenarioError& error) {
    return std::string(error.message());
  }
  return "";
}

TEST_CASE("columns: one that is named and is not there is an error that names it",
          "[contract][formats]") {
  const std::string folder = make_scratch_folder("columns");
  ::setenv("BENCHBENCH_CACHE", (folder + "/cache").c_str(), 1);
  for (const PartRow& row : built_in_catalog().rows()) {
    const FormatPart* format = format_of(row);
    if (!format) continue;
    INFO(row.description->name);
    PayloadSpec payload;
    if (!row.description->holds.images)
      payload = {DataKind::volume, DType::uint8, {.extent = {2, 3}, .rank = 2}};
    const std::string path = folder + "/" + std::string(row.description->name);
    const auto writer = format->create({path, 2, payload});
    const std::vector<std::byte> bytes(payload.encoded_image() ? 20 : 6, std::byte{0xFF});
    writer->add("a/1.jpg", 0, bytes);
    writer->add("b/2.jpg", 1, bytes);
    writer->finish();
    CHECK(error_with(*format, path, {}).empty());
    CHECK_THAT(error_with(*format, path, {.image = "not_there", .label = {}, .name = {}}),
               Catch::Contains("not_there"));
    CHECK_THAT(error_with(*format, path, {.image = {}, .label = "nowhere", .name = {}}),
               Catch::Contains("nowhere"));
    CHECK(error_with(*format, path, {}).empty());  // and no index of other columns is taken
  }
  ::unsetenv("BENCHBENCH_CACHE");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace benchbench::test::columns_contract
