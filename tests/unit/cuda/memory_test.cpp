// Memory of the three kinds: where it lies, what is given back, and what is said where there is not
// enough.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "harness/cuda/host_pages.h"
#include "tests/scratch_folder.h"
#include "tests/unit/cuda/scene.h"

namespace benchbench::test::cuda {
namespace memory_test {

bool is_aligned(const void* data, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(data) % to == 0;
}

// Pages that are in memory, of the mapping.
std::size_t resident(const std::byte* data, std::size_t bytes) {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  REQUIRE(::mincore(const_cast<std::byte*>(data), bytes, pages.data()) == 0);
  return static_cast<std::size_t>(
      std::ranges::count_if(pages, [](unsigned char p) { return p & 1; }));
}

TEST_CASE("cuda memory: pinned memory is aligned, touched, zeroed and registered", "[unit][cuda]") {
  Scene scene;
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{5000},
                                  std::size_t{3} << 20, (std::size_t{4} << 20) + 7}) {
    CAPTURE(bytes);
    const Held held(*scene.device, bytes, Memory::pinned);
    const std::size_t whole = whole_pages(bytes);
    CHECK(is_aligned(held.data, bytes >= (std::size_t{2} << 20) ? std::size_t{2} << 20 : page));
    CHECK(is_pinned(held.data, whole));
    CHECK_FALSE(is_pinned(held.data, whole + 1));
    CHECK(resident(held.data, whole) == whole / page);
    CHECK(std::all_of(held.data, held.data + bytes, [](std::byte b) { return b == std::byte{0}; }));
    CHECK(alive("pinned ranges") == 1);
  }
  CHECK(alive("pinned ranges") == 0);
}

TEST_CASE("cuda memory: host memory is touched and not registered", "[unit][cuda]") {
  Scene scene;
  const Held held(*scene.device, 10'000, Memory::host);
  CHECK_FALSE(is_pinned(held.data, 1));
  CHECK(resident(held.data, 10'000) == 3);
  scene.device->deallocate(nullptr, 10, Memory::host);
  scene.device->deallocate(nullptr, 10, Memory::pinned);
  scene.device->deallocate(nullptr, 10, Memory::device);
}

TEST_CASE("cuda memory: device memory is accounted for and not the host's to touch",
          "[unit][cuda]") {
  Scene scene(Environment{{"MEMORY", "1048576"}});
  const auto before = scene.device->memory_left();
  CHECK(before.left == 1048576);
  CHECK(before.total == 1048576);
  {
    const Held some(*scene.device, 100'000, Memory::device),
        nothing(*scene.device, 0, Memory::device);
    CHECK(is_aligned(some.data, 256));
    CHECK(nothing.data != nullptr);
    CHECK(scene.device->memory_left().left < 1048576 - 100'000);
    int pipe_ends[2];  // the kernel says EFAULT where the address is not to be read
    REQUIRE(::pipe(pipe_ends) == 0);
    CHECK(::write(pipe_ends[1], some.data, 1) == -1);
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
  }
  CHECK(scene.device->memory_left().left == 1048576);
}

TEST_CASE("cuda memory: too little on the device is an error of the part, with what is free",
          "[unit][cuda]") {
  Scene scene(Environment{{"MEMORY", "1048576"}});
  const Held half(*scene.device, 524288, Memory::device);
  const Refusal refusal = refusal_of([&] { scene.device->allocate(600'000, Memory::device); });
  CHECK(refusal.kind == ErrorKind::part);
  CHECK(refusal.message ==
        "cannot allocate 586 KiB on cuda:0 (Stub GPU): 512 KiB of 1 MiB are free");
  CHECK(refusal.hints("loader.batch_size"));
}

TEST_CASE("cuda memory: the n-th allocation fails, those before it are kept", "[unit][cuda]") {
  Scene scene(Environment{{"FAIL", "cuMemAlloc_v2@3=2"}});
  const Held first(*scene.device, 10, Memory::device), second(*scene.device, 10, Memory::device);
  CHECK(refusal_of([&] { scene.device->allocate(10, Memory::device); }).kind == ErrorKind::part);
  const Held fourth(*scene.device, 10, Memory::device);
  CHECK(alive("device memory") == 3);
}

// Of this process's addresses that are mapped.
std::size_t mapped_pages() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages;
}

TEST_CASE("cuda memory: memory that cannot be registered is given back", "[unit][cuda]") {
  Scene scene(Environment{{"FAIL", "cuMemHostRegister_v2=2"}});
  const Refusal refusal = refusal_of([&] { scene.device->allocate(5000, Memory::pinned); });
  CHECK(refusal.kind == ErrorKind::part);
  CHECK(refusal.says("cannot pin 4.88 KiB of host memory: CUDA_ERROR_OUT_OF_MEMORY"));
  CHECK(refusal.hints("the memory that is free"));
  const std::size_t before = mapped_pages();
  for (int i = 0; i < 8; ++i)
    CHECK(refusal_of([&] { scene.device->allocate(8 << 20, Memory::pinned); }).kind ==
          ErrorKind::part);
  CHECK(mapped_pages() < before + 4 * (8 << 20) / 4096);
}

TEST_CASE("cuda memory: a driver that refuses to register for another reason", "[unit][cuda]") {
  Scene scene(Environment{{"FAIL", "cuMemHostRegister_v2=800"}});
  const Refusal refusal = refusal_of([&] { scene.device->allocate(5000, Memory::pinned); });
  CHECK(refusal.kind == ErrorKind::device);
  CHECK(refusal.message ==
        "cuMemHostRegister_v2 failed: CUDA_ERROR_NOT_PERMITTED (800): operation not permitted");
}

TEST_CASE("cuda memory: more than the host has", "[unit][cuda]") {
  Scene scene;
  for (const std::size_t bytes : {std::size_t{1} << 60, ~std::size_t{0}}) {
    const Refusal refusal = refusal_of([&] { scene.device->allocate(bytes, Memory::pinned); });
    CHECK(refusal.kind == ErrorKind::part);
    CHECK(refusal.says("cannot allocate"));
  }
}

TEST_CASE("cuda memory: pages are placed on the device's node, and a refusal is a note",
          "[unit][cuda]") {
  const std::string folder = make_scratch_folder("cuda-node");
  std::filesystem::create_directories(folder + "/0000:a0:00.0");
  CudaOptions options = stub_options();
  options.pci_folder = folder;
  for (const char* const node : {"0", "1000", "5000"}) {
    CAPTURE(node);
    std::ofstream(folder + "/0000:a0:00.0/numa_node") << node << '\n';
    Scene scene({}, options);
    CHECK(scene.device->facts().numa_node == std::stoi(node));
    const Held first(*scene.device, 5000, Memory::pinned),
        second(*scene.device, 3 << 20, Memory::host);
    CHECK(is_pinned(first.data, 5000));
    CHECK(scene.device->notes().size() <= 1);  // once, not for each
    if (std::string(node) != "0") {
      REQUIRE(scene.device->notes().size() == 1);
      CHECK(scene.device->notes()[0].find(node) != std::string::npos);
    }
  }
  std::filesystem::remove_all(folder);
  std::byte* const data = map_pages(1);
  touch_pages(data, 1);
  CHECK_FALSE(prefer_node(data, 1, -1).empty());
  unmap_pages(data, 1);
}

}  // namespace memory_test
}  // namespace benchbench::test::cuda
