// What a Python child says (python/PROTOCOL.md), by somebody who means harm: messages come out the
// same however the bytes are cut, and each is an object with a type, or refused by a PartError.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "scenarios/python/answers.h"
#include "scenarios/python/message.h"

namespace benchbench::python_part {
namespace {

struct Heard {
  std::vector<Message> messages;
  bool refused = false;
};

Heard heard(std::string_view bytes, std::size_t piece) {
  Heard all;
  MessageReader reader;
  try {
    while (!bytes.empty()) {
      reader.feed(bytes.substr(0, piece));
      bytes.remove_prefix(std::min(piece, bytes.size()));
      while (auto message = reader.next()) all.messages.push_back(std::move(*message));
    }
  } catch (const PartError&) {
    all.refused = true;
  }
  return all;
}

// Two lengths, which a fuzzer does not find: those of the input's JSON and blob.
std::string framed(std::string_view json, std::string_view blob) {
  std::string text;
  for (const std::size_t length : {json.size(), blob.size()})
    for (int i = 0; i < 4; ++i) text += static_cast<char>(length >> 8 * i);
  return text.append(json).append(blob);
}

void understand(const Message& message) {
  const auto try_it = [](auto work) {
    try {
      work();
    } catch (const benchbench::Error&) {
    }
  };
  try_it([&] {
    benchbench::ExternalFacts facts;
    note_loaded(message, facts);
    result_from(message, facts);
  });
  try_it([&] { result_from(message, {}); });
  try_it([&] { check_from(message); });
}

}  // namespace
}  // namespace benchbench::python_part

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchbench::python_part;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t split = std::min<std::size_t>(bytes.size(), data[1] * 8u);
  for (const std::string& stream :
       {std::string(bytes),
        framed(bytes.substr(0, bytes.size() - split), bytes.substr(bytes.size() - split))}) {
    const Heard whole = heard(stream, stream.size() + 1), cut = heard(stream, 1 + data[0] % 70);
    if (whole.messages.size() != cut.messages.size() || whole.refused != cut.refused) std::abort();
    for (std::size_t i = 0; i < whole.messages.size(); ++i) {
      const Message& message = whole.messages[i];
      if (!message.body.is_object() || message.blob != cut.messages[i].blob) std::abort();
      understand(message);
    }
  }
  return 0;
}
