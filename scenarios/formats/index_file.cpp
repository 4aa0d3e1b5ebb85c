#include "scenarios/formats/index_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/core/files/little_endian.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {
namespace {

constexpr std::string_view kMagic = "BBINDEX2";
constexpr std::uint64_t kMaxBytes = 8ull << 30;

void put_text(std::string& to, std::string_view text) {
  put_little_endian(to, text.size());
  to.append(text);
}

// Takes what was put; after the end everything is empty and ok() false.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : rest_(bytes) {}
  bool ok() const noexcept { return ok_; }
  bool at_end() const noexcept { return rest_.empty(); }
  std::string_view take(std::uint64_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return {};
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  std::uint64_t number() { return little_endian(take(8)); }
  std::string_view text() { return take(number()); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

void put_row(std::string& body, const SampleTable& table, SampleId id) {
  put_text(body, table.name(id));
  put_little_endian(body, static_cast<std::uint64_t>(table.label(id)));
  put_little_endian(body, table.offset(id));
  put_little_endian(body, table.length(id));
  put_little_endian(body, table.shard(id));
}

std::string body_of(const ArchiveIndex& index) {
  std::string body;
  put_text(body, index.made_of);
  put_text(body, index.remark);
  put_little_endian(body, index.shards.size());
  for (const std::string& shard : index.shards) put_text(body, shard);
  put_little_endian(body, index.table.size());
  for (SampleId id = 0; id < index.table.size(); ++id) put_row(body, index.table, id);
  return body;
}

std::optional<ArchiveIndex> index_of(std::string_view body, std::string_view made_of) {
  Taker taker(body);
  ArchiveIndex index;
  index.made_of = taker.text();
  if (index.made_of != made_of) return std::nullopt;
  index.remark = taker.text();
  for (std::uint64_t left = taker.number(); left > 0 && taker.ok(); --left)
    index.shards.emplace_back(taker.text());
  for (std::uint64_t left = taker.number(); left > 0 && taker.ok(); --left) {
    const std::string_view name = taker.text();
    const auto label = static_cast<std::int64_t>(taker.number());
    const std::uint64_t offset = taker.number();
    const std::uint64_t length = taker.number();
    const std::uint64_t shard = taker.number();
    if (shard >= index.shards.size() && !index.shards.empty()) return std::nullopt;
    index.table.add(name, label, offset, length, static_cast<std::uint32_t>(shard));
  }
  if (!taker.ok() || !taker.at_end()) return std::nullopt;
  return index;
}

// What lies behind magic and digest, where they are right.
std::optional<std::string_view> whole_body(std::string_view bytes) {
  Taker head(bytes);
  if (head.take(kMagic.size()) != kMagic) return std::nullopt;
  const Digest kept{.high = head.number(), .low = head.number()};
  const std::string_view body = bytes.substr(std::min(bytes.size(), kMagic.size() + 16));
  if (!head.ok() || digest_of(body) != kept) return std::nullopt;
  return body;
}

// False where it could not be, and nothing is left of it.
bool write_all(const std::string& path, std::string_view body) {
  std::filesystem::remove(path);  // a link of that name is not followed
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  std::string head(kMagic);
  const Digest digest = digest_of(body);
  put_little_endian(head, digest.high);
  put_little_endian(head, digest.low);
  file << head << body;
  file.close();
  if (!file) std::filesystem::remove(path);
  return bool(file);
}

}  // namespace

bool write_index(const std::string& path, const ArchiveIndex& index) noexcept try {
  const std::string beside = path + ".partial-" + std::to_string(::getpid());
  std::filesystem::create_directories(std::filesystem::absolute(path).parent_path());
  if (!write_all(beside, body_of(index))) return false;
  std::filesystem::rename(beside, path);
  return true;
} catch (const std::exception&) {
  return false;
}

std::optional<ArchiveIndex> read_index(const std::string& path, std::string_view made_of) {
  if (path.empty() || ::access(path.c_str(), R_OK) != 0) return std::nullopt;
  try {
    const std::string bytes = read_small_file(path, kMaxBytes);
    const auto body = whole_body(bytes);
    return body ? index_of(*body, made_of) : std::nullopt;
  } catch (const PartError&) {
    return std::nullopt;  // an unreadable index only costs the walk
  }
}

std::optional<ArchiveIndex> read_only_index(const std::string& path, std::string_view made_of) try {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return std::nullopt;
  const std::string bytes = read_small_file(path, kMaxBytes);
  const auto body = whole_body(bytes);
  if (!body) throw PartError(fmt::format("the index '{}' is damaged", path));
  return index_of(*body, made_of);
} catch (const PartError& error) {
  throw ScenarioError(
      fmt::format("{}: it alone holds the order, names and labels of the samples", error.message()),
      "remove it to derive them from the file names");
}

std::string kept_index_path(std::string_view archive_path) {
  const std::string folder = users_cache_folder();
  if (folder.empty()) return {};
  const std::string absolute = std::filesystem::absolute(archive_path).lexically_normal();
  return folder + "/index/" + digest_of(absolute).text();
}

}  // namespace benchbench
