// The data sets of HDF5 files of others, at any depth, that samples could be made of.
#pragma once
#include <string>
#include <vector>

#include "harness/hdf5/file.h"

namespace benchbench::hdf5_format {

// Paths of data sets, by group and name; one to which several links lead counts once.
struct DataSets {
  std::vector<std::string> variable;  // of bytes of variable length: all samples in one
  std::vector<std::string> arrays;    // of rows of several elements: perhaps all samples in one
  std::vector<std::string> bytes;     // uint8 of one side, or opaque: perhaps one sample each
  std::vector<std::string> others;
};
enum class Depth { root, all };
// Only hard links are followed, none twice. ScenarioError where there are more than a million
// entries, or groups nested more than 64 deep.
DataSets data_sets_in(const hdf5::File& file, Depth depth);

// Paths of data sets in a message.
inline constexpr std::size_t kPathsToSay = 8;

// The one that holds all samples: the only one of bytes of variable length, whatever arrays there
// are, else the only one of both. Empty where there is none; ScenarioError where there are several.
std::string find_samples(const hdf5::File& file, const DataSets& sets);

}  // namespace benchbench::hdf5_format
