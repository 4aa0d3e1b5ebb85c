#include "scenarios/formats/tables/lmdb_pages.h"

#include <optional>
#include <string>

#include "harness/core/files/little_endian.h"

namespace benchbench::lmdb {
namespace {

constexpr std::uint64_t kPageHead = 16, kNodeHead = 8;
constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
constexpr unsigned kBranch = 0x01, kLeaf = 0x02, kOverflow = 0x04, kMeta = 0x08;
constexpr unsigned kBigData = 0x01, kNamedDatabase = 0x02, kDuplicates = 0x04;
constexpr int kDeepest = 32;

struct Meta {
  std::uint64_t page_size = 0, root = kNoPage, last_page = 0, transaction = 0, flags = 0;
};

class Walk {
 public:
  Walk(LookedBytes& bytes, const TakeValue& take) : bytes_(bytes), take_(take) {}

  void run() {
    const std::optional<Meta> first = meta_at(0);
    if (!first) throw Malformed{"this is not an LMDB file of data version 1", 0};
    meta_ = *first;
    // The newer of the two counts; one may be half written.
    if (const auto second = meta_at(first->page_size);
        second && second->transaction > meta_.transaction)
      meta_ = *second;
    if (meta_.page_size != first->page_size) throw Malformed{"two page sizes", 0};
    if (meta_.last_page >= bytes_.size() / meta_.page_size)
      throw Malformed{"truncated: pages are missing at the end", bytes_.size()};
    if (meta_.flags & 0x04) throw Malformed{"a database with several values per key", 0};
    if (meta_.root != kNoPage) walk(meta_.root, 0);
  }

 private:
  std::uint64_t number_at(std::uint64_t at, std::uint64_t width) {
    const auto there = bytes_.look(at, width);
    if (there.size() != width) throw Malformed{"truncated", at};
    return little_endian(there);
  }

  std::optional<Meta> meta_at(std::uint64_t at) {
    if (bytes_.size() < 152 || at > bytes_.size() - 152) return std::nullopt;
    if (!(number_at(at + 10, 2) & kMeta) || number_at(at + 16, 4) != kMagic ||
        number_at(at + 20, 4) != 1)
      return std::nullopt;
    Meta meta{.page_size = number_at(at + 40, 4),
              .root = number_at(at + 128, 8),
              .last_page = number_at(at + 136, 8),
              .transaction = number_at(at + 144, 8),
              .flags = number_at(at + 92, 2)};
    const std::uint64_t size = meta.page_size;
    if (size < 512 || size > 65536 || (size & (size - 1)) != 0)
      throw Malformed{"invalid page size", at + 40};
    return meta;
  }

  // Where the page begins; its number is checked against what stands in it.
  std::uint64_t page(std::uint64_t number, unsigned kind) {
    if (number < 2 || number > meta_.last_page) throw Malformed{"a page outside the file", number};
    const std::uint64_t at = number * meta_.page_size;
    if (number_at(at, 8) != number || !(number_at(at + 10, 2) & kind))
      throw Malformed{"a page has the wrong type for its place in the tree", at};
    return at;
  }

  void walk(std::uint64_t number, int depth) {
    // No page stands in a tree twice: a ring would walk for ever.
    if (depth > kDeepest || ++walked_ > meta_.last_page)
      throw Malformed{"a tree that contains a cycle", number};
    const std::uint64_t at = page(number, kBranch | kLeaf);
    const bool leaf = number_at(at + 10, 2) & kLeaf;
    const std::uint64_t lower = number_at(at + 12, 2);
    if (lower < kPageHead || lower > meta_.page_size || lower % 2 != 0)
      throw Malformed{"a page's table has a wrong length", at};
    for (std::uint64_t i = 0; i < (lower - kPageHead) / 2; ++i) {
      const std::uint64_t node = number_at(at + kPageHead + 2 * i, 2);
      if (node < lower || node > meta_.page_size - kNodeHead)
        throw Malformed{"a node outside its page", at};
      if (leaf)
        take_leaf(at, node);
      else
        walk(number_at(at + node, 6), depth + 1);
    }
  }

  void take_leaf(std::uint64_t at, std::uint64_t node) {
    const std::uint64_t size = number_at(at + node, 4);
    const std::uint64_t flags = number_at(at + node + 4, 2);
    const std::uint64_t key_size = number_at(at + node + 6, 2);
    const std::uint64_t in_page = flags & kBigData ? 8 : size;
    const std::uint64_t room = meta_.page_size - node - kNodeHead;
    if (key_size > room || in_page > room - key_size)
      throw Malformed{"a node longer than its page", at + node};
    if (flags & kDuplicates) throw Malformed{"several values for one key", at + node};
    if (flags & kNamedDatabase) return;
    const std::string key = bytes_.text(at + node + kNodeHead, key_size);
    const std::uint64_t value = at + node + kNodeHead + key_size;
    take_(key, flags & kBigData ? big_value(number_at(value, 8), size) : value, size);
  }

  std::uint64_t big_value(std::uint64_t number, std::uint64_t size) {
    const std::uint64_t at = page(number, kOverflow);
    const std::uint64_t pages = number_at(at + 12, 4);
    if (pages == 0 || pages > meta_.last_page - number + 1 ||
        size > pages * meta_.page_size - kPageHead)
      throw Malformed{"a value longer than its pages", at};
    return at + kPageHead;
  }

  LookedBytes& bytes_;
  const TakeValue& take_;
  Meta meta_;
  std::uint64_t walked_ = 0;
};

}  // namespace

void walk_pages(LookedBytes& bytes, const TakeValue& take) { Walk(bytes, take).run(); }

}  // namespace benchbench::lmdb
