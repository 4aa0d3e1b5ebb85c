// Pages of the host's memory, to be pinned.
#pragma once
#include <string>

#include "harness/core/host_pages.h"

namespace benchbench::cuda {

// Asks for the pages to be on the node; before they are touched. "" or why the kernel refuses:
// containers often do.
std::string prefer_node(std::byte* data, std::size_t bytes, int node);
// A child of a fork does not have the pages.
void keep_from_forks(std::byte* data, std::size_t bytes) noexcept;
// "" where the first, the middle and the last page are on the node, else on which they are. "" too
// where the kernel does not say.
std::string node_complaint(std::byte* data, std::size_t bytes, int node);

}  // namespace benchbench::cuda
