#include "harness/hdf5/file.h"

#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "harness/core/runtime.h"
#include "tests/scratch_folder.h"
#include "tests/skip.h"

namespace benchbench::hdf5 {
namespace file_tests {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(test::make_scratch_folder("hdf5")) {}
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string complaint_of(const std::function<void()>& body, ErrorKind* kind = nullptr) {
  try {
    body();
  } catch (const Hdf5Error& e) {
    if (kind) *kind = e.kind();
    return std::string(e.message());
  }
  return "";
}

bool says(const std::string& text, const char* what) {
  INFO(text);
  CHECK(text.find('\n') == std::string::npos);
  return text.find(what) != std::string::npos;
}

TEST_CASE("hdf5: numbers and text come back, with their attributes", "[unit][hdf5]") {
  const TemporaryFolder folder;
  const std::vector<std::int64_t> numbers{1, -2, 1ll << 62};
  const std::vector<double> reals{0.1, -1e300};
  const std::vector<std::string> words{"a", "", "l\xc3\xa4nger"};
  {
    File file = File::create(folder / "a.h5");
    file.write("/trials/window_ns", std::span<const std::int64_t>(numbers))
        .set_attribute("unit", "ns");
    file.write("/trials/share", std::span<const double>(reals));
    file.write_text("/names", words);
    file.write_text("/padded", words, 16);
    file.write_text("/plan", "{}");
    file.write("/empty", std::span<const double>());
    file.set_attribute("format", "benchbench test");
    file.set_attribute("version", std::int64_t{3});
    file.close();
  }
  const File file = File::open_readonly(folder / "a.h5");
  CHECK(file.dataset("/trials/window_ns").read_all<std::int64_t>() == numbers);
  CHECK(file.dataset("/trials/window_ns").text_attribute("unit") == "ns");
  CHECK_FALSE(file.dataset("/trials/share").text_attribute("unit").has_value());
  CHECK(file.dataset("/trials/share").read_all<double>() == reals);
  CHECK(file.dataset("/names").read_text() == words);
  CHECK(file.dataset("/padded").read_text() == words);
  CHECK(file.dataset("/plan").read_text() == std::vector<std::string>{"{}"});
  CHECK(file.dataset("/empty").rows() == 0);
  CHECK(file.dataset("/empty").read_all<double>().empty());
  CHECK(file.names("/trials") == std::vector<std::string>{"share", "window_ns"});
  CHECK(file.text_attribute("format") == "benchbench test");
  CHECK(file.has("/trials/share"));
  CHECK_FALSE(file.has("/trials/nothing"));
  CHECK_FALSE(file.has("/nothing/at/all"));
}

TEST_CASE("hdf5: contiguous bytes lie where the file says, for pread", "[unit][hdf5]") {
  const TemporaryFolder folder;
  std::vector<std::uint8_t> bytes(70000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 31);
  {
    File file = File::create(folder / "a.h5");
    Dataset made = file.create_contiguous("/payload", Element::uint8, {bytes.size()});
    CHECK(made.contiguous_offset().has_value());
    const std::span<const std::uint8_t> all(bytes);
    made.write(0, all.first(1000));  // in pieces, out of order
    made.write(40000, all.subspan(40000));
    made.write(1000, all.subspan(1000, 39000));
    file.close();
  }
  const File file = File::open_readonly(folder / "a.h5");
  const Dataset payload = file.dataset("/payload");
  payload.require_plain();
  CHECK(payload.element() == Element::uint8);
  const int fd = open((folder / "a.h5").c_str(), O_RDONLY);
  std::vector<std::uint8_t> read(bytes.size());
  CHECK(pread(fd, read.data(), read.size(),
              static_cast<off_t>(payload.contiguous_offset().value())) ==
        static_cast<ssize_t>(read.size()));
  close(fd);
  CHECK(read == bytes);
  std::vector<std::uint8_t> part(3);
  payload.read(40001, std::span(part));
  CHECK(part == std::vector<std::uint8_t>(bytes.begin() + 40001, bytes.begin() + 40004));
}

TEST_CASE("hdf5: rows of two dimensions, written as they come", "[unit][hdf5]") {
  const TemporaryFolder folder;
  {
    File file = File::create(folder / "a.h5");
    Dataset made = file.create_row_chunks("/rows", Element::int32, {10, 3}, std::nullopt);
    for (std::int32_t i = 0; i < 10; ++i) {
      const std::int32_t row[] = {i, 10 * i, -i};
      made.write(static_cast<std::uint64_t>(i), std::span<const std::int32_t>(row));
    }
    file.close();
  }
  const Dataset rows = File::open_readonly(folder / "a.h5").dataset("/rows");
  CHECK(rows.extents() == std::vector<std::uint64_t>{10, 3});
  CHECK_FALSE(rows.contiguous_offset().has_value());
  std::vector<std::int64_t> two(6);  // converted from 32 bit
  rows.read(4, std::span(two));
  CHECK(two == std::vector<std::int64_t>{4, 40, -4, 5, 50, -5});
  CHECK(says(complaint_of([&] { rows.read(9, std::span(two)); }), "2 rows from row 9 of 10"));
  std::vector<std::int64_t> five(5);
  CHECK(says(complaint_of([&] { rows.read(0, std::span(five)); }), "not whole rows of 3"));
  CHECK(says(complaint_of([&] { rows.read_text(); }), "not hold text"));
}

TEST_CASE("hdf5: what cannot be opened is one line with the caller's kind", "[unit][hdf5]") {
  const TemporaryFolder folder;
  ErrorKind kind{};
  CHECK(
      says(complaint_of([&] { File::open_readonly(folder / "none.h5"); }, &kind), "No such file"));
  CHECK(kind == ErrorKind::scenario);
  std::ofstream(folder / "text.h5") << "no such format";
  CHECK(
      says(complaint_of([&] { File::open_readonly(folder / "text.h5", ErrorKind::store); }, &kind),
           "not an HDF5 file"));
  CHECK(kind == ErrorKind::store);
  CHECK(says(complaint_of([&] { File::open_readonly(folder / "."); }), "not a file"));
  CHECK(says(complaint_of([&] { File::create(folder / "no/such/folder.h5"); }, &kind),
             "cannot create"));
  CHECK(kind == ErrorKind::store);
  File file = File::create(folder / "a.h5");
  CHECK(says(complaint_of([&] { file.dataset("/group/missing"); }), "it has no /group"));
  CHECK(says(complaint_of([&] { file.write_text("/x", std::vector<std::string>{"too long"}, 3); }),
             "longer than 3"));
}

TEST_CASE("hdf5: a file cut anywhere is refused or read as it was, never worse", "[unit][hdf5]") {
  const TemporaryFolder folder;
  const std::vector<std::int64_t> values(5000, 42);
  {
    File file = File::create(folder / "a.h5");
    file.write("/group/values", std::span<const std::int64_t>(values));
    file.close();
  }
  const auto size = std::filesystem::file_size(folder / "a.h5");
  int refused = 0;
  for (std::uintmax_t cut = 0; cut < size; cut += 997) {
    std::filesystem::copy_file(folder / "a.h5", folder / "cut.h5",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder / "cut.h5", cut);
    const std::string complaint = complaint_of([&] {
      const Dataset data = File::open_readonly(folder / "cut.h5").dataset("/group/values");
      data.require_plain();
      if (data.read_all<std::int64_t>() != values) throw Hdf5Error(ErrorKind::part, "other values");
    });
    CHECK(complaint != "other values");
    refused += !complaint.empty();
  }
  CHECK(refused == static_cast<int>((size + 996) / 997));
}

TEST_CASE("hdf5: a full disk is told, and nothing crashes afterwards", "[unit][hdf5]") {
  if (access("/dev/full", W_OK) != 0) BENCHBENCH_SKIP("there is no /dev/full");
  // In a child: the library leaks what it could not write.
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<double> values(1 << 20, 1.0);
    const std::string complaint = complaint_of([&] {
      File file = File::create("/dev/full");
      file.write("/values", std::span<const double>(values));
      file.close();
    });
    _exit(complaint.empty() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

// A thread of the runtime's, since error printing is switched off thread by thread.
struct Failing final : Job {
  std::string complaint;
  bool quiet = false;
  void run() override {
    complaint = complaint_of([] { File::open_readonly("/proc/self/exe"); });
    H5E_auto2_t printer = nullptr;
    void* data = nullptr;
    quiet = H5Eget_auto2(H5E_DEFAULT, &printer, &data) >= 0 && printer == nullptr;
  }
};

TEST_CASE("hdf5: a library without its lock is refused to workers, in clear words",
          "[unit][hdf5]") {
  CHECK_NOTHROW(require_thread_safe(ErrorKind::part, "x.h5", true));
  CHECK(says(complaint_of([] { require_thread_safe(ErrorKind::part, "x.h5", false); }),
             "x.h5: it must be read by the HDF5 library"));
  hbool_t safe = false;
  REQUIRE(H5is_library_threadsafe(&safe) >= 0);
  CHECK(library_is_thread_safe() == static_cast<bool>(safe));
}

TEST_CASE("hdf5: the library prints nothing, in another thread either", "[unit][hdf5]") {
  const auto runtime = make_real_runtime();
  Failing job;
  runtime->spawn("failing", job)->join();
  CHECK(says(job.complaint, "not an HDF5 file"));
  CHECK(job.quiet);
}

}  // namespace file_tests
}  // namespace benchbench::hdf5
