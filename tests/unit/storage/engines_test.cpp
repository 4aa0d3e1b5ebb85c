// Each engine alone: the bytes, the ends of files, and what happens when files are not what they
// were.
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>

#include "harness/core/error.h"
#include "scenarios/storage/engine.h"
#include "tests/skip.h"
#include "tests/unit/storage/scene.h"

namespace benchbench::test::storage {
namespace {

// Those that work here.
std::vector<IoEngine> engines_for(const SampleExtents& extents) {
  std::vector<IoEngine> found;
  for (const IoEngine engine :
       {IoEngine::pread, IoEngine::mmap, IoEngine::io_uring, IoEngine::direct}) {
    try {
      require_engine(engine, extents);
      found.push_back(engine);
    } catch (const DeviceError&) {
    }
  }
  return found;
}

template <class Call>
std::string engine_error(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(error.message());
  }
  return "";
}

TEST_CASE("engines: any offset and length, to the end, beyond it, nothing at all",
          "[unit][storage]") {
  Scene scene;
  const std::uint32_t file = scene.add_file(300'001), empty = scene.add_file(0);
  const auto runtime = make_real_runtime();
  const SampleId all = scene.add(file, 0, 300'001);
  for (const IoEngine which : engines_for(scene)) {
    INFO(name_of(which));
    const auto engine = make_engine(which, scene, *runtime);
    const auto whole = scene.bytes_of(all);
    for (const auto& [offset, length] :
         std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 300'001},
                                                              {0, 1},
                                                              {4095, 2},
                                                              {4096, 4096},
                                                              {777, 123'456},
                                                              {299'999, 2},
                                                              {300'000, 1},
                                                              {12, 0}}) {
      INFO(offset << '+' << length);
      const ReadBytes got = engine->read({file, offset, length});
      CHECK(std::ranges::equal(got.bytes, whole.subspan(offset, length)));
    }
    CHECK(std::ranges::equal(engine->read({file, 4100, Extent::kToTheEnd}).bytes,
                             whole.subspan(4100)));
    CHECK(std::ranges::equal(engine->read({file, 300'000, 100}).bytes, whole.subspan(300'000)));
    CHECK(engine->read({file, 300'001, 10}).bytes.empty());
    CHECK(engine->read({file, std::uint64_t{1} << 62, 10}).bytes.empty());
    // No memory is asked for.
    CHECK(engine->read({file, 0, std::uint64_t{1} << 62}).bytes.size() == 300'001);
    CHECK(engine->read({empty, 0, Extent::kToTheEnd}).bytes.empty());
    CHECK(engine->read({empty, 0, 100}).bytes.empty());
    // 64 bytes behind the last one may be read.
    const ReadBytes last = engine->read({file, 0, 300'001});
    unsigned sum = 0;
    for (int i = 0; i < 64; ++i)
      sum += std::to_integer<unsigned>(*(last.bytes.data() + last.bytes.size() + i));
    CHECK(sum <= 64 * 255);
  }
}

TEST_CASE("engines: absent, a folder and a FIFO are errors that name the file", "[unit][storage]") {
  Scene scene;
  const std::uint32_t good = scene.add_file(10), absent = scene.add_file(10),
                      folder = scene.add_file(10), fifo = scene.add_file(10);
  std::filesystem::remove(scene.path_of(absent));
  std::filesystem::remove(scene.path_of(folder));
  std::filesystem::create_directory(scene.path_of(folder));
  std::filesystem::remove(scene.path_of(fifo));
  REQUIRE(::mkfifo(scene.path_of(fifo).c_str(), 0600) == 0);
  const auto runtime = make_real_runtime();
  for (const IoEngine which : engines_for(scene)) {
    INFO(name_of(which));
    const auto engine = make_engine(which, scene, *runtime);
    for (const std::uint32_t bad : {absent, folder, fifo})
      CHECK(engine_error([&] { engine->read({bad, 0, 10}); }).find(scene.path_of(bad)) !=
            std::string::npos);
    CHECK(engine->read({good, 0, 10}).bytes.size() == 10);
  }
}

TEST_CASE("engines: a file that shrinks while it is read gives fewer bytes, and ends nothing",
          "[unit][storage]") {
  const auto runtime = make_real_runtime();
  Scene sizes;
  sizes.add_file(10);
  for (const IoEngine which : engines_for(sizes)) {
    INFO(name_of(which));
    Scene scene;
    const std::uint32_t file = scene.add_file(1'000'000);
    const auto engine = make_engine(which, scene, *runtime);
    const ReadBytes early = engine->read({file, 0, 100'000});
    const ReadBytes late = engine->read({file, 500'000, 100'000});
    std::filesystem::resize_file(scene.path_of(file), 550'100);
    CHECK(engine->read({file, 500'000, 100'000}).bytes.size() == 50'100);
    CHECK(engine->read({file, 600'000, 100}).bytes.empty());
    if (which == IoEngine::mmap) {
      REQUIRE(late.mapping);
      std::uint64_t sum = 0;
      // Without the handler this raises SIGBUS.
      for (const std::byte b : late.bytes) sum += std::to_integer<std::uint64_t>(b);
      CHECK(sum > 0);
      CHECK(late.bytes.back() == std::byte{0});
      CHECK_FALSE(late.mapping->problem(500'000, 100'000).empty());
      // Zeros of the last page, which no signal shows.
      CHECK_FALSE(late.mapping->problem(500'000, 50'101).empty());
      CHECK(late.mapping->problem(500'000, 50'100).empty());
      CHECK(early.mapping->problem(0, 100'000).empty());
    }
    CHECK(early.bytes[99'999] == scene.bytes_of(scene.add(file, 99'999, 1))[0]);
  }
}

TEST_CASE("engines: a file that cannot be mapped takes no other file's guard away",
          "[unit][storage]") {
  Scene scene;
  const std::uint32_t file = scene.add_file(1'000'000), absent = scene.add_file(10);
  std::filesystem::remove(scene.path_of(absent));
  const auto runtime = make_real_runtime();
  const auto engine = make_engine(IoEngine::mmap, scene, *runtime);
  // The first mapping of this engine: a low place.
  const ReadBytes got = engine->read({file, 500'000, 100'000});
  CHECK_THROWS_AS(engine->read({absent, 0, 10}), PartError);
  std::filesystem::resize_file(scene.path_of(file), 1000);
  std::uint64_t sum = 0;
  // Without the handler this raises SIGBUS.
  for (const std::byte b : got.bytes) sum += std::to_integer<std::uint64_t>(b);
  CHECK(sum == 0);
  CHECK_FALSE(got.mapping->problem(500'000, 100'000).empty());
}

TEST_CASE("map guard: a page that somebody else's mapping has lost reads as zeros, and is told",
          "[unit][storage]") {
  Scene scene;
  const std::uint32_t file = scene.add_file(100'000);
  const int fd = ::open(scene.path_of(file).c_str(), O_RDONLY | O_CLOEXEC);
  auto* const bytes = static_cast<const volatile std::byte*>(
      ::mmap(nullptr, 100'000, PROT_READ, MAP_SHARED, fd, 0));
  ::close(fd);
  {
    const MapGuard guard({const_cast<const std::byte*>(bytes), 100'000});
    std::filesystem::resize_file(scene.path_of(file), 10'000);
    CHECK_FALSE(guard.lost());
    // Without the handler this raises SIGBUS.
    CHECK(std::byte{bytes[50'000]} == std::byte{0});
    CHECK(guard.lost());
  }
  ::munmap(const_cast<std::byte*>(bytes), 100'000);
}

TEST_CASE("engines: mapped pages are let go and come back", "[unit][storage]") {
  Scene scene;
  const std::uint32_t file = scene.add_file(200'000);
  const SampleId id = scene.add(file, 1000, 100'000);
  const auto runtime = make_real_runtime();
  const auto engine = make_engine(IoEngine::mmap, scene, *runtime);
  for (int i = 0; i < 3; ++i) {
    CHECK(std::ranges::equal(engine->read(scene.extent(id)).bytes, scene.bytes_of(id)));
    engine->let_go();
  }
}

TEST_CASE("engines: more files than stay open", "[unit][storage]") {
  Scene scene;
  for (std::uint32_t i = 0; i < kMaxKeptFiles + 10; ++i)
    scene.add(scene.add_file(100 + i), 7, Extent::kToTheEnd);
  const auto runtime = make_real_runtime();
  for (const IoEngine which : engines_for(scene)) {
    INFO(name_of(which));
    const auto engine = make_engine(which, scene, *runtime);
    for (SampleId id = 0; id < scene.layout().samples; ++id)
      REQUIRE(std::ranges::equal(engine->read(scene.extent(id)).bytes, scene.bytes_of(id)));
  }
}

TEST_CASE("engines: what the kernel refuses is a device error with its words, never another engine",
          "[unit][storage]") {
  Scene scene;
  scene.add_file(10);
  try {
    require_engine(IoEngine::io_uring, scene, +[]() noexcept { return EPERM; });
    FAIL_CHECK("not refused");
  } catch (const DeviceError& error) {
    CHECK(std::string(error.message()) ==
          "loader.io: io_uring is not available here: Operation not permitted");
    CHECK(std::string(error.hint()).find("pread") != std::string::npos);
  }
  CHECK_NOTHROW(require_engine(IoEngine::io_uring, scene, +[]() noexcept { return 0; }));
  CHECK_NOTHROW(require_engine(IoEngine::pread, scene, +[]() noexcept { return EPERM; }));
}

TEST_CASE("engines: direct reads are refused where no device lies below", "[unit][storage]") {
  if (::access("/dev/shm", W_OK) != 0) BENCHBENCH_SKIP("no /dev/shm that can be written");
  Scene scene("/dev/shm");
  scene.add_file(10);
  CHECK_THROWS_AS(require_engine(IoEngine::direct, scene), DeviceError);
}

TEST_CASE("engines: a page that was lost says nothing of the file's others", "[unit][storage]") {
  Scene scene;
  const std::uint32_t file = scene.add_file(1'000'000);
  const auto runtime = make_real_runtime();
  const auto engine = make_engine(IoEngine::mmap, scene, *runtime);
  const ReadBytes got = engine->read({file, 0, 1'000'000});
  std::filesystem::resize_file(scene.path_of(file), 500'000);
  // Without the handler this raises SIGBUS.
  CHECK(got.bytes[700'000] == std::byte{0});
  CHECK(got.mapping->problem(900'000, 100) == "its file shrank while it was being read");
  std::filesystem::resize_file(scene.path_of(file), 1'000'000);
  CHECK(got.mapping->problem(700'000, 100) ==
        "a page of its file could not be loaded while it was being read");
  CHECK(got.mapping->problem(0, 600'000).empty());
  CHECK(got.mapping->problem(900'000, 100).empty());
}

// Pages of the file in the page cache; -1 where nobody can tell.
long pages_cached(const std::string& path, std::size_t bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  std::vector<unsigned char> in(bytes / 4096 + 1);
  const bool told = mapped != MAP_FAILED && ::mincore(mapped, bytes, in.data()) == 0;
  if (mapped != MAP_FAILED) ::munmap(mapped, bytes);
  ::close(fd);
  return told ? std::ranges::count_if(in, [](unsigned char c) { return c & 1; }) : -1;
}

TEST_CASE("engines: direct reads leave nothing in the page cache, the others do",
          "[unit][storage]") {
  constexpr std::size_t kBytes = 1 << 20;
  Scene scene;
  const std::uint32_t file = scene.add_file(kBytes);
  const auto runtime = make_real_runtime();
  for (const IoEngine which : engines_for(scene)) {
    INFO(name_of(which));
    const int fd = ::open(scene.path_of(file).c_str(), O_RDONLY | O_CLOEXEC);
    ::fdatasync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
    if (pages_cached(scene.path_of(file), kBytes) != 0)
      BENCHBENCH_SKIP("this file system's page cache cannot be emptied");
    const auto engine = make_engine(which, scene, *runtime);
    CHECK(engine->read({file, 0, kBytes}).bytes.size() == kBytes);
    CHECK((pages_cached(scene.path_of(file), kBytes) == 0) == (which == IoEngine::direct));
  }
}

TEST_CASE("engines: a mapped page that was reclaimed is waited for again by the read",
          "[unit][storage]") {
  constexpr std::size_t kBytes = 1 << 20;
  Scene scene;
  const std::uint32_t file = scene.add_file(kBytes);
  const auto runtime = make_real_runtime();
  const auto engine = make_engine(IoEngine::mmap, scene, *runtime);
  const ReadBytes got = engine->read({file, 0, kBytes});
  // The kernel does it like this.
  ::madvise(const_cast<std::byte*>(got.bytes.data()), kBytes, MADV_DONTNEED);
  const int fd = ::open(scene.path_of(file).c_str(), O_RDONLY | O_CLOEXEC);
  ::fdatasync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
  if (pages_cached(scene.path_of(file), kBytes) != 0)
    BENCHBENCH_SKIP("this file system's page cache cannot be emptied");
  CHECK(engine->read({file, 0, kBytes}).bytes.size() == kBytes);
  CHECK(pages_cached(scene.path_of(file), kBytes) == kBytes / 4096);
}

TEST_CASE("buffer pool: memory comes back, the last first, aligned, with room behind",
          "[unit][storage]") {
  const auto runtime = make_real_runtime();
  BufferPool pool(*runtime);
  for (const std::size_t size :
       {0, 1, 16'000, 16'384, 20'000, 32'768, 110'000, 3'000'000, 9'000'001}) {
    INFO(size);
    const std::byte* first = nullptr;
    {
      const Buffer buffer = pool.take(size);
      first = buffer.data();
      CHECK(reinterpret_cast<std::uintptr_t>(first) % BufferPool::kPage == 0);
      std::fill_n(buffer.data(), size + BufferPool::kSlack, std::byte{7});
    }
    const std::size_t made = pool.made();
    const Buffer again = pool.take(size);
    CHECK(again.data() == first);
    CHECK(pool.made() == made);
    const Buffer other = pool.take(size);
    CHECK(other.data() != first);
  }
}

}  // namespace
}  // namespace benchbench::test::storage
