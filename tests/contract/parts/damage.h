// Archives that are damaged on purpose, and what opening and reading them comes to. Each look
// happens in a child: one that crashes, hangs or asks for a gigabyte of memory is an outcome too,
// and the next look goes on behind it.
#pragma once
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/part/null_meter.h"
#include "tests/hang.h"
#include "tests/scratch_folder.h"

namespace benchbench::test::damage {

namespace fs = std::filesystem;

enum class Outcome : char {
  same,          // everything as it was
  refused_open,  // ScenarioError that names the place
  refused_read,  // PartError for some samples, the others as they were
  other_bytes,   // a sample with another payload, nobody told: the digest of the data set shows it
  other_words,   // another label, name, kind or number of samples, nobody told
  unnamed,       // refused, but nobody knows which file
  wrong_error,   // an exception of another kind
  crashed,
  hung,
};
inline constexpr const char* kOutcomes[] = {"same",
                                            "refused on opening",
                                            "refused on reading",
                                            "other bytes",
                                            "other words",
                                            "unnamed",
                                            "wrong error",
                                            "crashed",
                                            "hung"};
using Outcomes = std::array<int, std::size(kOutcomes)>;

inline std::string words_of(const Outcomes& outcomes) {
  std::string text;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (outcomes[i])
      text += (text.empty() ? "" : ", ") + std::to_string(outcomes[i]) + " " + kOutcomes[i];
  return text;
}

inline std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_content(const fs::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// An archive of one format with its pristine bytes.
class Subject {
 public:
  struct File {
    fs::path path;
    std::string bytes;
  };

  Subject(const PartDescription& description, const FormatPart& how, const PayloadSpec& what)
      : format(how), name(description.name), payload(what) {
    folder = make_scratch_folder("damage-" + name);
    ::setenv("BENCHBENCH_CACHE", (folder / "cache").c_str(), 1);
    path = folder / "data";
    const auto writer = format.create({path, kSamples, payload});
    for (SampleId id = 0; id < kSamples; ++id)
      writer->add("n000" + std::to_string(id % 3) + "/" + std::to_string(100 + id) + ".jpg",
                  static_cast<std::int64_t>(id % 3), stored(id));
    writer->finish();
    keep();
  }
  ~Subject() {
    ::unsetenv("BENCHBENCH_CACHE");
    fs::remove_all(folder);
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  // As somebody else would have left it: without the index that we write beside.
  void drop_own_index() {
    for (const File& file : files)
      if (is_own_index(file.path)) fs::remove(file.path);
    keep();
  }
  static bool is_own_index(const fs::path& file) {
    const std::string name = file.filename();
    return name.size() >= 17 && name.ends_with(".benchbench-index");
  }

  void restore() const {
    fs::remove_all(folder / "cache");
    for (const File& file : files) {
      if (!fs::is_regular_file(fs::symlink_status(file.path))) fs::remove_all(file.path);
      write_content(file.path, file.bytes);
    }
  }

  static constexpr std::uint64_t kSamples = 10;
  const FormatPart& format;
  std::string name;
  PayloadSpec payload;
  fs::path folder;
  std::string path;
  std::vector<File> files;

 private:
  std::vector<std::byte> stored(SampleId id) const {
    Random random(id + 3);
    constexpr std::size_t sizes[] = {700, 1, 511, 512, 9000, 1024, 64, 3000, 5, 2000};
    const std::size_t elements =
        payload.row.rank ? static_cast<std::size_t>(payload.row.elements()) : sizes[id % 10];
    std::vector<std::byte> bytes(elements * size_of(payload.dtype));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.next());
    return bytes;
  }
  void keep() {
    files.clear();
    fs::remove_all(folder / "cache");
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) files.push_back({entry.path(), content_of(entry.path())});
    std::ranges::sort(files, {}, &File::path);
  }
};

// All that an archive gives.
struct Seen {
  PayloadSpec payload;
  std::vector<std::string> names;
  std::vector<std::int64_t> labels;
  std::vector<std::vector<std::byte>> bytes;
};

inline Seen see(const Subject& subject) {
  const auto runtime = make_real_runtime();
  const auto archive = subject.format.open(subject.path);
  const auto reader = archive->reader(*runtime);
  NullMeter meter;
  Seen seen{.payload = archive->payload(), .names = {}, .labels = {}, .bytes = {}};
  for (SampleId id = 0; id < archive->layout().samples; ++id) {
    const StoredSample sample = reader->read(id, 0, meter);
    seen.names.emplace_back(sample.name);
    seen.labels.push_back(sample.label);
    seen.bytes.emplace_back(sample.payload.begin(), sample.payload.end());
  }
  return seen;
}

// Whether people are told where: in the message, or in what was added on its way.
inline bool names(const Error& error, std::string_view place) {
  if (error.message().find(place) != std::string_view::npos ||
      error.context().find(place) != std::string_view::npos)
    return true;
  if (std::getenv("BENCHBENCH_DAMAGE_TABLE"))
    std::fprintf(stderr, "names no file: %s\n", error.what());
  return false;
}

// What one way into the archive gives now, against what it gave.
inline Outcome compare(SampleReader& reader, const Seen& before) {
  NullMeter meter;
  Outcome worst = Outcome::same;
  for (SampleId id = 0; id < before.bytes.size(); ++id) {
    try {
      const StoredSample sample = reader.read(id, 0, meter);
      if (!std::ranges::equal(sample.payload, before.bytes[id])) return Outcome::other_bytes;
      if (sample.label != before.labels[id] || sample.name != before.names[id])
        worst = Outcome::other_words;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::part) return Outcome::wrong_error;
      if (error.message().find('\'') == std::string_view::npos && !names(error, "/data"))
        return Outcome::unnamed;
      if (worst == Outcome::same) worst = Outcome::refused_read;
    }
  }
  return worst;
}

