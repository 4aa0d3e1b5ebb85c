// Pages of the host's memory, to be pinned.
#pragma once
#include <cstddef>
#include <string>

namespace benchbench::cuda {

// At least one page, zeroed; from its first byte in huge pages where it is that long and the kernel
// has them. Not yet touched. PartError where there is not enough memory. To be given to
// unmap_pages() with the same `bytes`.
std::byte* map_pages(std::size_t bytes);
void unmap_pages(std::byte* data, std::size_t bytes) noexcept;
// Bytes of the pages of `bytes` bytes.
std::size_t whole_pages(std::size_t bytes) noexcept;

// Asks for the pages to be on the node; before they are touched. "" or why the kernel refuses:
// containers often do.
std::string prefer_node(std::byte* data, std::size_t bytes, int node);
// A child of a fork does not have the pages.
void keep_from_forks(std::byte* data, std::size_t bytes) noexcept;
// Faults every page in.
void touch_pages(std::byte* data, std::size_t bytes) noexcept;
// "" where the first, the middle and the last page are on the node, else on which they are. "" too
// where the kernel does not say.
std::string node_complaint(std::byte* data, std::size_t bytes, int node);

}  // namespace benchbench::cuda
