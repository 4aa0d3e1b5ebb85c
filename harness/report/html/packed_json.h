// A long JSON document within a page.
#pragma once
#include <string>

namespace benchbench {

inline constexpr std::size_t kPlainJson = std::size_t{2} << 20;

// For the text of a <script type="application/json">: the document as it is, up to kPlainJson
// bytes; a longer one as {"gzip_base64": "..."}, from which the page's script (or gunzip) makes it
// again. Of 1,000 points it takes 3 % of the bytes.
std::string packed_json(const std::string& document);

}  // namespace benchbench
