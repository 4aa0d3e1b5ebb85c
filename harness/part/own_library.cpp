#include "harness/part/own_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>

#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/part/child_probe.h"
#include "harness/part/own_part.h"

namespace benchbench {
namespace {

// Libraries that are loaded, newest first; entries live as long as the process.
struct Library {
  std::string path;
  std::vector<PartDescription> descriptions;
  std::vector<PartRow> rows;
  const Library* next = nullptr;
};
std::atomic<const Library*> loaded_libraries{nullptr};

const Library* find_library(std::string_view path) noexcept {
  const Library* entry = loaded_libraries.load(std::memory_order_acquire);
  while (entry && entry->path != path) entry = entry->next;
  return entry;
}

void* opened(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed))
    throw ScenarioError(fmt::format("there is no library {}", path),
                        "a relative path begins at the scenario file's folder, on the command line "
                        "at the working directory");
  // A bare name would be looked for among the system's libraries.
  const std::string whole = std::filesystem::absolute(path).string();
  void* const handle = dlopen(whole.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle) return handle;
  const char* why = dlerror();
  throw ScenarioError(
      fmt::format("{} cannot be loaded as a library: {}", path, why ? why : "no reason given"));
}

// A number, not a call: what another version's functions expect is not known.
void require_same_interface(const std::string& path, void* handle) {
  const auto* number =
      static_cast<const std::uint32_t*>(dlsym(handle, "benchbench_part_interface"));
  if (!number)
    throw ScenarioError(
        fmt::format("{} is a library without parts: it exports no benchbench_part_interface", path),
        "end one of its sources with BENCHBENCH_PARTS(...) of harness/part/own_part.h");
  if (*number != kPartInterface)
    throw ScenarioError(
        fmt::format("{} was built for interface {} of parts, and this program has {}", path,
                    *number, kPartInterface),
        "build it with the headers of this program's version");
}

const OwnParts& exported_parts(const std::string& path, void* handle) {
  using Entry = const OwnParts* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "benchbench_parts"));
  const OwnParts* parts = entry ? entry() : nullptr;
  if (!parts || !parts->parts || parts->count == 0)
    throw ScenarioError(fmt::format("{} is a library without parts", path),
                        "name them in BENCHBENCH_PARTS(...)");
  return *parts;
}

std::string called(const PartDescription& part) {
  return fmt::format("{} {}", name_of(part.kind), part.name);
}

// A loader or a trainer that can be made, at most one of each: `use:` names the library alone.
void check_part(const std::string& path, const OwnPart& part, const Library& before) {
  if (!part.description) throw ScenarioError(fmt::format("{}: a part has no description", path));
  const PartDescription& d = *part.description;
  const bool made = (d.kind == PartKind::loader && part.maker.loader) ||
                    (d.kind == PartKind::trainer && part.maker.trainer);
  if (!made || d.external)
    throw ScenarioError(
        fmt::format("{}: {} is neither a loader with a loader's maker nor a "
                    "trainer with a trainer's",
                    path, called(d)));
  for (const PartDescription& other : before.descriptions)
    if (other.kind == d.kind)
      throw ScenarioError(fmt::format("{} has {} and {}: a library has at most one of a kind", path,
                                      called(other), called(d)));
}

const Library& load(const std::string& path) {
  void* const handle = opened(path);
  require_same_interface(path, handle);
  const OwnParts& parts = exported_parts(path, handle);
  auto library = std::make_unique<Library>();
  library->path = path;
  for (const OwnPart& part : std::span(parts.parts, parts.count)) {
    check_part(path, part, *library);
    library->descriptions.push_back(*part.description);
  }
  for (std::size_t i = 0; i < parts.count; ++i) {
    library->descriptions[i].name = library->path;
    library->rows.push_back({&library->descriptions[i], parts.parts[i].maker, ""});
  }
  // Two threads that load one path get the same library twice, which does no harm.
  library->next = loaded_libraries.load(std::memory_order_relaxed);
  while (!loaded_libraries.compare_exchange_weak(library->next, library.get(),
                                                 std::memory_order_acq_rel)) {
  }
  return *library.release();
}

const Library& library_at(const std::string& path) {
  const Library* known = find_library(path);
  return known ? *known : load(path);
}

const PartRow* row_in(const Library& library, PartKind kind) noexcept {
  for (const PartRow& row : library.rows)
    if (row.description->kind == kind) return &row;
  return nullptr;
}

}  // namespace

bool is_library(std::string_view use) noexcept {
  return use.find('/') != use.npos || use.ends_with(".so");
}

std::span<const PartRow> library_parts(const std::string& path) { return library_at(path).rows; }

const PartRow& library_part(PartKind kind, const std::string& path) {
  const Library& library = library_at(path);
  if (const PartRow* row = row_in(library, kind)) return *row;
  throw ScenarioError(fmt::format("{} has no {}; it has a {}", path, name_of(kind),
                                  name_of(library.rows.front().description->kind)));
}

const PartRow* find_library_part(PartKind kind, std::string_view path) noexcept {
  const Library* library = find_library(path);
  return library ? row_in(*library, kind) : nullptr;
}

// The child writes the message and the hint, a line each, where the library is refused.
void try_library(const std::string& path) {
  const ChildAnswer answer =
      answer_of_child({kOwnProgram, "probe-module", path}, std::chrono::seconds{30});
  if (answer.why.empty()) return;
  const std::size_t end = answer.words.find('\n');
  if (answer.words.substr(0, end) != answer.why)
    throw ScenarioError(fmt::format("{}: {}", path, answer.why));
  const std::string rest = end == std::string::npos ? "" : answer.words.substr(end + 1);
  throw ScenarioError(answer.why, rest.substr(0, rest.find('\n')));
}

}  // namespace benchbench
