#include "harness/hdf5/probing_driver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/core/descriptor.h"
#include "harness/hdf5/call.h"

namespace benchbench::hdf5 {
namespace {

thread_local ProbedRead* noted_in = nullptr;

struct OpenFile {
  H5FD_t library{};  // first: the library sees no more of it
  Descriptor descriptor;
  haddr_t end_of_space = 0;
  haddr_t end_of_file = 0;
};

const OpenFile& of(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  if (flags & H5F_ACC_RDWR) return nullptr;
  Descriptor descriptor(::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (::fstat(descriptor.get(), &about) != 0 || !S_ISREG(about.st_mode)) return nullptr;
  auto* file = new OpenFile;
  file->descriptor = std::move(descriptor);
  file->end_of_file = static_cast<haddr_t>(about.st_size);
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

haddr_t end_of_space(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_space; }
herr_t set_end_of_space(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  reinterpret_cast<OpenFile*>(file)->end_of_space = end;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_file; }

herr_t read(H5FD_t* library, H5FD_mem_t type, hid_t, haddr_t at, std::size_t bytes, void* into) {
  if (type == H5FD_MEM_DRAW && noted_in) {
    ++noted_in->reads;
    noted_in->offset = at;
    noted_in->bytes = bytes;
    return 0;
  }
  auto* to = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t got = ::pread(of(library).descriptor.get(), to, bytes, static_cast<off_t>(at));
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

herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) { return -1; }

}  // namespace

ProbingScope::ProbingScope(ProbedRead& seen) noexcept { noted_in = &seen; }
ProbingScope::~ProbingScope() { noted_in = nullptr; }

Id probing_driver() {
  static const hid_t registered = [] {
    H5FD_class_t driver{};
    driver.name = "benchbench_probe";
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
    return H5FDregister(&driver);
  }();
  return registered;
}

}  // namespace benchbench::hdf5
