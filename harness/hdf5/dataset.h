// One HDF5 data set, and the attributes of a data set or of a file.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/hdf5/handle.h"

namespace benchbench::hdf5 {

enum class Element : std::uint8_t {
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float64,
  text,
  int16,
  uint16,
  float32
};

// The content of elements whose length differs; `none` says that all are of one length.
enum class Variable : std::uint8_t { none, bytes, text, other };

// How the elements of a data set are stored.
struct Storage {
  enum class Kind : std::uint8_t { contiguous, chunked, compact, other };
  static constexpr int kDeflate = 1, kShuffle = 2;  // as the library numbers its filters
  Kind kind = Kind::other;
  std::vector<std::uint64_t> chunk;  // extents of one; chunked only
  std::vector<int> filters;          // in the order of writing
};

template <class T>
inline constexpr Element element_of = [] {
  static_assert(sizeof(T) == 0, "uint8, int32, int64, uint64 or double");
  return Element::uint8;
}();
template <>
inline constexpr Element element_of<std::uint8_t> = Element::uint8;
template <>
inline constexpr Element element_of<std::byte> = Element::uint8;
template <>
inline constexpr Element element_of<std::int32_t> = Element::int32;
template <>
inline constexpr Element element_of<std::int64_t> = Element::int64;
template <>
inline constexpr Element element_of<std::uint64_t> = Element::uint64;
template <>
inline constexpr Element element_of<double> = Element::float64;

// An object with attributes: a data set, or a file, whose attributes are the root's.
class Object {
 public:
  void set_attribute(const std::string& name, std::string_view text);
  void set_attribute(const std::string& name, std::int64_t value);
  // Return an attribute that is a single text, and one that is a single whole number.
  std::optional<std::string> text_attribute(const std::string& name) const;
  std::optional<std::int64_t> integer_attribute(const std::string& name) const;

 protected:
  Object(Handle id, Where where) : id_(std::move(id)), where_(std::move(where)) {}
  Handle id_;
  Where where_;
};

// Rows lie along the first dimension; a call reads or writes whole rows, row-major. Every member
// throws Hdf5Error of the file's kind. The library holds one global lock, so threads take turns; a
// Dataset may be shared for reading.
class Dataset : public Object {
 public:
  Dataset(Handle id, Where where) : Object(std::move(id), std::move(where)) {}

  // "results.h5: /trials/samples", for messages.
  const std::string& where() const noexcept { return where_.text; }
  std::vector<std::uint64_t> extents() const;  // empty: a single value
  std::uint64_t rows() const;                  // 1 for a single value
  std::uint64_t row_elements() const;          // product of the other dimensions
  // How it is stored; nullopt where that is none of ours (another width, big-endian, compound).
  // Numbers are converted on reading; only bytes read past the library (contiguous_offset) must be
  // asked for this first.
  std::optional<Element> element() const;

  Variable variable() const;
  // Bytes of an element that the library takes as it is, such as h5py's numpy.void; nullopt of
  // every other type.
  std::optional<std::uint64_t> opaque_bytes() const;

  // Where its bytes lie in the file when they are one uncompressed piece, for pread: measured 2x
  // (large) to 5x (small samples) the library's rate. nullopt for chunked, compact or not yet
  // written data.
  std::optional<std::uint64_t> contiguous_offset() const;

  Storage storage() const;
  // The stored bytes of the chunk whose first element is in row `row`, in column 0: filtered
  // already, past the filters of the library.
  void write_chunk(std::uint64_t row, std::span<const std::byte> stored);

  // Throws where reading it could reach outside the file or run code we do not know: external
  // storage, a virtual data set, a filter other than those built into the library; also where its
  // bytes would end behind the end of the file. Call it before the first read of any file that is
  // not ours.
  void require_plain() const;

  // into.size() must be a multiple of row_elements(), and the rows must exist.
  template <class T>
  void read(std::uint64_t first_row, std::span<T> into) const {
    read_rows(first_row, element_of<T>, into.data(), into.size());
  }
  template <class T>
  std::vector<T> read_all() const {
    std::vector<T> values(rows() * row_elements());
    read(0, std::span<T>(values));
    return values;
  }
  // Fixed- and variable-length strings, up to the first NUL.
  std::vector<std::string> read_text() const;

  template <class T>
  void write(std::uint64_t first_row, std::span<const T> values) {
    write_elements(first_row, element_of<T>, values.data(), values.size());
  }
  // Elements of a type known only when running.
  void write_elements(std::uint64_t first_row, Element element, const void* from,
                      std::uint64_t count);

 private:
  friend class File;
  friend class RowReader;
  friend class ChunkFinder;
  void read_rows(std::uint64_t first, Element element, void* into, std::uint64_t count) const;
  struct Filter {
    int number;  // below 0: it could not be read
    std::string name;
  };
  // Returns those in the properties that it was made by.
  std::vector<Filter> read_filters(const Handle& made) const;
  // `doing` is for messages.
  Handle space(std::string_view doing = "read its size") const;
  Handle type() const;
  Handle properties() const;
  Handle rows_selected(std::uint64_t first, std::uint64_t count) const;
  std::uint64_t whole_rows(std::uint64_t elements) const;
  void require_inside_file() const;
  std::vector<std::string> fixed_text(Id type) const;
  std::vector<std::string> variable_text(Id type) const;
};

}  // namespace benchbench::hdf5
