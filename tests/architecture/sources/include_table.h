// Who may include whom: the table of the design, and what breaks it.
#pragma once
#include <map>
#include <set>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {

struct Row {
  std::set<std::string> folders;                   // of ours, besides its own
  std::set<std::string> libraries;                 // in .h and .cpp
  std::set<std::string> libraries_in_source = {};  // in .cpp only
};
using IncludeTable = std::map<std::string, Row>;

const IncludeTable& include_table();

// The library that a header in <> belongs to; "" for the C++ and C library and the system;
// kUnknownLibrary where it is none we know.
std::string library_of(const std::string& header);
inline constexpr std::string_view kUnknownLibrary = "unknown";

// "harness/x/y.cpp:3: includes ...": one line for each include that the table does not allow.
std::vector<std::string> broken_includes(const SourceFile& file, const IncludeTable& table);

// A row of the table in harness/README.md of a room's folders.
struct RoomRow {
  std::string name;          // "rates"; "findings.h" of the files that lie in none of them
  bool is_of_files = false;  // true of the latter
  std::set<std::string> may_include;
};
// Returns the rows of the table of a room ("analysis"), as they stand there: lowest first.
std::vector<RoomRow> room_rows(const std::string& room);
// Returns the includes of a file of that room that these rows forbid, as broken_includes() does.
std::vector<std::string> broken_in_room(const SourceFile& file, const std::string& room,
                                        const std::vector<RoomRow>& rows);

// Folder -> folders it includes from.
using FolderGraph = std::map<std::string, std::set<std::string>>;
FolderGraph folder_graph(const std::vector<std::reference_wrapper<const SourceFile>>& files);
// One circle, "a -> b -> a"; empty where there is none.
std::string circle_in(const FolderGraph& graph);

}  // namespace benchbench::architecture
