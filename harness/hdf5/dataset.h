// One HDF5 data set.
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
  static_assert(sizeof(T) == 0, "uint8, int32, uint32, int64, uint64 or double");
  return Element::uint8;
}();
template <>
inline constexpr Element element_of<std::uint8_t> = Element::uint8;
template <>
inline constexpr Element element_of<std::byte> = Element::uint8;
template <>
inline constexpr Element element_of<std::int32_t> = Element::int32;
template <>
inline constexpr Element element_of<std::uint32_t> = Element::uint32;
template <>
inline constexpr Element element_of<std::int64_t> = Element::int64;
template <>
inline constexpr Element element_of<std::uint64_t> = Element::uint64;
template <>
inline constexpr Element element_of<double> = Element::float64;
template <>
inline constexpr Element element_of<std::int16_t> = Element::int16;
template <>
inline constexpr Element element_of<std::uint16_t> = Element::uint16;
template <>
inline constexpr Element element_of<float> = Element::float32;

// Rows lie along the first dimension; a call reads or writes whole rows, row-major. Every member
// throws Hdf5Error of the file's kind. The library holds one global lock, so threads take turns; a
// Dataset may be shared for reading.
class Dataset {
 public:
  Dataset(Handle id, std::string where, ErrorKind kind);

  // "results.h5: /trials/samples", for messages.
  const std::string& where() const noexcept { return where_; }
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
    write_rows(first_row, element_of<T>, values.data(), values.size());
  }
  // Only for a data set made with File::create_extendible.
  template <class T>
  void append(std::span<const T> values) {
    const std::uint64_t end = rows();
    grow(end + values.size() / row_elements());
    write(end, values);
  }

  // Elements of a type known only when running.
  void write_elements(std::uint64_t first_row, Element element, const void* from,
                      std::uint64_t count) {
    write_rows(first_row, element, from, count);
  }

  void set_attribute(const std::string& name, std::string_view text);
  void set_attribute(const std::string& name, double value);
  void set_attribute(const std::string& name, std::int64_t value);
  std::optional<std::string> text_attribute(const std::string& name) const;
  // Returns an attribute that is a single whole number.
  std::optional<std::int64_t> integer_attribute(const std::string& name) const;

 private:
  friend class RowReader;
  friend class ChunkFinder;
  void read_rows(std::uint64_t first, Element element, void* into, std::uint64_t count) const;
  void write_rows(std::uint64_t first, Element element, const void* from, std::uint64_t count);
  Handle rows_selected(std::uint64_t first, std::uint64_t count) const;
  void require_inside_file() const;
  void grow(std::uint64_t rows);
  std::vector<std::string> fixed_text(Id type) const;
  std::vector<std::string> variable_text() const;

  Handle id_;
  std::string where_;
  ErrorKind kind_;
};

}  // namespace benchbench::hdf5
