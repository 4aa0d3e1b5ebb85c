// The sources as the architecture tests read them.
#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace benchbench::architecture {

struct Include {
  std::string path;
  bool angled = false;  // <path>, not "path"
  int line = 0;
};

// A string literal as it is written, without its quotes.
struct Literal {
  std::string text;
  int line = 0;
  std::size_t begin = 0, end = 0;  // in the file's text, quotes included
};

struct SourceFile {
  std::string path;  // from the root of the repository
  std::string text;
  // The text with comments and the insides of literals blanked; same length, same lines.
  std::string code;
  std::vector<Include> includes;

  bool is_header() const { return path.ends_with(".h"); }
};

SourceFile source_from(std::string path, std::string text);
// "harness/trial" for harness/pipeline/sampling/random.cpp, "mocks" for all of mocks: a row of the
// include table.
std::string folder_of(std::string_view path);
// The file at this path of the repository, read at the first call.
const SourceFile& source_at(const std::string& path);
// Every .h and .cpp under these folders of the repository, sorted by path.
std::vector<std::reference_wrapper<const SourceFile>> sources_under(
    const std::vector<std::string>& folders);
// Paths of all files under these folders that we wrote, sorted.
std::vector<std::string> files_under(const std::vector<std::string>& folders);
std::string read_source(const std::string& path);
// In the order they stand; paths of includes are among them, raw strings are not.
std::vector<Literal> literals_of(const SourceFile& file);
// The same, with those that the compiler joins as one.
std::vector<Literal> joined_literals_of(const SourceFile& file);
int line_of(std::string_view text, std::size_t at);
// True if the text has one of the words, a part of a longer one included. Much faster than a
// regular expression, which then need not look at most texts.
bool has_one_of(std::string_view text, std::initializer_list<std::string_view> words);

}  // namespace benchbench::architecture
