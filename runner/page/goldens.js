// The goldens: what became of them where a run's report was given, else what the file has.

const goldenColumn = (name, fallback) => (golden) => {
  const value = golden[name];
  return typeof value === typeof fallback ? value : fallback;
};
const goldenNumber = (golden, name) => goldenColumn(name, 0)(golden);
const goldenText = (golden, name) => goldenColumn(name, "")(golden);

const comparedList = comparedGoldens === null ? [] : comparedGoldens.goldens;

const shortNumber = (value) => typeof value !== "number" ? "" : Number.isInteger(value) ? grouped(value) : value.toPrecision(4);

function fillComparedRow(row, i) {
  const golden = comparedList[i], passed = golden.passed === true;
  fillCells(row, [["number", shortNumber(golden.command)], [passed ? "size good" : "size bad", passed ? "passed" : "differs"],
    ["fields", goldenText(golden, "source") + "  " + goldenText(golden, "element_type") + "  " + goldenText(golden, "policy")],
    ["size", shortNumber(golden.different)], ["size where", shortNumber(golden.max_ulp_error)]]);
}

function fillRecordedRow(row, i) {
  const [command, buffer, type, bytes, policy] = recordedGoldens[i];
  const source = buffer < 0 ? "" : "buffer " + objects.buffers[buffer].id + "  ";
  fillCells(row, [["number", String(command)], ["name", command < commands.length ? commands.name(command) : ""],
    ["fields", source + commands.texts[type] + "  " + commands.texts[policy]], ["size", bytesText(bytes)]]);
}

// ---- Histograms ----

// Bars from left to right, each with a count and a label below; counts are drawn on a logarithmic
// scale, since most elements have no error at all.
function drawHistogram(canvas, bars) {
  const width = canvas.clientWidth, height = canvas.clientHeight, scale = window.devicePixelRatio || 1;
  if (width === 0) return;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.font = textFont;
  const most = Math.max(1, ...bars.map((bar) => bar.count)), step = width / bars.length, base = height - 16;
  bars.forEach((bar, i) => {
    if (bar.count > 0) {
      const tall = Math.max(2, Math.log2(bar.count + 1) / Math.log2(most + 1) * (base - 14));
      context.fillStyle = bar.isBad ? colours.bad : colours.launch;
      context.fillRect(i * step + 1, base - tall, Math.max(1, step - 2), tall);
      context.fillStyle = colours.quiet;
      if (step > 22) fillCut(context, grouped(bar.count), i * step + 2, base - tall - 4, step + 6);
    }
    context.fillStyle = colours.quiet;
    const every = Math.ceil(28 / step);
    if (i % every === 0) context.fillText(bar.label, i * step + 1, height - 4);
  });
  context.fillStyle = colours.line;
  context.fillRect(0, base, width, 1);
}

// The number of the power of two that a count of ULPs lies in: 0 for none.
const powerOf = (ulps) => ulps < 1 ? 0 : Math.floor(Math.log2(ulps)) + 1;
const powerLabel = (power) => power === 0 ? "0" : power < 11 ? String(2 ** (power - 1)) : "2^" + (power - 1);

// Over all goldens: how many have a largest error of so many ULPs.
function barsOfGoldens() {
  const bars = [];
  for (const golden of comparedList) {
    const power = powerOf(goldenNumber(golden, "max_ulp_error"));
    while (bars.length <= power) bars.push({ label: powerLabel(bars.length), count: 0, isBad: false });
    ++bars[power].count;
    if (golden.passed !== true) bars[power].isBad = true;
  }
  return bars;
}

// Over the elements of one golden, where the report has that: `error_histogram` counts the elements
// by the power of two of their error in ULPs.
function barsOfElements(golden) {
  const counts = Array.isArray(golden.error_histogram) ? golden.error_histogram.slice(0, 70) : [];
  return counts.map((count, power) => ({ label: powerLabel(power), count: Number(count) || 0, isBad: false }));
}

