// The harness asks the catalogue about formats: their names, extensions and first bytes stand in
// scenarios/formats alone, so that a new format is one file and one line.
#include <catch2/catch.hpp>
#include <set>

#include "harness/part/catalog.h"
#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace format_names_test {

struct Exempt {
  const char* path;
  std::set<std::string> words;
  const char* reason;
};
const Exempt kExempt[] = {
    {"harness/app/commands/report.cpp", {"h5"}, "the option --h5, of the store's results.h5"},
    {"harness/app/commands/run.cpp", {"h5"}, "the option --h5, of the store's results.h5"},
    {"harness/analysis/components/advice.cpp",
     {"jpeg"},
     "the preparation of that name, a value of dataset.prepare"},
    {"harness/config/dlio/dlio.cpp",
     {"tfrecord", "parquet", "npz", "npy", "hdf5", "image_folder", "hdf5_contiguous",
      "hdf5_chunked", "hdf5_gzip", "raw", "jpeg", "png", "tar"},
     "translates the words of another program, which knows no other formats"},
    {"harness/micro/figures/of_storage.cpp",
     {"hdf5_contiguous", "hdf5_gzip", "raw"},
     "its figures are goals of these formats against their own libraries"},
};
// Kinds of data, too: what is called so is the kind wherever the harness says it.
const std::set<std::string> kKinds = {"tokens", "images"};

// "hdf5_" and ".tar" name a format as much as the whole word does.
std::string bare(std::string_view word) {
  constexpr std::string_view kEdges = "._-/:, ";
  const std::size_t first = word.find_first_not_of(kEdges);
  if (first == std::string_view::npos) return {};
  return std::string(word.substr(first, word.find_last_not_of(kEdges) - first + 1));
}

// All that tells a format: its names, its extensions, names of its files, first bytes that can be
// read.
std::set<std::string> words_of_formats() {
  std::set<std::string> words;
  for (const PartRow& row : built_in_catalog().rows()) {
    if (row.description->kind != PartKind::sample_format) continue;
    const OnDisk& d = row.description->on_disk;
    words.insert({std::string(row.description->name), bare(d.alias), bare(d.made_as),
                  bare(d.signature), bare(d.folder_marker)});
    for (const std::string_view extension : d.extensions) words.insert(bare(extension));
  }
  words.erase("");
  for (const std::string& kind : kKinds) words.erase(kind);
  return words;
}

bool is_exempt(const std::string& path, const std::string& word) {
  for (const Exempt& e : kExempt)
    if (path == e.path && e.words.contains(word)) return true;
  return false;
}

// "path:line: word" for each literal that is such a word and nothing else, exempt or not.
std::vector<std::pair<std::string, std::string>> named_in(const SourceFile& file,
                                                          const std::set<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> named;
  for (const Literal& literal : literals_of(file))
    if (const std::string word = bare(literal.text); words.contains(word))
      named.emplace_back(word, file.path + ":" + std::to_string(literal.line));
  return named;
}

TEST_CASE("formats: no literal of the harness names one", "[architecture]") {
  const std::set<std::string> words = words_of_formats();
  std::set<std::pair<std::string, std::string>> used;
  for (const SourceFile& file : sources_under({"harness"})) {
    for (const auto& [word, where] : named_in(file, words)) {
      used.emplace(file.path, word);
      INFO(where << ": \"" << word
                 << "\" is a format's: ask the catalogue for what is needed of it (OnDisk, Holds)");
      CHECK(is_exempt(file.path, word));
    }
  }
  for (const Exempt& e : kExempt)
    for (const std::string& word : e.words) {
      INFO(e.path << ": " << word << " is exempt and not there");
      CHECK(used.contains({e.path, word}));
    }
}

TEST_CASE("formats: names in literals are found, those in comments and longer texts are not",
          "[architecture]") {
  const std::set<std::string> words = words_of_formats();
  const auto count = [&](const char* code) {
    return named_in(source_from("harness/x.cpp", code), words).size();
  };
  CHECK(count("if (format == \"tar\") return \".h5\";") == 2);
  CHECK(count("x.starts_with(\"hdf5_\")") == 1);
  CHECK(count("{\"PAR1\", \"webdataset\"}") == 2);
  CHECK(count("// \"tar\"") == 0);
  CHECK(count("\"keep it in tar or hdf5\"") == 0);
}

}  // namespace format_names_test
}  // namespace benchbench::architecture
