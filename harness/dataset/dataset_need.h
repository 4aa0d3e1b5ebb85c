// Which data a trial's settings ask for, and where it lies: a pure function of the settings, so that plan, the maker
// and a trial's child agree without talking.
#pragma once
#include <string>

#include "harness/record/trial.h"

namespace benchbench {

// For settings with `dataset.path`: the user's own folder or file where dataset.format is what lies there (or is not
// given), else its conversion in the cache folder, keyed by the digest of the canonical path and of the names, sizes and
// times of all files below it; that list is read anew with each call, 1-2 us a file. With dataset.synthesize.*: a place
// in the cache keyed by the digest of those settings. The format is part of the folder's name, not of the digest, so
// that the same samples in other formats lie beside: <cache>/datasets/<digest>-<format>/.
// With `dataset.prepare` the preparation and its size are in that digest too, and what lies at dataset.path is never the
// data set itself, whatever its format.
// `ready` is filled from a look at the disk (finished marker; true for the user's own); bytes_estimate is what making
// would write. nullopt where the settings name no data set. ScenarioError where dataset.path is not there.
std::optional<DatasetNeed> dataset_need(const SettingsMap& settings, const std::string& cache_folder);

// True where `need` is the user's own data as it lies: nothing is made and there is no manifest.
bool is_users_own(const DatasetNeed& need);
// The folder of a made data set, which holds the data, the manifest and the marker; `need` is not the user's own.
std::string dataset_folder(const DatasetNeed& need);
// The same logical samples in another format, lying beside; `need` is not the user's own.
DatasetNeed in_format(const DatasetNeed& need, const std::string& format);
// Written last into a data set's folder: it is whole.
inline constexpr const char* kFinishedMarker = "finished";
// What lies at `path`, by names and first bytes: "tar", "tfrecord", ...; a folder that nothing else tells of is an
// image_folder, a file that nothing tells of "". All HDF5 files are hdf5.
std::string detect_format(const std::string& path);
// The format that a user's word names: webdataset is another word for tar.
std::string format_called(const std::string& word);
// What the name alone says: "x.tar" is tar; "" where it says nothing.
std::string format_of_extension(const std::string& path);

// $BENCHBENCH_CACHE, else $XDG_CACHE_HOME/benchbench, else ~/.cache/benchbench.
std::string default_cache_folder();

}  // namespace benchbench
