// The timeline: a row for each queue and core, over the commands' order or over measured time.

// What a row draws are spans that do not overlap, in ascending order: begins, and ends or null for
// spans of 1. `at` leads from a place in the row to the command or the measured span.
class Track {
  constructor(group, label, begin, end, at) {
    this.group = group;
    this.label = label;
    this.begin = begin;
    this.end = end;
    this.at = at;
  }

  endOf(i) { return this.end === null ? this.begin[i] + 1 : this.end[i]; }

  // The first span that ends behind a place.
  firstAfter(place) {
    if (this.end === null) return lowerBound(this.begin, Math.floor(place));
    let low = 0, high = this.end.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.end[middle] <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

// ---- Rows over the commands' order ----

// The cores of a text of ranges, as numbers y * 64 + x: no grid is larger.
function coresOf(text) {
  const cores = new Set();
  for (const range of text.split(";")) {
    if (range === "") continue;
    const [x0, y0, x1, y1] = range.split(",").map(Number);
    for (let y = y0; y <= Math.min(y1, 63); ++y) {
      for (let x = x0; x <= Math.min(x1, 63); ++x) cores.add(y * 64 + x);
    }
  }
  return cores;
}

function queueTracks() {
  const counts = new Uint32Array(commands.queues.length + 1);
  for (let i = 0; i < commands.length; ++i) ++counts[commands.track[i]];
  const lists = Array.from(counts, (count) => new Uint32Array(count));
  const next = new Uint32Array(counts.length);
  for (let i = 0; i < commands.length; ++i) {
    const track = commands.track[i];
    lists[track][next[track]++] = i;
  }
  const command = (list) => (i) => list[i];
  const tracks = lists.map((list, track) => new Track(
    track === 0 ? "host" : "device " + commands.queues[track - 1][0],
    track === 0 ? "beside queues" : "queue " + commands.queues[track - 1][1], list, null, command(list)));
  const host = tracks.shift();
  return [host, ...tracks];
}

function scopeTracks() {
  const open = [], levels = [];
  const close = (end) => {
    const begin = open.pop();
    if (begin !== undefined) (levels[open.length] ??= []).push([begin, end]);
  };
  for (let i = 0; i < commands.length; ++i) {
    const kind = commands.kind(i);
    if (kind === "begin") open.push(i);
    if (kind === "end") close(i + 1);
  }
  while (open.length > 0) close(commands.length);
  return levels.slice(0, 16).map((spans, level) => {
    spans.sort((a, b) => a[0] - b[0]);
    const begin = Uint32Array.from(spans, (span) => span[0]);
    return new Track("host", level === 0 ? "scopes" : "", begin, Uint32Array.from(spans, (span) => span[1]), (i) => begin[i]);
  });
}

// A row for each core that a program is launched on. Cores with the same launches share a list.
function coreTracks() {
  const launches = new Map();  // by device: by text of cores: commands
  for (let i = 0; i < commands.length; ++i) {
    if (commands.kind(i) !== "launch" || commands.object[i] < 0) continue;
    const program = objects.programs[commands.object[i]];
    const device = commands.track[i] === 0 ? program.device : commands.queues[commands.track[i] - 1][0];
    if (!launches.has(device)) launches.set(device, new Map());
    const ofDevice = launches.get(device);
    if (!ofDevice.has(program.cores)) ofDevice.set(program.cores, []);
    ofDevice.get(program.cores).push(i);
  }
  const tracks = [];
  for (const [device, ofDevice] of launches) tracks.push(...coreTracksOf(device, ofDevice));
  return tracks;
}

// Names with numbers in them in the order of these.
const byNumbers = new Intl.Collator("en", { numeric: true }).compare;

// The rows of each device together: its queues, then its cores.
function orderTracks() {
  const tracks = [...queueTracks(), ...coreTracks()], host = tracks.shift();
  tracks.sort((a, b) => byNumbers(a.group, b.group));
  return [...scopeTracks(), host, ...tracks];
}

function coreTracksOf(device, launches) {
  const sets = new Map();  // by core: the numbers of the sets that have it
  const lists = [...launches.values()];
  [...launches.keys()].forEach((text, number) => {
    for (const core of coresOf(text)) {
      if (!sets.has(core)) sets.set(core, []);
      sets.get(core).push(number);
    }
  });
  const shared = new Map();
  const listOf = (numbers) => {
    const key = numbers.join();
    if (!shared.has(key)) {
      shared.set(key, Uint32Array.from(numbers.flatMap((number) => lists[number])).sort());
    }
    return shared.get(key);
  };
  return [...sets.keys()].sort((a, b) => a - b).map((core) => {
    const list = listOf(sets.get(core));
    return new Track("device " + device, "core (" + core % 64 + "," + Math.floor(core / 64) + ")", list, null, (i) => list[i]);
  });
}

// ---- Rows over measured time ----

// The spans of a track, on as many lanes as lie one inside the other.
function lanesOf(spans) {
  spans.sort((a, b) => measured.begin[a] - measured.begin[b] || measured.duration[b] - measured.duration[a]);
  const lanes = [];
  for (const span of spans) {
    const begin = measured.begin[span];
    let lane = lanes.find((each) => each.end <= begin);
    if (lane === undefined) {
      lane = { spans: [], end: 0 };
      if (lanes.length < 12) lanes.push(lane);
    }
    lane.spans.push(span);
    lane.end = begin + measured.duration[span];
  }
  return lanes.map((lane) => lane.spans);
}

function timeTracks() {
  const ofTrack = measured.tracks.map(() => []);
  measured.track.forEach((track, span) => ofTrack[track].push(span));
  return measured.order.flatMap((number) => {
    const [process, thread] = measured.tracks[number];
    return lanesOf(ofTrack[number]).map((spans, lane) => new Track(process || "process", lane === 0 ? thread : "",
      Float64Array.from(spans, (span) => measured.begin[span]),
      Float64Array.from(spans, (span) => measured.begin[span] + measured.duration[span]), (i) => spans[i]));
  });
}

// ---- What the axis means ----

const orderRange = new Range(0, Math.max(commands.length, 1), 4);

const orderAxis = {
  name: "by command",
  range: orderRange,
  tracks: orderTracks,
  text: (at) => grouped(at),
  colour(command) {
    const kind = commands.kind(command);
    if (kind === "launch" && commands.object[command] >= 0) return programColour(commands.object[command]);
    return colours[kind] ?? colours.begin;
  },
  label(command) {
    const object = commands.object[command], kind = commands.kind(command);
    if (kind === "begin") return commands.fields(command).replace(/^name=/, "");
    if (kind === "launch" && object >= 0) return programName(objects.programs[object]);
    return commands.name(command);
  },
  details: (command) => "command " + command + ": " + commandDetails(command),
  choose: (command) => selection.choose(command),
  isQuiet: (command) => search.text !== "" && !search.isMatch[command],
};

const timeAxis = measured === null ? null : {
  name: "by time",
  range: null,
  tracks: timeTracks,
  text: timeText,
  matches: null,
  colour(span) {
    const name = measured.names[measured.name[span]];
    if (name === "write" || name === "read") return colours[name];
    return programColour(measured.name[span]);
  },
  label: (span) => measured.names[measured.name[span]],
  details(span) {
    return this.label(span) + "\nfrom " + timeText(measured.begin[span]) + " on, " + timeText(measured.duration[span]) +
      (measured.bytes[span] > 0 ? "\n" + bytesText(measured.bytes[span]) : "");
  },
  choose(span) { showDetails(this.details(span)); },
  isQuiet(span) { return search.text !== "" && !this.matches[measured.name[span]]; },
};

if (timeAxis !== null) {
  let first = Infinity, last = -Infinity;
  measured.begin.forEach((begin, span) => {
    first = Math.min(first, begin);
    last = Math.max(last, begin + measured.duration[span]);
  });
  timeAxis.range = new Range(first < last ? first : 0, first < last ? last : 1, 10);
  search.listeners.push(() => { timeAxis.matches = measured.names.map((name) => name.toLowerCase().includes(search.text)); });
}

// ---- The view ----

const rulerHeight = 18, trackHeight = 17;

const timeline = {
  axis: orderAxis,
  rows: [],      // tracks, and texts for groups
  closed: new Set(),
  top: 0,        // how far it is scrolled
  canvas: null,

  get range() { return this.axis.range; },
  labelWidth() { return this.canvas.width < 600 ? 84 : 150; },
  plotWidth() { return Math.max(1, this.canvas.width - this.labelWidth()); },
  placeOf(x) { return this.range.begin + (x - this.labelWidth()) / this.plotWidth() * this.range.span(); },

  setAxis(axis) {
    this.axis = axis;
    axis.cached ??= axis.tracks();
    this.layOut();
  },

  layOut() {
    this.rows = [];
    let group = null;
    for (const track of this.axis.cached) {
      if (track.group !== group) this.rows.push(group = track.group);
      if (!this.closed.has(group)) this.rows.push(track);
    }
    this.scroll(0);
  },

  scroll(by) {
    const height = this.rows.length * trackHeight + rulerHeight + 4;
    this.top = Math.max(0, Math.min(this.top + by, height - this.canvas.height));
    this.canvas.ask();
  },

  draw(context, width, height) {
    const left = this.labelWidth();
    drawRuler(context, this.range, left, this.plotWidth(), height, this.axis.text);
    context.save();
    context.beginPath();
    context.rect(0, rulerHeight, width, height - rulerHeight);
    context.clip();
    const first = Math.max(0, Math.floor(this.top / trackHeight));
    for (let i = first; i < this.rows.length; ++i) {
      const y = rulerHeight + i * trackHeight - this.top;
      if (y > height) break;
      this.drawRow(context, this.rows[i], y, width);
    }
    context.restore();
    if (this.axis === orderAxis) this.drawMarks(context, height);
  },

  drawRow(context, row, y, width) {
    const left = this.labelWidth();
    if (typeof row === "string") {
      context.fillStyle = colours.raised;
      context.fillRect(0, y, width, trackHeight);
      context.fillStyle = colours.text;
      fillCut(context, (this.closed.has(row) ? "\u25b8 " : "\u25be ") + row, 8, y + trackHeight / 2, left);
      return;
    }
    context.fillStyle = colours.quiet;
    fillCut(context, row.label, 18, y + trackHeight / 2, left - 20);
    context.save();
    context.beginPath();
    context.rect(left, y, width - left, trackHeight);
    context.clip();
    this.drawSpans(context, row, y + 1, trackHeight - 2, left, width);
    context.restore();
  },

  // Of the spans that share a pixel, the first is drawn, so that a row costs no more than its
  // pixels.
  drawSpans(context, row, y, height, left, right) {
    const { begin, range } = { begin: row.begin, range: this.range };
    const scale = this.plotWidth() / range.span();
    for (let i = row.firstAfter(range.begin); i < begin.length; ) {
      const x = left + (begin[i] - range.begin) * scale;
      if (x > right) break;
      const width = (row.endOf(i) - begin[i]) * scale, item = row.at(i);
      context.fillStyle = this.axis.colour(item);
      context.globalAlpha = this.axis.isQuiet(item) ? 0.22 : 1;
      context.fillRect(x, y, Math.max(width - (width > 4 ? 1 : 0), 1), height);
      if (width > 34) {
        context.fillStyle = colours["on-span"];
        const from = Math.max(x, left);
        fillCut(context, this.axis.label(item), from + 4, y + height / 2, Math.min(x + width, right) - from - 6);
      }
      i = width >= 1 ? i + 1 : Math.max(i + 1, row.firstAfter(range.begin + (Math.floor(x - left) + 1) / scale));
    }
    context.globalAlpha = 1;
  },

  // Where the matches of the search and the chosen command are.
  drawMarks(context, height) {
    const scale = this.plotWidth() / this.range.span(), left = this.labelWidth();
    context.fillStyle = colours.match;
    const matches = search.matches;
    for (let i = lowerBound(matches, Math.floor(this.range.begin)); i < matches.length && matches[i] < this.range.end; ) {
      const x = (matches[i] - this.range.begin) * scale;
      context.fillRect(left + x, rulerHeight - 4, Math.max(1, Math.min(scale, 3)), 4);
      i = Math.max(i + 1, lowerBound(matches, Math.floor(this.range.begin + (x + 1) / scale), i));
    }
    const chosen = left + (selection.command + 0.5 - this.range.begin) * scale;
    if (selection.command < 0 || chosen < left) return;
    context.fillStyle = colours.accent;
    context.fillRect(Math.round(chosen), 0, 1, height);
  },

  rowAt(y) { return y < rulerHeight ? undefined : this.rows[Math.floor((y - rulerHeight + this.top) / trackHeight)]; },

  // What is drawn at a point: the command or span; -1 for nothing.
  itemAt(x, y) {
    const row = this.rowAt(y);
    if (row === undefined || typeof row === "string" || x < this.labelWidth()) return -1;
    const near = 2 * this.range.span() / this.plotWidth();
    const place = this.placeOf(x), i = row.firstAfter(place - near);
    return i < row.begin.length && row.begin[i] <= place + near ? row.at(i) : -1;
  },

  hover(x, y) {
    const row = this.rowAt(y), item = this.itemAt(x, y);
    if (item >= 0) return this.axis.details(item);
    return row !== undefined && typeof row !== "string" && x < this.labelWidth() ? row.group + ", " + row.label : "";
  },

  click(x, y) {
    const row = this.rowAt(y), item = this.itemAt(x, y);
    if (typeof row === "string") {
      if (!this.closed.delete(row)) this.closed.add(row);
      this.layOut();
    } else if (item >= 0) {
      this.axis.choose(item);
    }
  },

  zoom(factor, x) { this.range.zoom(factor, x === undefined ? undefined : this.placeOf(x)); },
  pan(by) { this.range.move(by * this.range.span()); },
  showAll() { this.range.showAll(); },
  redraw() { this.canvas.ask(); },
};

function fillLegend(legend, kinds) {
  for (const [kind, text] of kinds) {
    const item = legend.appendChild(element("span"));
    item.append(element("i", kind), text);
  }
}

function makeTimeline() {
  timeline.canvas = new Canvas(document.getElementById("tracks"), (...all) => timeline.draw(...all));
  control(timeline.canvas.parent, {
    move: (dx, dy) => { timeline.range.move(-dx / timeline.plotWidth() * timeline.range.span()); timeline.scroll(-dy); },
    scroll: (dx, dy) => { if (dx !== 0) timeline.range.move(dx / timeline.plotWidth() * timeline.range.span()); timeline.scroll(dy); },
    zoom: (factor, x) => timeline.zoom(factor, x),
    hover: (x, y) => timeline.hover(x, y),
    click: (x, y) => timeline.click(x, y),
  });
  fillLegend(document.getElementById("legend"), [["launch", "program"], ["write", "write"], ["read", "read"], ["wait", "wait"], ["other", "other"]]);
  const choice = document.getElementById("axis");
  const axes = timeAxis === null ? [orderAxis] : [timeAxis, orderAxis];
  for (const axis of axes) {
    axis.range.listeners.push(() => timeline.canvas.ask());
    const button = choice.appendChild(element("button", "", axis.name));
    button.addEventListener("click", () => chooseAxis(axis));
    axis.button = button;
  }
  const chooseAxis = (axis) => {
    for (const each of axes) each.button.setAttribute("aria-pressed", each === axis);
    timeline.top = 0;
    timeline.setAxis(axis);
  };
  chooseAxis(axes[0]);
  selection.listeners.push((command) => { orderRange.reveal(command); timeline.canvas.ask(); });
  search.listeners.push(() => timeline.canvas.ask());
  const notes = [];
  if (commands.length < commands.total) notes.push("the first " + grouped(commands.length) + " of " + grouped(commands.total) + " commands");
  if (measured !== null && measured.left_out > 0) notes.push(grouped(measured.left_out) + " measured spans are left out");
  document.getElementById("timeline-note").textContent = notes.join("; ");
}
