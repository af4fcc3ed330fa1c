// What the views are made of.

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// ---- Colours: those of page.css, for canvases ----

const colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "raised", "line", "text", "quiet", "accent", "chosen", "match", "bad", "good", "launch",
    "write", "read", "wait", "other", "begin", "on-span"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
}

// A program's own tone of the colour of launches, the same wherever it is drawn.
const programColours = new Map();
function programColour(program) {
  const isDark = document.documentElement.dataset.theme === "dark";
  const tone = ((program * 2654435761) >>> 0) % 10;
  const key = tone + (isDark ? 10 : 0);
  if (!programColours.has(key)) {
    programColours.set(key, "hsl(" + (190 + tone * 4) + " " + (34 + (tone % 3) * 7) + "% " + ((isDark ? 40 : 48) + (tone % 4) * 3) + "%)");
  }
  return programColours.get(key);
}

const textFont = "11px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

// ---- A canvas that fills its element and is drawn when something has changed ----

class Canvas {
  constructor(parent, draw) {
    this.parent = parent;
    this.canvas = parent.appendChild(element("canvas"));
    this.context = this.canvas.getContext("2d");
    this.draw = draw;
    this.width = this.height = 0;
    this.isAsked = false;
    new ResizeObserver(() => this.resize()).observe(parent);
  }

  resize() {
    this.width = this.parent.clientWidth;
    this.height = this.parent.clientHeight;
    this.scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.width * this.scale));
    this.canvas.height = Math.max(1, Math.round(this.height * this.scale));
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = this.height + "px";
    this.paint();
  }

  ask() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.paint();
    });
  }

  paint() {
    if (this.width === 0 || this.height === 0) return;
    const context = this.context;
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = textFont;
    context.textBaseline = "middle";
    this.draw(context, this.width, this.height);
  }
}

// Text that is cut where the room ends.
function fillCut(context, text, x, y, room) {
  const most = Math.floor(room / 6);
  if (most < 3) return;
  context.fillText(text.length > most ? text.slice(0, most - 1) + "\u2026" : text, x, y);
}

// ---- The part of an axis that is shown ----

class Range {
  constructor(begin, end, least) {
    this.least = least;  // the smallest part
    this.listeners = [];
    this.setWhole(begin, end);
  }

  setWhole(begin, end) {
    this.first = this.begin = begin;
    this.last = this.end = Math.max(end, begin + this.least);
    this.changed();
  }

  changed() { for (const listener of this.listeners) listener(); }
  span() { return this.end - this.begin; }

  show(begin, end) {
    const whole = this.last - this.first;
    const span = Math.min(whole, Math.max(this.least, end - begin));
    this.begin = Math.min(Math.max(this.first, begin), this.last - span);
    this.end = this.begin + span;
    this.changed();
  }

  zoom(factor, at = (this.begin + this.end) / 2) {
    const span = Math.min(this.last - this.first, Math.max(this.least, this.span() * factor));
    const begin = at - (at - this.begin) * (span / this.span());
    this.show(begin, begin + span);
  }

  move(by) { this.show(this.begin + by, this.end + by); }
  showAll() { this.show(this.first, this.last); }
  // Moves so that the place is in sight.
  reveal(at) { if (at < this.begin || at >= this.end) this.show(at - this.span() / 2, at + this.span() / 2); }
}

// Steps of a ruler: 1, 2 or 5 times a power of ten, at least `room` pixels apart.
function ticks(range, width, room = 90) {
  const least = range.span() * room / Math.max(width, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= least);
  const found = [];
  for (let at = Math.ceil(range.begin / step) * step; at <= range.end && found.length < 200; at += step) found.push(at);
  return found;
}

function drawRuler(context, range, left, width, height, text) {
  context.fillStyle = colours.quiet;
  context.strokeStyle = colours.line;
  context.beginPath();
  for (const at of ticks(range, width)) {
    const x = Math.round(left + (at - range.begin) / range.span() * width) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.fillText(text(at), x + 4, 9);
  }
  context.stroke();
}

// ---- A list of which only the rows in sight exist ----

