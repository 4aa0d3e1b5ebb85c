// One HTML file that needs nothing else: style, scripts and data are within, and the browser is
// told to load and run nothing but these.
#pragma once
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace benchbench {

struct HtmlPage {
  std::string title;               // of window and page
  std::string question;            // below it; may be empty
  std::vector<std::string> about;  // lines
  // Id and title, for the links at the top.
  std::vector<std::pair<std::string, std::string>> sections;
  std::string body;      // the sections, HTML
  std::string report;    // the JSON document that can be saved
  std::string pictures;  // what the script draws, JSON
};

void write_html(std::ostream& out, const HtmlPage& page);

}  // namespace benchbench
