// Scripts of a user's, for the parts that need one: batches that are all alike, and a step of a
// model.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/part/description.h"
#include "tests/scratch_folder.h"

namespace benchbench::test {

inline constexpr char kUserData[] = R"(
import numpy as np

class Batches:
    def __iter__(self):
        for rows in [4] * 7 + [1]:
            yield {"image": np.full((rows, 6, 5, 3), 7, np.uint8), "label": np.full(rows, 3, np.int64)}

def make_data():
    return Batches()

)";

inline constexpr char kUserStep[] = R"(
import torch

def setup(device):
    return torch.nn.Linear(32 * 32 * 3, 5)

def train_step(batch, model):
    images, labels = batch
    model.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(images.flatten(1).float() / 255), labels)
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.01 * parameter.grad
    return loss
)";

class UserScript {
 public:
  static const UserScript& one() {
    static const UserScript script;
    return script;
  }
  std::string file(PartKind kind) const {
    return folder_ + (kind == PartKind::trainer ? "/step.py" : "/data.py");
  }
  static std::string interpreter() {
    const char* given = std::getenv("BENCHBENCH_PYTHON");
    return given ? given : "/usr/bin/python3";
  }
  // Empty, or the package that the script needs and that is not there.
  static std::string lacks(PartKind kind) {
    const std::string package = kind == PartKind::trainer ? "torch" : "numpy";
    const std::string look = interpreter() +
                             " -c 'import importlib.util, sys; "
                             "sys.exit(importlib.util.find_spec(\"" +
                             package + "\") is None)'";
    return std::system(look.c_str()) == 0 ? std::string() : package;
  }

 private:
  UserScript() {
    std::ofstream(file(PartKind::loader)) << kUserData;
    std::ofstream(file(PartKind::trainer)) << kUserStep;
  }
  ~UserScript() { std::filesystem::remove_all(folder_); }
  const std::string folder_ = make_scratch_folder("user-script");
};

}  // namespace benchbench::test
