// Where a command's output goes, and how wide it is.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>

#include "harness/app/command.h"

namespace benchbench {

// Into the file at `path`, which is made new, or "-": standard output. StoreError where it could
// not be written.
void write_to(const std::string& path, const std::function<void(std::ostream&)>& write);
// Throws the StoreError of `number` (an errno, or 0 where none is known) for the file at `path`.
[[noreturn]] void output_failed(const std::string& path, int number);
// Text for people to standard output: control characters of names as visible_lines() shows them.
// StoreError as above.
void write_text(const std::string& text);
// The report of a command that has --json and text alone: the text to standard output, unless the
// JSON goes there. Only what is written is made. StoreError as above.
using MakeText = std::function<std::string()>;
void write_report(const Arguments& arguments, const MakeText& text, const MakeText& json);
// As write_to(), under a temporary name in the file's folder, "FILE.part", then renamed: who reads
// FILE meanwhile sees the old one or the whole new one. What is no regular file (a pipe,
// /dev/stdout) is written as it is; a link's target is replaced, not the link.
void replace_file(const std::string& path, const std::function<void(std::ostream&)>& write);
// Columns of the terminal that `out` is, at least 60; where it is none, those of COLUMNS; nullopt
// where that is not set.
std::optional<unsigned> output_width(std::FILE* out = stdout);
// What help, plans and explanations are printed in: 80 columns, or those of a narrower terminal.
unsigned page_width();

// Lines that are too long are broken: for standard output at page_width(), for standard error at
// its terminal's width or 100.
void print_fitted(std::FILE* out, const std::string& text);
template <class... Values>
void print_fitted(std::FILE* out, fmt::format_string<Values...> format, Values&&... values) {
  print_fitted(out, fmt::format(format, std::forward<Values>(values)...));
}
// The same to standard output.
void print_fitted(const std::string& text);
template <class... Values>
void print_fitted(fmt::format_string<Values...> format, Values&&... values) {
  print_fitted(stdout, format, std::forward<Values>(values)...);
}

}  // namespace benchbench
