#include "tests/architecture/sources/include_table.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <regex>
#include <sstream>

namespace benchbench::architecture {
namespace {

std::set<std::string> with(std::set<std::string> folders, const std::set<std::string>& more) {
  folders.insert(more.begin(), more.end());
  return folders;
}

}  // namespace

const IncludeTable& include_table() {
  const std::set<std::string> core_part = {"harness/core", "harness/part"};
  const std::set<std::string> core_part_record = {"harness/core", "harness/part", "harness/record"};
  static const IncludeTable table = {
      {"harness/core", {{}, {}, {"fmt", "Boost.Context", "xxHash"}}},
      {"harness/part", {{"harness/core"}, {}, {"fmt"}}},
      {"harness/series", {{"harness/core"}, {}, {"fmt"}}},
      {"harness/record",
       {{"harness/core", "harness/part", "harness/series"}, {}, {"fmt", "nlohmann/json"}}},
      {"harness/device", {core_part, {}, {"fmt", "CUDA", "hwloc"}}},
      {"harness/cuda", {core_part, {}, {"fmt"}}},
      {"harness/dataset", {core_part_record, {}, {"fmt"}}},
      {"harness/config", {with(core_part_record, {"harness/dataset"}), {"yaml-cpp", "fmt"}, {}}},
      {"harness/plan", {with(core_part_record, {"harness/dataset"}), {}, {"fmt"}}},
      {"harness/pipeline", {core_part_record, {}, {"fmt"}}},
      {"harness/trial",
       {with(core_part_record, {"harness/series", "harness/device", "harness/cuda",
                                "harness/dataset", "harness/pipeline"}),
        {},
        {"fmt"}}},
      {"harness/process",
       {with(core_part_record, {"harness/series", "harness/device", "harness/dataset",
                                "harness/pipeline", "harness/trial"}),
        {},
        {"fmt", "MPI"}}},
      {"harness/analysis", {with(core_part_record, {"harness/series"}), {"Boost.Math"}, {"fmt"}}},
      {"harness/tune", {with(core_part_record, {"harness/analysis"}), {}, {"fmt"}}},
      {"harness/selftest",
       {with(core_part_record, {"harness/plan", "harness/trial", "harness/process",
                                "harness/device", "harness/analysis"}),
        {},
        {"fmt"}}},
      {"harness/hdf5", {{"harness/core"}, {"HDF5"}, {"fmt"}}},
      {"harness/store",
       {{"harness/core", "harness/record", "harness/series", "harness/hdf5"},
        {"nlohmann/json"},
        {"fmt"}}},
      // `list` and `describe` print what parts say of themselves: report reads their descriptions.
      {"harness/report",
       {with(core_part_record, {"harness/series", "harness/analysis", "harness/tune"}),
        {"nlohmann/json", "libdeflate"},
        {"fmt"}}},
      {"harness/micro",
       {{"harness/core", "harness/part", "harness/device", "harness/pipeline", "harness/trial",
         "harness/analysis"},
        {"Google Benchmark"},
        {"fmt"}}},
      {"harness/app",
       {with(core_part_record,
             {"harness/series", "harness/config", "harness/plan", "harness/dataset",
              "harness/pipeline", "harness/trial", "harness/process", "harness/analysis",
              "harness/selftest", "harness/hdf5", "harness/store", "harness/report",
              "harness/device", "harness/cuda", "harness/micro", "harness/tune"}),
        {"nlohmann/json", "fmt"}}},
      {"mocks", {core_part, {}, {"fmt", "CUDA"}}},
      {"scenarios/storage", {core_part, {"liburing"}, {"fmt"}}},
      {"scenarios/decode", {core_part, {"libjpeg-turbo", "libspng", "Highway"}, {"fmt"}}},
      {"scenarios/formats",
       {{"harness/core", "harness/part", "harness/hdf5", "scenarios/storage"},
        {"libdeflate", "zstd", "LMDB", "Arrow"},
        {"fmt", "nlohmann/json"}}},
      {"scenarios/synthesis", {core_part, {"libjpeg-turbo"}, {"fmt"}}},
      {"scenarios/preparation",
       {{"harness/core", "harness/part", "scenarios/decode", "scenarios/synthesis"}, {}, {"fmt"}}},
      {"scenarios/loaders",
       {{"harness/core", "harness/part", "scenarios/decode", "scenarios/storage"},
        {"libtorch"},
        {"fmt"}}},
      {"scenarios/python", {core_part, {"nlohmann/json"}, {"fmt"}}},
      // No fmt: torch brings its own copy of it, and two in one program are a mix-up waiting to
      // happen.
      {"scenarios/trainers", {core_part, {"libtorch"}}},
  };
  return table;
}

std::string library_of(const std::string& header) {
  static const std::pair<const char*, const char*> libraries[] = {
      {"fmt/", "fmt"},
      {"yaml-cpp/", "yaml-cpp"},
      {"nlohmann/", "nlohmann/json"},
      {"hdf5", "HDF5"},
      {"H5", "HDF5"},
      {"boost/context/", "Boost.Context"},
      {"boost/math/", "Boost.Math"},
      {"xxhash.h", "xxHash"},
      {"jpeglib.h", "libjpeg-turbo"},
      {"jerror.h", "libjpeg-turbo"},
      {"turbojpeg.h", "libjpeg-turbo"},
      {"spng.h", "libspng"},
      {"hwy/", "Highway"},
      {"ATen/", "libtorch"},
      {"c10/", "libtorch"},
      {"torch/", "libtorch"},
      {"benchmark/", "Google Benchmark"},
      {"cuda", "CUDA"},
      {"nvml", "CUDA"},
      {"hwloc", "hwloc"},
      {"mpi.h", "MPI"},
      {"liburing", "liburing"},
      {"libdeflate.h", "libdeflate"},
      {"zstd.h", "zstd"},
      {"lmdb.h", "LMDB"},
      {"arrow/", "Arrow"},
      {"parquet/", "Arrow"},
      {"catch2/", "Catch2"},
  };
  for (const auto& [prefix, library] : libraries)
    if (header.starts_with(prefix)) return library;
  // The C++ library has neither a dot nor a slash. Of the C library and the system, the headers we
  // know.
  if (header.find_first_of("./") == std::string::npos) return {};
  static const char* const system[] = {
      "sys/",      "linux/",   "sanitizer/",  "cpuid.h",  "cxxabi.h",  "dirent.h",
      "dlfcn.h",   "errno.h",  "fcntl.h",     "glob.h",   "grp.h",     "immintrin.h",
      "libgen.h",  "limits.h", "nmmintrin.h", "poll.h",   "pthread.h", "pwd.h",
      "sched.h",   "signal.h", "spawn.h",     "stdio.h",  "stdlib.h",  "string.h",
      "termios.h", "time.h",   "ucontext.h",  "unistd.h", "elf.h",     "link.h",
      "malloc.h",  "net/",     "netinet/",    "netdb.h",  "arpa/",     "ftw.h"};
  for (const char* const prefix : system)
    if (header.starts_with(prefix)) return {};
  return std::string(kUnknownLibrary);
}

namespace {

std::string told(const SourceFile& file, const Include& include, const std::string& what) {
  return file.path + ":" + std::to_string(include.line) + ": " + what;
}

// What is wrong with an include of a library; empty where nothing is.
std::string broken_library(const SourceFile& file, const Row& row, const Include& include) {
  const std::string library = library_of(include.path);
  if (library.empty() || row.libraries.contains(library)) return {};
  if (library == kUnknownLibrary)
    return told(
        file, include,
        "<" + include.path + "> belongs to no library this test knows: add it to library_of()");
  const std::string folder = folder_of(file.path);
  if (!row.libraries_in_source.contains(library))
    return told(file, include, folder + " may not use " + library + " (<" + include.path + ">)");
  return file.is_header()
             ? told(file, include, folder + " may use " + library + " in .cpp files only")
             : "";
}

std::string broken_folder(const SourceFile& file, const Row& row, const Include& include) {
  const std::string from = folder_of(file.path);
  const std::string to = folder_of(include.path);
  if (to == from || row.folders.contains(to)) return {};
  if (!include_table().contains(to))
    return told(file, include,
                "\"" + include.path + "\" is not a path from the root of the repository");
  return told(file, include, from + " may not include " + to + " (\"" + include.path + "\")");
}

}  // namespace

std::vector<std::string> broken_includes(const SourceFile& file, const IncludeTable& table) {
  const auto row = table.find(folder_of(file.path));
  if (row == table.end()) return {file.path + ": its folder has no row in the include table"};
  std::vector<std::string> broken;
  for (const Include& include : file.includes) {
    std::string what = include.angled ? broken_library(file, row->second, include)
                                      : broken_folder(file, row->second, include);
    if (!what.empty()) broken.push_back(std::move(what));
  }
  return broken;
}

namespace {

constexpr std::string_view kAllAbove = "all above";

// "rates" of "harness/analysis/rates/x.h"; "" of a file of the room itself, and of another room's.
std::string folder_below(const std::string& room, std::string_view path) {
  if (!path.starts_with("harness/" + room + "/")) return {};
  path.remove_prefix(room.size() + 9);
  const std::size_t end = path.find('/');
  return end == std::string_view::npos ? "" : std::string(path.substr(0, end));
}

// Returns the row of a file of the room; none if its folder has no row, or it is another room's.
std::vector<RoomRow>::const_iterator find_row(const std::string& room,
                                              const std::vector<RoomRow>& rows,
                                              const std::string& path) {
  if (!path.starts_with("harness/" + room + "/")) return rows.end();
  const std::string folder = folder_below(room, path);
  return std::ranges::find_if(rows, [&](const RoomRow& row) {
    return folder.empty() ? row.is_of_files : row.name == folder;
  });
}

// The names in a cell: "statistics, rates".
std::set<std::string> names_in(const std::string& cell, const std::vector<RoomRow>& above) {
  std::set<std::string> names;
  if (cell == kAllAbove)
    for (const RoomRow& row : above) names.insert(row.name);
  else
    for (const auto name : std::views::split(std::string_view(cell), std::string_view(", ")))
      if (!name.empty()) names.emplace(name.begin(), name.end());
  return names;
}

}  // namespace

std::vector<RoomRow> room_rows(const std::string& room) {
  static const std::regex line(R"(\| `([a-z_.]+)(/?)` \| [^|]* \| (?:([^|]*) )?\|)");
  std::istringstream text(read_source("harness/README.md"));
  std::vector<RoomRow> rows;
  bool here = false;
  for (std::string read; std::getline(text, read);) {
    if (read.starts_with("#")) here = read == "### The folders of " + room;
    std::smatch row;
    if (here && std::regex_match(read, row, line))
      rows.push_back({row[1], row[2].length() == 0, names_in(row[3], rows)});
  }
  return rows;
}

std::vector<std::string> broken_in_room(const SourceFile& file, const std::string& room,
                                        const std::vector<RoomRow>& rows) {
  const auto from = find_row(room, rows, file.path);
  if (from == rows.end()) return {file.path + ": its folder has no row in harness/README.md"};
  std::vector<std::string> broken;
  for (const Include& include : file.includes) {
    const auto to = find_row(room, rows, include.path);
    if (to != rows.end() && to != from && !from->may_include.contains(to->name))
      broken.push_back(
          told(file, include,
               from->name + " may not include " + to->name + " (\"" + include.path + "\")"));
  }
  return broken;
}

FolderGraph folder_graph(const std::vector<std::reference_wrapper<const SourceFile>>& files) {
  FolderGraph graph;
  for (const SourceFile& file : files)
    for (const Include& include : file.includes) {
      const std::string from = folder_of(file.path);
      const std::string to = include.angled ? "" : folder_of(include.path);
      if (!to.empty() && to != from) graph[from].insert(to);
    }
  return graph;
}

std::string circle_in(const FolderGraph& graph) {
  std::set<std::string> cleared;
  std::vector<std::string> path;
  std::string circle;
  const std::function<void(const std::string&)> visit = [&](const std::string& folder) {
    const auto again = std::find(path.begin(), path.end(), folder);
    if (again != path.end()) {
      for (auto it = again; it != path.end(); ++it) circle += *it + " -> ";
      circle += folder;
    }
    if (!circle.empty() || cleared.contains(folder)) return;
    path.push_back(folder);
    if (const auto next = graph.find(folder); next != graph.end())
      for (const std::string& to : next->second)
        if (circle.empty()) visit(to);
    path.pop_back();
    cleared.insert(folder);
  };
  for (const auto& [folder, next] : graph)
    if (circle.empty()) visit(folder);
  return circle;
}

}  // namespace benchbench::architecture
