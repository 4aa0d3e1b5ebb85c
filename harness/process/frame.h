// Frames on a pipe between supervisor and child: "<kind> <bytes>\n" followed by the bytes.
// Binary-safe, so that a record's series travel beside its JSON.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace benchbench {

struct Frame {
  std::string kind;  // a word: "trial", "record", "series", "progress", ...
  std::string payload;
};

// A frame's bytes.
std::string frame_text(std::string_view kind, std::string_view payload);

// Writes whole frames; false where the reader is gone. Waits for as long as the pipe is full.
bool write_frame(int fd, std::string_view kind, std::string_view payload);

// Collects bytes as they come and hands out whole frames. One thread.
class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole frame, nullopt where more bytes are needed. Throws PartError where the bytes are
  // no frames (a part that wrote into the pipe).
  std::optional<Frame> next();

 private:
  std::string buffer_;
  std::size_t used_ = 0;
};

}  // namespace benchbench
