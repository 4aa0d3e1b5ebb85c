// Memory that reads go into, used again and again.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "harness/core/lock.h"

namespace benchbench {

class BufferPool;

// Goes back to its pool. Move-only. Its memory starts at a page.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();
  explicit operator bool() const noexcept { return data_ != nullptr; }
  std::byte* data() const noexcept { return data_; }

 private:
  friend class BufferPool;
  Buffer(BufferPool* pool, std::byte* data, std::uint32_t size_class) noexcept
      : pool_(pool), data_(data), class_(size_class) {}
  BufferPool* pool_ = nullptr;
  std::byte* data_ = nullptr;
  std::uint32_t class_ = 0;
};

// Gives what came back last first: its memory is the warmest. Any threads. All buffers must be back
// before its end.
class BufferPool {
 public:
  // Bytes behind what was asked for that may be read and mean nothing.
  static constexpr std::size_t kSlack = 64;
  static constexpr std::size_t kPage = 4096;

  explicit BufferPool(Runtime& runtime) : lock_(runtime) {}
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // At least `bytes` bytes and kSlack behind them. PartError where memory ends.
  Buffer take(std::size_t bytes);
  // Of how many buffers memory was asked of the system so far.
  std::size_t made() const noexcept { return made_; }

 private:
  friend class Buffer;
  void give_back(std::byte* data, std::uint32_t size_class) noexcept;

  Lock lock_;
  std::vector<std::vector<std::byte*>> free_;  // by class
  std::atomic<std::size_t> made_{0};
};

}  // namespace benchbench
