// Widths of text in the page's font, without asking the layout for them.
const ruler = document.createElement("canvas").getContext("2d");
const family = getComputedStyle(document.body).fontFamily;
const widths = new Map();

// Width in pixels of a text of 12 px, or of `style` such as "600 12px".
function textWidth(text, style = "12px") {
  const key = style + "\n" + text;
  if (!widths.has(key)) {
    ruler.font = style + " " + family;
    widths.set(key, ruler.measureText(text).width * 1.02);
  }
  return widths.get(key);
}

function widest(texts, style) {
  return d3.max(texts, (text) => textWidth(text, style)) || 0;
}

// The text, or its beginning and end around an ellipsis: names differ at their ends.
function shortened(text, width, style) {
  if (textWidth(text, style) <= width) return text;
  const letters = Array.from(text);
  const kept = (count) =>
    letters.slice(0, Math.ceil(count / 2)).join("") + "\u2026" + letters.slice(letters.length - Math.floor(count / 2)).join("");
  let low = 0;
  let high = letters.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(kept(middle), style) <= width) low = middle;
    else high = middle - 1;
  }
  return kept(low);
}

// Appends a text with the whole of it on hover, shortened to the width.
function addText(group, text, { x = 0, y = 0, width = Infinity, name = "", anchor = "start", style } = {}) {
  const shown = shortened(text, width, style);
  const node = group.append("text").attr("class", name).attr("x", x).attr("y", y).attr("text-anchor", anchor).text(shown);
  if (shown !== text) node.append("title").text(text);
  return node;
}
