// Pages of host memory for batches.
#pragma once
#include <cstddef>

namespace benchbench {

// A mapping never shorter than one page, zeroed, aligned to a huge page where it is that long: only
// then can the kernel back it with huge pages from its first byte. `touch`: every page is faulted
// in here, before any window: a fresh batch of 38 MB costs ten times a memcpy in page faults.
// Throws PartError where there is not enough.
std::byte* map_pages(std::size_t bytes, bool touch);
// What map_pages() gave for as many bytes. Nothing for nullptr.
void unmap_pages(std::byte* data, std::size_t bytes) noexcept;

}  // namespace benchbench
