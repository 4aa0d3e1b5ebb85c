// Draws each figure into its place at the width it has, and again when the width changes or the page is printed.

const printWidth = 840;    // of a chart that is then scaled to the page's width
const printHeight = 1080;  // of what has room on a page with its caption
const figures = Array.from(document.querySelectorAll("figure.chart"));

function draw(figure, width) {
  const plot = figure.querySelector(".plot");
  plot.dataset.width = width;
  plot.textContent = "";
  try {
    drawInto(plot, figure, width);
  } catch (error) {
    plot.textContent = "This chart could not be drawn; its values are in the table below.";
    console.error(figure.id, error);
  }
}

function drawInto(plot, figure, width) {
  const data = dataOf(figure);
  if (!data) throw new Error("no data");
  const svg = d3.select(plot).append("svg").attr("role", "img").attr("aria-labelledby", figure.getAttribute("aria-labelledby"));
  const height = Math.ceil(charts[figure.dataset.chart](svg, data, width));
  svg.attr("width", width).attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
}

function widthOf(figure) {
  return Math.floor(figure.querySelector(".plot").getBoundingClientRect().width);
}

// Widths are read together and first: each drawing changes the layout.
function drawChanged() {
  const wide = figures.map(widthOf);
  figures.forEach((figure, i) => {
    if (wide[i] > 0 && wide[i] !== Number(figure.querySelector(".plot").dataset.width)) draw(figure, wide[i]);
  });
}

function followWidth() {
  let asked = false;
  const observer = new ResizeObserver(() => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      drawChanged();
    });
  });
  figures.forEach((figure) => observer.observe(figure.querySelector(".plot")));
}

function followPrint() {
  window.addEventListener("beforeprint", () => {
    figures.forEach((figure) => draw(figure, printWidth));
    document.querySelectorAll(".plot svg").forEach(slice);
  });
  window.addEventListener("afterprint", drawChanged);
}

// A browser does not break an SVG between pages: a high chart is followed by copies of itself, each showing the rows of a page.
function slice(svg) {
  const height = Number(svg.getAttribute("height"));
  if (height <= printHeight) return;
  const cuts = cutsOf(svg, height);
  cuts.slice(1).forEach((to, i) => {
    const part = i === 0 ? svg : svg.parentElement.appendChild(svg.cloneNode(true));
    part.setAttribute("viewBox", `0 ${cuts[i]} ${printWidth} ${to - cuts[i]}`);
    part.setAttribute("height", to - cuts[i]);
  });
}

// Where to cut: above the first row that no longer has room.
function cutsOf(svg, height) {
  const tops = Array.from(svg.querySelectorAll("g.row"), (row) => row.transform.baseVal[0].matrix.f);
  const cuts = [0];
  tops.forEach((top, i) => {
    const end = i + 1 < tops.length ? tops[i + 1] : height;
    if (end - cuts[cuts.length - 1] > printHeight) cuts.push(top);
  });
  return [...cuts, height];
}
