#include "harness/hdf5/probing_driver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/core/descriptor.h"
#include "harness/hdf5/call.h"
#include "harness/hdf5/metered_reads.h"

namespace benchbench::hdf5 {
namespace {

thread_local ProbedRead* noted_in = nullptr;
thread_local MeteredReads* metered_in = nullptr;

struct OpenFile {
  H5FD_t library{};  // first: the library sees no more of it
  Descriptor descriptor;
  haddr_t end_of_space = 0;
  haddr_t end_of_file = 0;
  dev_t device = 0;
  ino_t inode = 0;
};

const OpenFile& of(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  if (flags & H5F_ACC_RDWR) return nullptr;
  Descriptor descriptor(::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about{};
  if (::fstat(descriptor.get(), &about) != 0 || !S_ISREG(about.st_mode)) return nullptr;
  auto* file = new OpenFile;
  file->descriptor = std::move(descriptor);
  file->end_of_file = static_cast<haddr_t>(about.st_size);
  file->device = about.st_dev;
  file->inode = about.st_ino;
  return &file->library;
}

herr_t close_file_of(H5FD_t* library) {
  delete reinterpret_cast<OpenFile*>(library);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* features) {
  if (features) *features = 0;
  return 0;
}

// Those of the library's own driver that matter to a file that is only read: small reads of plain
// data are sieved.
herr_t query_as_default(const H5FD_t*, unsigned long* features) {
  if (features)
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

// So that the library shares what it keeps of a file that is opened several times, as with its own
// driver.
int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto key = [](const H5FD_t* file) { return std::pair(of(file).device, of(file).inode); };
  return key(a) < key(b) ? -1 : key(b) < key(a) ? 1 : 0;
}

haddr_t end_of_space(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_space; }
herr_t set_end_of_space(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  reinterpret_cast<OpenFile*>(file)->end_of_space = end;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_file; }

herr_t read_at(const OpenFile& file, haddr_t at, std::size_t bytes, void* into) {
  auto* to = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t got = ::pread(file.descriptor.get(), to, bytes, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {  // behind the end: zeros, as the library's own drivers give
      std::memset(to, 0, bytes);
      return 0;
    }
    to += got;
    at += static_cast<haddr_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t read(H5FD_t* library, H5FD_mem_t type, hid_t, haddr_t at, std::size_t bytes, void* into) {
  if (type == H5FD_MEM_DRAW && noted_in) {
    ++noted_in->reads;
    noted_in->offset = at;
    noted_in->bytes = bytes;
    return 0;
  }
  if (!metered_in) return read_at(of(library), at, bytes, into);
  const TimePoint begun = metered_in->begin();
  const herr_t result = read_at(of(library), at, bytes, into);
  metered_in->end(begun, bytes);
  return result;
}

herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) { return -1; }

}  // namespace

ProbingScope::ProbingScope(ProbedRead& seen) noexcept { noted_in = &seen; }
ProbingScope::~ProbingScope() { noted_in = nullptr; }

MeteredReads::MeteredReads(const Runtime& runtime) noexcept : runtime_(runtime) {
  metered_in = this;
}
MeteredReads::~MeteredReads() { metered_in = nullptr; }

namespace {

H5FD_class_t driver_called(const char* name) {
  H5FD_class_t driver{};
  driver.name = name;
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.open = open_file;
  driver.close = close_file_of;
  driver.query = query;
  driver.get_eoa = end_of_space;
  driver.set_eoa = set_end_of_space;
  driver.get_eof = end_of_file;
  driver.read = read;
  driver.write = write;
  const H5FD_mem_t one_space[] = H5FD_FLMAP_SINGLE;
  std::memcpy(driver.fl_map, one_space, sizeof one_space);
  return driver;
}

}  // namespace

Id probing_driver() {
  static const hid_t registered = [] {
    const H5FD_class_t driver = driver_called("benchbench_probe");
    return H5FDregister(&driver);
  }();
  return registered;
}

Id metered_driver() {
  static const hid_t registered = [] {
    H5FD_class_t driver = driver_called("benchbench_metered");
    driver.query = query_as_default;
    driver.cmp = compare;
    return H5FDregister(&driver);
  }();
  return registered;
}

}  // namespace benchbench::hdf5