const goldenDetails = document.getElementById("golden-details");
const histograms = [];

function addHistogram(title, bars) {
  goldenDetails.append(element("h2", "", title));
  const canvas = goldenDetails.appendChild(element("canvas"));
  histograms.push([canvas, bars]);
  drawHistogram(canvas, bars);
}

function goldenRows(golden) {
  const passed = golden.passed === true;
  return [["result", element("td", passed ? "good" : "bad", passed ? "passed" : "differs")],
    ["call", goldenText(golden, "call")], ["source", goldenText(golden, "source")], ["elements", goldenText(golden, "element_type")],
    ["policy", goldenText(golden, "policy")], ["compared", shortNumber(golden.elements)], ["different", shortNumber(golden.different)],
    ["largest error", shortNumber(golden.max_absolute_error)], ["relative", shortNumber(golden.max_relative_error)],
    ["in ULPs", shortNumber(golden.max_ulp_error)], ["correlation", shortNumber(golden.pcc)]];
}

function showGolden(golden) {
  goldenDetails.replaceChildren();
  histograms.length = 0;
  goldenDetails.append(summaryPart("Golden of command " + shortNumber(golden.command), goldenRows(golden)));
  const bars = barsOfElements(golden);
  if (bars.length > 0) addHistogram("Elements by error in ULPs", bars);
  const first = Array.isArray(golden.first) ? golden.first.slice(0, 5) : [];
  const rows = first.map((difference) => [shortNumber(difference.index), String(difference.expected), String(difference.found),
    difference.tile === undefined ? "" : difference.tile + ": " + difference.row + ", " + difference.column]);
  const part = summaryPart("First differences", rows, ["element", "expected", "found", "tile: row, column"]);
  if (part !== null) goldenDetails.append(part);
  if (comparedList.length > 1) addHistogram("Goldens by largest error in ULPs", barsOfGoldens());
}

const goldens = {
  list: null,

  choose(i) {
    this.list.choose(i);
    const command = comparedGoldens === null ? recordedGoldens[i][0] : comparedList[i].command;
    if (comparedGoldens !== null) showGolden(comparedList[i]);
    if (Number.isInteger(command)) selection.choose(command);
  },

  redraw() {
    this.list.draw();
    for (const [canvas, bars] of histograms) drawHistogram(canvas, bars);
  },

  zoom() {},
  pan() {},
  showAll() {},
  scroll(by) { this.list.parent.scrollTop += by; },
};

function makeGoldens() {
  const parent = document.getElementById("golden-list"), note = document.getElementById("goldens-note");
  const isCompared = comparedGoldens !== null;
  goldens.list = new VirtualList(parent, isCompared ? comparedList.length : recordedGoldens.length,
    isCompared ? fillComparedRow : fillRecordedRow, (i) => goldens.choose(i));
  const failed = comparedList.filter((golden) => golden.passed !== true).length;
  if (isCompared) {
    goldens.list.setHead([["number", "#"], ["size", "result"], ["fields", "what was read"], ["size", "different"], ["size where", "ULPs"]]);
    note.textContent = grouped(comparedList.length) + (comparedList.length === 1 ? " golden was" : " goldens were") + " compared, " + (failed === 0 ? "all passed" : grouped(failed) + (failed === 1 ? " differs" : " differ"));
  } else {
    goldens.list.setHead([["number", "#"], ["name", "command"], ["fields", "what is read"], ["size", "bytes"]]);
    note.textContent = "Goldens in the file: " + grouped(recordedGoldens.length) + ". Made with --goldens, the page shows what they came to.";
    document.getElementById("golden-details").style.display = "none";
  }
  if (comparedList.length > 0) {
    const worst = comparedList.findIndex((golden) => golden.passed !== true);
    showGolden(comparedList[Math.max(worst, 0)]);
    goldens.list.chosen = Math.max(worst, 0);
  }
}
