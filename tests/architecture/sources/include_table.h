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

// A row of the table in harness/README.md of the folders of analysis: "rates", and for what lies in
// none of them "findings.h".
struct AnalysisRow {
  std::string folder;
  std::set<std::string> may_include;
};
// Lowest first, as they stand there.
std::vector<AnalysisRow> analysis_rows();
// As broken_includes(), of a file of analysis: by these rows.
std::vector<std::string> broken_in_analysis(const SourceFile& file,
                                            const std::vector<AnalysisRow>& rows);

// Folder -> folders it includes from.
using FolderGraph = std::map<std::string, std::set<std::string>>;
FolderGraph folder_graph(const std::vector<std::reference_wrapper<const SourceFile>>& files);
// One circle, "a -> b -> a"; empty where there is none.
std::string circle_in(const FolderGraph& graph);

}  // namespace benchbench::architecture