class VirtualList {
  constructor(parent, count, fill, choose, rowHeight = 20) {
    this.parent = parent;
    this.count = count;
    this.fill = fill;
    this.rowHeight = rowHeight;
    this.chosen = -1;
    this.space = element("div", "space");
    this.head = 0;
    parent.append(this.space);
    parent.tabIndex = 0;
    this.rows = [];
    this.setCount(count);
    parent.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(parent);
    this.space.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row !== null) choose(Number(row.dataset.index));
    });
  }

  setHead(names) {
    const head = element("div", "row head");
    for (const [className, text] of names) head.append(element("span", className, text));
    this.parent.prepend(head);
    this.head = this.rowHeight;
  }

  setCount(count) {
    this.count = count;
    this.space.style.height = count * this.rowHeight + "px";
    this.draw();
  }

  choose(index) {
    this.chosen = index;
    const top = index * this.rowHeight, height = this.parent.clientHeight - this.head;
    if (index >= 0 && height > 0 && (top < this.parent.scrollTop || top + this.rowHeight > this.parent.scrollTop + height)) {
      this.parent.scrollTop = top - height / 2;
    }
    this.draw();
  }

  draw() {
    const height = this.parent.clientHeight;
    if (height === 0) return;
    const first = Math.max(0, Math.floor(this.parent.scrollTop / this.rowHeight) - 2);
    const last = Math.min(this.count, first + Math.ceil(height / this.rowHeight) + 4);
    while (this.rows.length < last - first) this.rows.push(this.space.appendChild(element("div", "row")));
    this.rows.forEach((row, i) => {
      const index = first + i;
      row.hidden = index >= last;
      row.style.display = row.hidden ? "none" : "";
      if (row.hidden) return;
      row.style.top = index * this.rowHeight + "px";
      row.dataset.index = index;
      row.className = "row" + (index === this.chosen ? " chosen" : "");
      this.fill(row, index);
    });
  }
}

// Gives the row so many cells, with these classes and texts; rows are used again and again.
function fillCells(row, cells) {
  while (row.children.length < cells.length) row.append(element("span"));
  cells.forEach(([className, text], i) => {
    row.children[i].className = className;
    row.children[i].textContent = text;
  });
}

// ---- The tip beside the pointer, and the line at the bottom ----

const tip = document.getElementById("tip");
function showTip(event, text) {
  tip.hidden = text === "";
  if (tip.hidden) return;
  tip.textContent = text;
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = Math.max(2, Math.min(event.clientX + 14, window.innerWidth - width - 6)) + "px";
  tip.style.top = (event.clientY + height + 24 > window.innerHeight ? event.clientY - height - 10 : event.clientY + 16) + "px";
}

function showDetails(text) {
  const footer = document.getElementById("details");
  footer.replaceChildren();
  text.split("\n").forEach((line, i) => footer.append(element(i === 0 ? "b" : "span", "quiet", (i > 1 ? " \u00b7 " : "") + line)));
}

// Pointer, wheel and touch on a canvas: drags move, the wheel zooms with Ctrl and else scrolls.
// `on` has move(dx, dy), zoom(factor, x, y), scroll(dx, dy), hover(x, y) -> text, and click(x, y).
function control(target, on) {
  const pointers = new Map();
  let moved = 0, spread = 0;
  const place = (event) => {
    const box = target.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const spreadOf = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
  target.addEventListener("pointerdown", (event) => {
    target.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    moved = 0;
    if (pointers.size === 2) spread = spreadOf();
  });
  target.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    const before = pointers.get(event.pointerId);
    if (before === undefined) return showTip(event, on.hover(x, y));
    pointers.set(event.pointerId, [x, y]);
    moved += Math.abs(x - before[0]) + Math.abs(y - before[1]);
    if (pointers.size === 2) {
      const now = spreadOf();
      if (now > 0 && spread > 0) on.zoom(spread / now, x, y);
      spread = now;
    } else if (moved > 3) {
      showTip(event, "");
      on.move(x - before[0], y - before[1]);
    }
  });
  const release = (event) => {
    const was = pointers.delete(event.pointerId);
    if (was && event.type === "pointerup" && moved <= 3) on.click(...place(event));
  };
  target.addEventListener("pointerup", release);
  target.addEventListener("pointercancel", release);
  target.addEventListener("pointerleave", (event) => showTip(event, ""));
  target.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [x, y] = place(event);
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (event.ctrlKey || event.metaKey) on.zoom(Math.exp(event.deltaY * unit * 0.003), x, y);
    else if (event.shiftKey) on.scroll(event.deltaY * unit, 0);
    else on.scroll(event.deltaX * unit, event.deltaY * unit);
  }, { passive: false });
}
