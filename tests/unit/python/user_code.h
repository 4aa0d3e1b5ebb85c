// Scripts as users write them, and the parts made of them.
#pragma once
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <memory>

#include "harness/part/catalog.h"
#include "tests/skip.h"
#include "tests/unit/python/given_settings.h"
#include "tests/unit/python/script_folder.h"

namespace benchbench::parts {
PartMaker loader_python_maker();
PartMaker trainer_python_maker();
}  // namespace benchbench::parts

namespace benchbench::test {

// True if the tests' interpreter has `package`. It looks without importing it, which takes torch a
// second.
inline bool has_package(const std::string& package) {
  static std::map<std::string, bool> known;
  const auto [at, fresh] = known.try_emplace(package, false);
  if (fresh) {
    const std::string look = test_python() +
                             " -c 'import importlib.util, sys; "
                             "sys.exit(importlib.util.find_spec(\"" +
                             package + "\") is None)'";
    at->second = std::system(look.c_str()) == 0;
  }
  return at->second;
}

// Leaves the test where the tests' interpreter lacks it.
#define NEEDS_PACKAGE(name) \
  if (!benchbench::test::has_package(name)) BENCHBENCH_SKIP("the tests' Python has no " name)

inline constexpr char kTrainScript[] = R"(
import os, time
import numpy as np

class Rows:
    """Batches of numpy arrays; `last` is the size of an epoch's last one."""
    def __init__(self, batches, rows, last, wait):
        self.batches, self.rows, self.last, self.wait = batches, rows, last, wait
    def __iter__(self):
        for i in range(self.batches):
            time.sleep(self.wait)
            rows = self.last if i + 1 == self.batches and self.last else self.rows
            yield {"x": np.full((rows, 2, 3), i, np.float32), "id": np.arange(rows) + i * self.rows}

def make_rows(batches=5, rows=4, last=0, wait=0.0):
    return Rows(batches, rows, last, wait)

class Broken(Rows):
    def __iter__(self):
        for i, batch in enumerate(super().__iter__()):
            if i == 3:
                print("about to break")
                self.decode(i)
            yield batch
    def decode(self, i):
        raise ValueError("image %d is broken" % i)

def make_broken():
    return Broken(100, 4, 0, 0.0)

def make_looking(file=""):
    def batches():
        while True:
            yield np.full(4, float(open(file).read()), np.float32)
    return batches()

def make_stuck():
    def batches():
        yield np.zeros((4, 2), np.float32)
        time.sleep(600)
    return batches()

def make_lacking():
    import no_such_package_of_anyone
    return []
)";

// A folder with train.py, and settings that name it.
class UserCode {
 public:
  explicit UserCode(const std::string& script = kTrainScript)
      : file_(folder_.write("train.py", script)) {}
  GivenSettings call(const std::string& name) const {
    return {{"script", file_}, {"call", name}, {"python", test_python()}};
  }

 private:
  ScriptFolder folder_;
  const std::string file_;
};

inline PartMaker python_maker(PartKind kind) {
  return kind == PartKind::loader ? parts::loader_python_maker() : parts::trainer_python_maker();
}

}  // namespace benchbench::test
