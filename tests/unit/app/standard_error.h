// What a test's work writes to standard error.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

namespace benchbench::test {

// What is written to standard error while `work` runs: a file, so no terminal.
template <class Work>
std::string on_standard_error(Work work) {
  const int file = ::memfd_create("standard error", 0), before = ::dup(STDERR_FILENO);
  REQUIRE(file >= 0);
  std::fflush(stderr);
  ::dup2(file, STDERR_FILENO);
  work();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), ' ');
  REQUIRE(::pread(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  ::close(file);
  return text;
}

}  // namespace benchbench::test
