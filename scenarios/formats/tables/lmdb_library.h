// liblmdb, as far as we use it: writing, and reading as a user's code would.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lmdb.h>

#include "harness/core/byte_span.h"
#include "scenarios/storage/mapped_file.h"

namespace benchbench::lmdb {

struct CloseEnvironment {
  void operator()(MDB_env* environment) const noexcept { mdb_env_close(environment); }
};
struct EndTransaction {
  void operator()(MDB_txn* transaction) const noexcept { mdb_txn_abort(transaction); }
};
using Environment = std::unique_ptr<MDB_env, CloseEnvironment>;
using Transaction = std::unique_ptr<MDB_txn, EndTransaction>;

// Read only, without a lock file: nothing is written into a user's folder. PartError.
Environment open_to_read(const std::string& path);

// A reading transaction. One thread; `environment` outlives it.
class View {
  struct CloseCursor {
    void operator()(MDB_cursor* cursor) const noexcept { mdb_cursor_close(cursor); }
  };
  using Cursor = std::unique_ptr<MDB_cursor, CloseCursor>;

 public:
  explicit View(MDB_env* environment);
  // All keys of the main database that are no named databases, in order. PartError.
  std::vector<std::string> keys() const;
  // A copy in `room`, as py-lmdb makes it: of the map itself a page could be lost while it is used.
  // PartError where there is none, or the file has become shorter than it was.
  ByteSpan value(const std::string& key, ReadBuffer& room) const;

 private:
  void check(int error) const;
  Cursor open_cursor() const;

  MDB_env* environment_;
  Transaction transaction_;
  MDB_dbi database_ = 0;
  std::uint64_t used_ = 0;  // bytes of the file that hold pages
  std::unique_ptr<MapGuard> guard_;
};

// Writes keys in rising order into a new folder's data.mdb. ScenarioError.
class Writer {
 public:
  explicit Writer(const std::string& folder);
  // Room for `size` bytes, to be filled before the next call.
  std::span<std::byte> add(const std::string& key, std::uint64_t size);
  void finish();

 private:
  void commit();
  void begin(std::uint64_t size);

  std::string folder_;
  Environment environment_;
  Transaction transaction_;
  MDB_dbi database_ = 0;
  std::uint64_t left_ = 0;  // of the map, for this transaction
};

}  // namespace benchbench::lmdb
