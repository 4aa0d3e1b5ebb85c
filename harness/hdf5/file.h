// An HDF5 file: open somebody's to read, or write one of ours from start to end. The C API lies
// behind here, each call wrapped once: checked, its error printing switched off, its error stack
// turned into one line.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/hdf5/dataset.h"

namespace benchbench::hdf5 {

// Whether this build of the library holds its one lock. Distributions' do, others need not.
bool library_is_thread_safe();
// Before workers use the library beside each other and beside whoever writes results. Hdf5Error
// where it is not `safe`.
void require_thread_safe(ErrorKind kind, const std::string& where,
                         bool safe = library_is_thread_safe());

// Paths inside a file are absolute ("/trials/samples"); groups on the way are made as needed when
// writing. Not thread-safe by itself, apart from dataset() on a file opened for reading.
class File : public Object {
 public:
  // newest: chunks of fixed extents are found by arithmetic or in one table; readers older than
  // 1.10 cannot open it.
  enum class Format { oldest_possible, newest };
  // Hdf5Error of `kind` where there is none, it is no HDF5 file, or it is cut short. Takes no lock:
  // a file on a read-only or network file system opens too.
  // `metered`: what its reads take goes to the MeteredReads of their thread.
  static File open_readonly(const std::string& path, ErrorKind kind = ErrorKind::scenario,
                            bool metered = false);
  // Replaces what is there. Write under a temporary name, close(), rename: a file half written is
  // not readable.
  static File create(const std::string& path, ErrorKind kind = ErrorKind::store,
                     Format format = Format::oldest_possible);

  const std::string& path() const noexcept { return where_.text; }
  bool has(const std::string& name) const;
  // What a group holds, by name.
  std::vector<std::string> names(const std::string& group = "/") const;
  // The groups and data sets that hard links of a group lead to, by name. Links to the same one
  // give the same `place`.
  struct Entry {
    std::string name;
    bool group = false;
    std::uint64_t place = 0;
  };
  std::vector<Entry> entries(const std::string& group = "/") const;
  // How addresses that are stored in the file count: their width, and the byte from which.
  struct Addresses {
    std::size_t bytes = 0;
    std::uint64_t base = 0;
  };
  Addresses addresses() const;

  // Every step of the way must be a hard link: soft and external links are refused, since they can
  // lead out of the file.
  Dataset dataset(const std::string& name) const;

  // One-shot: a data set of just these values.
  template <class T>
  Dataset write(const std::string& name, std::span<const T> values) {
    Dataset made = create_contiguous(name, element_of<T>, {values.size()});
    if (!values.empty()) made.write(0, values);
    return made;
  }
  // Strings as UTF-8: of variable length (width 0), or padded with NULs to `width` bytes, longer
  // ones refused.
  Dataset write_text(const std::string& name, std::span<const std::string> values,
                     std::size_t width = 0);
  Dataset write_text(const std::string& name, const std::string& value);  // a single value
  // One uncompressed piece with its place in the file fixed at once: Dataset::contiguous_offset()
  // works before the first write.
  Dataset create_contiguous(const std::string& name, Element element,
                            const std::vector<std::uint64_t>& extents);
  // In chunks of one row each. Without `gzip_level` their space is taken at once, in row order;
  // with it, rows are to be written with Dataset::write_chunk, in zlib's format.
  Dataset create_row_chunks(const std::string& name, Element element,
                            const std::vector<std::uint64_t>& extents,
                            std::optional<unsigned> gzip_level);

  // Writes everything out and closes; throws what the destructor would have to swallow (a full
  // disk).
  void close();

 private:
  using Object::Object;
  void require_hard_links(const std::string& name) const;
  Dataset create(const std::string& name, Id type, Id space, Id properties);
  Dataset write_text_in(const std::string& name, const Handle& space,
                        std::span<const std::string> values, std::size_t width);
  Where at(const std::string& name) const { return {where_.text + ": " + name, where_.kind}; }
};

}  // namespace benchbench::hdf5
