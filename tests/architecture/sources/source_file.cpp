#include "tests/architecture/sources/source_file.h"
#include "tests/places.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

namespace benchbench::architecture {
namespace {

namespace fs = std::filesystem;

// Where the literal or comment that begins at `at` ends; `at` where none begins there.
std::size_t end_of_comment(const std::string& text, std::size_t at) {
  if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
  if (text.compare(at, 2, "/*") == 0) {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string::npos ? text.size() : end + 2;
  }
  return at;
}

std::size_t end_of_literal(const std::string& text, std::size_t at) {
  if (text.compare(at, 2, "R\"") == 0) {
    const std::size_t open = text.find('(', at);
    if (open == std::string::npos) return at;
    const std::string close = ")" + text.substr(at + 2, open - at - 2) + "\"";
    const std::size_t end = text.find(close, open);
    return end == std::string::npos ? text.size() : end + close.size();
  }
  const bool separator =
      text[at] == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1]));
  if ((text[at] != '"' && text[at] != '\'') || separator) return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && text[end] != '\n')
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

std::string blanked(const std::string& text, bool literals_too) {
  std::string out = text;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comment = end_of_comment(text, at);
    const std::size_t literal = comment > at ? at : end_of_literal(text, at);
    if (comment > at) blank(at, comment);
    if (literal > at && literals_too) blank(at, literal);
    at = std::max({at + 1, comment, literal});
  }
  return out;
}

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex directive(R"re((^|\n)[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"])re");
  const std::string code = blanked(text, false);
  std::vector<Include> includes;
  for (std::sregex_iterator it(code.begin(), code.end(), directive), end; it != end; ++it)
    includes.push_back(
        {(*it)[3], (*it)[2] == "<", line_of(code, static_cast<std::size_t>(it->position(3)))});
  return includes;
}

}  // namespace

std::vector<Literal> literals_of(const SourceFile& file) {
  std::vector<Literal> literals;
  const std::string& text = file.text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comment = end_of_comment(text, at);
    const std::size_t literal = comment > at ? at : end_of_literal(text, at);
    if (literal > at + 1 && text[at] == '"')
      literals.push_back({text.substr(at + 1, literal - at - 2), line_of(text, at), at, literal});
    at = std::max({at + 1, comment, literal});
  }
  return literals;
}

std::vector<Literal> joined_literals_of(const SourceFile& file) {
  std::vector<Literal> joined;
  for (Literal& literal : literals_of(file)) {
    const std::size_t end = joined.empty() ? 0 : joined.back().end;
    const std::string_view between = std::string_view(file.code).substr(end, literal.begin - end);
    if (joined.empty() || between.find_first_not_of(" \n\t") != std::string_view::npos) {
      joined.push_back(std::move(literal));
    } else {
      joined.back().text += literal.text;
      joined.back().end = literal.end;
    }
  }
  return joined;
}

int line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

SourceFile source_from(std::string path, std::string text) {
  SourceFile file{std::move(path), std::move(text), {}, {}};
  file.code = blanked(file.text, true);
  file.includes = includes_of(file.text);
  return file;
}

std::string folder_of(std::string_view path) {
  const std::size_t first = path.find('/');
  if (first == std::string_view::npos) return {};
  const std::string_view top = path.substr(0, first);
  if (top == "mocks" || top == "tests") return std::string(top);
  const std::size_t second = path.find('/', first + 1);
  return std::string(second == std::string_view::npos ? top : path.substr(0, second));
}

std::string read_source(const std::string& path) {
  std::ifstream in(test::source_path(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> files_under(const std::vector<std::string>& folders) {
  const fs::path root = fs::path(test::source_path("")).parent_path();
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file())
        paths.push_back(fs::relative(entry.path(), root).generic_string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

const SourceFile& source_at(const std::string& path) {
  static std::map<std::string, SourceFile> known;
  const auto at = known.find(path);
  if (at != known.end()) return at->second;
  return known.emplace(path, source_from(path, read_source(path))).first->second;
}

std::vector<std::reference_wrapper<const SourceFile>> sources_under(
    const std::vector<std::string>& folders) {
  std::vector<std::reference_wrapper<const SourceFile>> files;
  for (const std::string& path : files_under(folders))
    if (path.ends_with(".h") || path.ends_with(".cpp")) files.push_back(source_at(path));
  return files;
}

bool has_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

}  // namespace benchbench::architecture
