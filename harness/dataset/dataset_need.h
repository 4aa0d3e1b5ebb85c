// Which data a trial's settings ask for, and where it lies: a pure function of the settings and of
// what the formats say of themselves, so that plan, the maker and a trial's child agree without
// talking.
#pragma once
#include <string>

#include "harness/part/catalog.h"
#include "harness/record/trial.h"

namespace benchbench {

// For settings with `dataset.path`: the user's own folder or file where dataset.format is what lies
// there (or is not given), else its conversion in the cache folder, keyed by the digest of the
// canonical path and of the names, sizes and times of all files below it; that list is read anew
// with each call, 1-2 us a file. With dataset.synthesize.*: a place in the cache keyed by the
// digest of those settings. The format is part of the folder's name, not of the digest, so that the
// same samples in other formats lie beside: <cache>/datasets/<digest>-<format>/. With
// `dataset.prepare` the preparation and its size are in that digest too, and what lies at
// dataset.path is never the data set itself, whatever its format.
// `ready` is filled from a look at the disk (finished marker; true for the user's own);
// bytes_estimate is what making would write. nullopt where the settings name no data set.
// ScenarioError where dataset.path is not there, or lies in /proc, /sys and the like.
std::optional<DatasetNeed> dataset_need(const SettingsMap& settings,
                                        const std::string& cache_folder, const Catalog& catalog);

// True where `need` is the user's own data as it lies: nothing is made and there is no manifest.
bool is_users_own(const DatasetNeed& need);
// Returns where a loader finds it, as views into `need`. Columns are named only of the user's own
// data as they are.
DatasetPlace dataset_place(const DatasetNeed& need);
// The folder of a made data set, which holds the data, the manifest and the marker; `need` is not
// the user's own.
std::string dataset_folder(const DatasetNeed& need);
// The same logical samples in another format, lying beside; `need` is not the user's own.
DatasetNeed in_format(const DatasetNeed& need, const std::string& format, const Catalog& catalog);
// Written last into a data set's folder: it is whole.
inline constexpr const char* kFinishedMarker = "finished";
// The format of what lies at `path`, by names and first bytes (OnDisk says how); a folder that
// nothing tells of has the standard format of images, a file that nothing tells of "".
std::string detect_format(const std::string& path, const Catalog& catalog);
// The format that a user's word names, by its name or its alias; the word itself where there is
// none.
std::string format_called(const std::string& word, const Catalog& catalog);
// What the name of a file alone says; "" where it says nothing.
std::string format_of_extension(const std::string& path, const Catalog& catalog);
// In which such data are stored where nobody names a format: standard_format(&Holds::images,
// catalog).
std::string standard_format(bool Holds::* what, const Catalog& catalog);

// Returns the bytes of a file, or of all files below a folder; 0 of what cannot be read.
std::uint64_t bytes_at(const std::string& path);

// $BENCHBENCH_CACHE, else $XDG_CACHE_HOME/benchbench, else ~/.cache/benchbench.
std::string default_cache_folder();

}  // namespace benchbench
