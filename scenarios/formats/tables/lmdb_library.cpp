#include "scenarios/formats/tables/lmdb_library.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>

#include "harness/core/error.h"

namespace benchbench::lmdb {
namespace {

constexpr std::uint64_t kTransactionBytes = 64ull << 20;  // stay in memory until they are committed
constexpr unsigned kFileMode = 0644;

std::string complaint(std::string_view path, std::string_view doing, int error) {
  return fmt::format("cannot {} '{}': {}", doing, path, mdb_strerror(error));
}

void read_check(int error, std::string_view path, std::string_view doing) {
  if (error != MDB_SUCCESS) throw PartError(complaint(path, doing, error));
}
void write_check(int error, std::string_view path) {
  if (error != MDB_SUCCESS) throw ScenarioError(complaint(path, "write", error));
}

const char* path_of(MDB_env* environment) {
  const char* path = "";
  mdb_env_get_path(environment, &path);
  return path;
}

std::uint64_t used_bytes(MDB_env* environment) {
  MDB_envinfo info{};
  MDB_stat stat{};
  mdb_env_info(environment, &info);
  mdb_env_stat(environment, &stat);
  return (info.me_last_pgno + 1) * std::uint64_t{stat.ms_psize};
}

// The mapping that an address lies in; empty where nobody can tell.
ByteSpan mapping_of(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    const auto first = std::from_chars(line.data(), line.data() + line.size(), begin, 16);
    if (first.ec != std::errc() || *first.ptr != '-') continue;
    std::from_chars(first.ptr + 1, line.data() + line.size(), end, 16);
    if (begin <= wanted && wanted < end)
      return {reinterpret_cast<const std::byte*>(begin), end - begin};
  }
  return {};
}

Environment make_environment() {
  MDB_env* environment = nullptr;
  const int error = mdb_env_create(&environment);
  if (error != MDB_SUCCESS) throw PartError(complaint("LMDB", "start", error));
  return Environment(environment);
}

MDB_val as_key(const std::string& key) { return {key.size(), const_cast<char*>(key.data())}; }

}  // namespace

Environment open_to_read(const std::string& path) {
  Environment environment = make_environment();
  struct stat found{};
  const bool folder = ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
  // Read-ahead of the map would read what random access does not want.
  const unsigned flags =
      MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS | MDB_NORDAHEAD | (folder ? 0 : MDB_NOSUBDIR);
  read_check(mdb_env_open(environment.get(), path.c_str(), flags, kFileMode), path, "open");
  return environment;
}

View::View(MDB_env* environment) : environment_(environment) {
  MDB_txn* transaction = nullptr;
  check(mdb_txn_begin(environment, nullptr, MDB_RDONLY, &transaction));
  transaction_.reset(transaction);
  check(mdb_dbi_open(transaction, nullptr, 0, &database_));
  used_ = used_bytes(environment);  // now: later the page that tells may be lost with the others
  MDB_val key{}, value{};
  if (mdb_cursor_get(open_cursor().get(), &key, &value, MDB_FIRST) != MDB_SUCCESS) return;
  const auto mapping = mapping_of(key.mv_data);
  if (!mapping.empty()) guard_ = std::make_unique<MapGuard>(mapping);
}

std::vector<std::string> View::keys() const {
  const Cursor cursor = open_cursor();
  std::vector<std::string> keys;
  MDB_val key{}, value{};
  int error = mdb_cursor_get(cursor.get(), &key, &value, MDB_FIRST);
  for (; error == MDB_SUCCESS; error = mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT))
    keys.emplace_back(static_cast<const char*>(key.mv_data), key.mv_size);
  if (error != MDB_NOTFOUND) check(error);
  return keys;
}

View::Cursor View::open_cursor() const {
  MDB_cursor* cursor = nullptr;
  check(mdb_cursor_open(transaction_.get(), database_, &cursor));
  return Cursor(cursor);
}

void View::check(int error) const { read_check(error, path_of(environment_), "read"); }

ByteSpan View::value(const std::string& key, ReadBuffer& room) const {
  int file = -1;
  struct stat found{};
  mdb_env_get_fd(environment_, &file);
  const auto refuse_shorter = [&] {
    if (::fstat(file, &found) != 0 || static_cast<std::uint64_t>(found.st_size) < used_ ||
        (guard_ && guard_->lost()))
      throw PartError(fmt::format("'{}' has shrunk since it was opened", path_of(environment_)));
  };
  refuse_shorter();
  MDB_val name = as_key(key), value{};
  check(mdb_get(transaction_.get(), database_, &name, &value));
  const std::span<std::byte> copy = room.room(checked_length(value.mv_size, key));
  std::memcpy(copy.data(), value.mv_data, copy.size());
  refuse_shorter();
  return copy;
}

Writer::Writer(const std::string& folder) : folder_(folder), environment_(make_environment()) {
  // Synced once at the end, and by nobody else's reader before that: no lock file.
  write_check(mdb_env_open(environment_.get(), folder.c_str(), MDB_NOSYNC | MDB_NOLOCK, kFileMode),
              folder);
}

std::span<std::byte> Writer::add(const std::string& key, std::uint64_t size) {
  const std::uint64_t taken = size + key.size() + (32 << 10);  // pages are split and rounded
  if (!transaction_ || taken > left_) {
    commit();
    begin(taken);
  }
  left_ -= taken;
  MDB_val name = as_key(key), value{static_cast<std::size_t>(size), nullptr};
  write_check(mdb_put(transaction_.get(), database_, &name, &value, MDB_RESERVE | MDB_APPEND),
              folder_);
  return {static_cast<std::byte*>(value.mv_data), static_cast<std::size_t>(size)};
}

void Writer::finish() {
  commit();
  write_check(mdb_env_sync(environment_.get(), 1), folder_);
  environment_.reset();
}

void Writer::commit() {
  if (transaction_) write_check(mdb_txn_commit(transaction_.release()), folder_);
}

void Writer::begin(std::uint64_t size) {
  left_ = std::max(kTransactionBytes, size);
  // The map grows with the data, so that the file says no more than it needs; a commit's free list
  // wants some room too.
  const std::uint64_t map =
      (used_bytes(environment_.get()) + left_ + (16ull << 20) + 0xFFFFF) >> 20 << 20;
  write_check(mdb_env_set_mapsize(environment_.get(), map), folder_);
  MDB_txn* transaction = nullptr;
  write_check(mdb_txn_begin(environment_.get(), nullptr, 0, &transaction), folder_);
  transaction_.reset(transaction);
  write_check(mdb_dbi_open(transaction, nullptr, 0, &database_), folder_);
}

}  // namespace benchbench::lmdb