// Opens and reads everything in every way; the worst of them.
inline Outcome look(const Subject& subject, const Seen& before) try {
  const auto runtime = make_real_runtime();
  std::unique_ptr<SampleArchive> archive;
  try {
    archive = subject.format.open(subject.path);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::scenario) return Outcome::wrong_error;
    return names(error, subject.folder.string()) ? Outcome::refused_open : Outcome::unnamed;
  }
  if (archive->layout().samples != before.bytes.size() || !(archive->payload() == before.payload)) {
    NullMeter meter;  // what there is must still be readable or refused
    const auto reader = archive->reader(*runtime);
    for (SampleId id = 0; id < std::min<std::uint64_t>(archive->layout().samples, 1000); ++id) {
      try {
        reader->read(id, 0, meter);
      } catch (const PartError&) {
      }
    }
    return Outcome::other_words;
  }
  Outcome outcome = compare(*archive->reader(*runtime), before);
  std::unique_ptr<SampleReader> library;
  try {
    library = archive->library_reader(*runtime);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::part && error.kind() != ErrorKind::scenario)
      return Outcome::wrong_error;
    return std::max(outcome, Outcome::refused_read);
  }
  if (library) outcome = std::max(outcome, compare(*library, before));
  return outcome;
} catch (const Error& error) {
  return error.kind() == ErrorKind::part || error.kind() == ErrorKind::scenario
             ? Outcome::refused_read
             : Outcome::wrong_error;
} catch (...) {
  return Outcome::wrong_error;
}

// `act(i)` for each i below `count`, in children. `mend` after one that died.
inline std::vector<Outcome> in_children(std::size_t count,
                                        const std::function<Outcome(std::size_t)>& act,
                                        const std::function<void()>& mend) {
  constexpr unsigned kPatience = std::chrono::seconds{kHang}.count();
  std::vector<Outcome> outcomes;
  std::fflush(nullptr);
  ::malloc_trim(0);  // what the trainers of other cases left makes each fork longer
  while (outcomes.size() < count) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    const pid_t child = ::fork();
    if (child == 0) {
      for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGTERM})
        ::signal(signal, SIG_DFL);
      // What is mapped by now, and 1 GiB: a size that lies must not become memory.
      std::uint64_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      const rlim_t max = pages * 4096 + (1ull << 30);
      const rlimit limit{max, max}, no_core{0, 0};
      ::setrlimit(RLIMIT_AS, &limit);
      ::setrlimit(RLIMIT_CORE, &no_core);
      for (std::size_t i = outcomes.size(); i < count; ++i) {
        ::alarm(kPatience);
        const char outcome = static_cast<char>(act(i));
        if (::write(ends[1], &outcome, 1) != 1) ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    for (char outcome = 0; ::read(ends[0], &outcome, 1) == 1;)
      outcomes.push_back(static_cast<Outcome>(outcome));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (outcomes.size() == count) break;
    outcomes.push_back(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? Outcome::hung
                                                                          : Outcome::crashed);
    mend();
  }
  return outcomes;
}

// A change to one file.
struct Damage {
  std::size_t file = 0;
  std::string words;
  std::function<void(const Subject::File&)> apply;
};

inline Damage cut(std::size_t file, std::uint64_t left) {
  return {file, "cut to " + std::to_string(left) + " bytes", [left](const Subject::File& f) {
            write_content(f.path, std::string_view(f.bytes).substr(0, left));
          }};
}

inline Damage flip(std::size_t file, std::uint64_t at, unsigned bit) {
  return {file, "byte " + std::to_string(at) + ", bit " + std::to_string(bit),
          [at, bit](const Subject::File& f) {
            std::string bytes = f.bytes;
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
            write_content(f.path, bytes);
          }};
}

struct Result {
  Outcomes count{};
  std::string bad;  // each that must not be, with the damage that brought it
};

// `allowed`: besides same, refused_open and refused_read.
inline Result suffer(const Subject& subject, const std::vector<Damage>& damages,
                     std::initializer_list<Outcome> allowed) {
  const Seen before = see(subject);
  const auto outcomes = in_children(
      damages.size(),
      [&](std::size_t i) {
        const Subject::File& file = subject.files[damages[i].file];
        fs::remove_all(subject.folder / "cache");
        damages[i].apply(file);
        const Outcome outcome = look(subject, before);
        if (!fs::is_regular_file(fs::symlink_status(file.path))) fs::remove_all(file.path);
        write_content(file.path, file.bytes);
        return outcome;
      },
      [&] { subject.restore(); });
  subject.restore();
  Result result;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    ++result.count[static_cast<std::size_t>(outcomes[i])];
    if (outcomes[i] <= Outcome::refused_read || std::ranges::count(allowed, outcomes[i])) continue;
    result.bad += subject.files[damages[i].file].path.filename().string() + ", " +
                  damages[i].words + ": " + kOutcomes[static_cast<int>(outcomes[i])] + "\n";
  }
  return result;
}

}  // namespace benchbench::test::damage
