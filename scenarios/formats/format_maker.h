// The maker of a format: a function that opens its data, and a class that writes them.
#pragma once
#include <memory>
#include <string>

#include "harness/core/error.h"
#include "harness/part/catalog.h"

namespace benchbench {

inline constexpr Stage kReadStage[] = {Stage::read};
inline constexpr Stage kReadAndParseStages[] = {Stage::read, Stage::parse};

// Opens by `kOpen`. A PartError becomes a ScenarioError: the user can do something about the data.
template <std::unique_ptr<SampleArchive> (*kOpen)(const std::string& path, const ColumnNames&)>
std::unique_ptr<SampleArchive> open_archive(std::string_view path, const ColumnNames& columns) try {
  return kOpen(std::string(path), columns);
} catch (const PartError& error) {
  throw ScenarioError(error.message(), error.hint());
}

template <class Writer>
std::unique_ptr<SampleWriter> create_writer(const WriteOrder& order) {
  return std::make_unique<Writer>(order);
}

template <std::unique_ptr<SampleArchive> (*kOpen)(const std::string& path, const ColumnNames&),
          class Writer>
PartMaker format_maker() {
  return {.format = {.opens = open_archive<kOpen>, .create = create_writer<Writer>}};
}

}  // namespace benchbench
