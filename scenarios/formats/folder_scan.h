// Finding the images of a folder that we did not write.
#pragma once
#include <string>

#include "harness/core/descriptor.h"
#include "scenarios/formats/sample_table.h"

namespace benchbench {

// A folder held open, so that samples are opened relative to it. ScenarioError where there is none.
Descriptor open_folder(const std::string& path);

// .jpg, .jpeg, .jpe, .jfif, in any case.
bool has_jpeg_extension(std::string_view name) noexcept;
// True for the same extensions, and for .png.
bool has_image_extension(std::string_view name) noexcept;

// Classes, samples and their order as image_folder.cpp says. Links are followed, never round in
// circles; behind one that leads out of the folder no further link to a folder is.
// ScenarioError where a million entries and a hundred for each file found were looked at (a whole
// disk), or "no images" with what was looked for and what was found instead.
struct FoundImages {
  SampleTable table;
  std::string remark;  // what was passed over, and that there are no folders of classes
};
// `extension`: not of images, but of files that end in it (".npy", lower case).
FoundImages scan_folder(const Descriptor& folder, const std::string& path,
                        std::string_view extension = {});

// False of a name that could lead out of the archive's folder: absolute, with "..", empty, or with
// a NUL. A name that is for messages alone is then replaced by one of ours; else it is refused:
// ScenarioError.
bool is_safe_name(std::string_view name);
void refuse_unsafe_name(std::string_view name, std::string_view archive);
void refuse_unsafe_names(const SampleTable& table, std::string_view archive);
// Labels count from 0, and fit 31 bits. ScenarioError.
void refuse_bad_labels(const SampleTable& table, std::string_view archive);

}  // namespace benchbench
