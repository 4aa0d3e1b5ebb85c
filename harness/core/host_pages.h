// Pages of host memory for batches.
#pragma once
#include <cstddef>

namespace benchbench {

// A mapping never shorter than one page, zeroed, aligned to a huge page where it is that long: only
// then can the kernel back it with huge pages from its first byte. `touch`: as touch_pages() does.
// Throws PartError where there is not enough.
std::byte* map_pages(std::size_t bytes, bool touch = false);
// What map_pages() gave for as many bytes. Nothing for nullptr.
void unmap_pages(std::byte* data, std::size_t bytes) noexcept;
// Faults every page in, before any window: a fresh batch of 38 MB costs ten times a memcpy in page
// faults.
void touch_pages(std::byte* data, std::size_t bytes) noexcept;

std::size_t page_size() noexcept;
// Bytes of the pages of `bytes` bytes.
std::size_t whole_pages(std::size_t bytes) noexcept;

}  // namespace benchbench
