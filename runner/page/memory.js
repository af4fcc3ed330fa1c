// Memory: what the buffers take of each memory of each device, and when each of them lives, over the
// commands' order.

// How much is taken, by place: `at[i]` is the command from which on it is `bytes[i]`.
class MemoryCurve {
  constructor(device, type) {
    this.name = "device " + device + ", " + type;
    this.changes = [];
  }

  finish() {
    this.changes.sort((a, b) => a[0] - b[0]);
    const at = [0], bytes = [0];
    let sum = 0;
    this.peak = 0;
    this.peakAt = 0;
    for (const [command, change] of this.changes) {
      sum += change;
      if (at[at.length - 1] === command) bytes[bytes.length - 1] = sum;
      else { at.push(command); bytes.push(sum); }
    }
    bytes.forEach((each, i) => { if (each > this.peak) { this.peak = each; this.peakAt = at[i]; } });
    this.at = Float64Array.from(at);
    this.bytes = Float64Array.from(bytes);
    this.changes = null;
    return this;
  }

  // The place in the curve of a command.
  indexOf(command) { return Math.max(0, lowerBound(this.at, Math.floor(command) + 1) - 1); }
}

function memoryCurves() {
  const curves = new Map();
  for (const buffer of objects.buffers) {
    if (buffer.taken === 0) continue;
    const key = buffer.device + " " + buffer.type;
    if (!curves.has(key)) curves.set(key, new MemoryCurve(buffer.device, buffer.type));
    const changes = curves.get(key).changes;
    changes.push([buffer.created, buffer.taken]);
    if (buffer.freed >= 0) changes.push([buffer.freed, -buffer.taken]);
  }
  return [...curves.keys()].sort(byNumbers).map((key) => curves.get(key).finish());
}

const curveHeight = 74, lifeHeight = 15;

const memory = {
  curves: null,
  lives: null,  // numbers of buffers, by creation
  top: 0,
  canvas: null,
  chosen: -1,
  range: orderRange,

  prepare() {
    this.curves = memoryCurves();
    this.lives = objects.buffers;
    const most = this.curves.map((curve) => curve.name + " at most " + bytesText(curve.peak));
    document.getElementById("memory-note").textContent =
      most.length === 0 ? "No buffer takes memory." : most.slice(0, 4).join("; ") + (most.length > 4 ? "; \u2026" : "");
  },

  labelWidth() { return this.canvas.width < 600 ? 84 : 170; },
  plotWidth() { return Math.max(1, this.canvas.width - this.labelWidth()); },
  placeOf(x) { return this.range.begin + (x - this.labelWidth()) / this.plotWidth() * this.range.span(); },
  xOf(place) { return this.labelWidth() + (place - this.range.begin) / this.range.span() * this.plotWidth(); },
  livesTop() { return rulerHeight + this.curves.length * curveHeight + 8; },

  scroll(by) {
    const height = this.livesTop() + this.lives.length * lifeHeight + 8;
    this.top = Math.max(0, Math.min(this.top + by, height - this.canvas.height));
    this.canvas.ask();
  },

  draw(context, width, height) {
    drawRuler(context, this.range, this.labelWidth(), this.plotWidth(), height, grouped);
    context.save();
    context.beginPath();
    context.rect(0, rulerHeight, width, height - rulerHeight);
    context.clip();
    this.curves.forEach((curve, i) => this.drawCurve(context, curve, rulerHeight + i * curveHeight - this.top, width));
    const top = this.livesTop() - this.top;
    const first = Math.max(0, Math.floor((rulerHeight - top) / lifeHeight));
    for (let i = first; i < this.lives.length && top + i * lifeHeight < height; ++i) {
      this.drawLife(context, this.lives[i], i, top + i * lifeHeight, width);
    }
    context.restore();
    const x = this.xOf(selection.command + 0.5);
    if (selection.command >= 0 && x >= this.labelWidth()) {
      context.fillStyle = colours.accent;
      context.fillRect(Math.round(x), 0, 1, height);
    }
  },

  drawCurve(context, curve, y, width) {
    const left = this.labelWidth(), base = y + curveHeight - 6, room = curveHeight - 16;
    context.fillStyle = colours.text;
    fillCut(context, curve.name, 8, y + 16, left - 12);
    context.fillStyle = colours.quiet;
    fillCut(context, "most " + bytesText(curve.peak), 8, y + 32, left - 12);
    fillCut(context, "at " + grouped(curve.peakAt), 8, y + 46, left - 12);
    context.save();
    context.beginPath();
    context.rect(left, y, width - left, curveHeight);
    context.clip();
    context.fillStyle = colours.launch;
    const pixel = this.range.span() / this.plotWidth();
    for (let x = left; x < width; ++x) this.drawColumn(context, curve, x, this.range.begin + (x - left) * pixel, pixel, base, room);
    context.restore();
    context.fillStyle = colours.line;
    context.fillRect(left, base, width - left, 1);
  },

  // The most that is taken within a pixel.
  drawColumn(context, curve, x, from, pixel, base, room) {
    let most = 0;
    const last = Math.min(curve.indexOf(from + pixel), curve.at.length - 1);
    const first = curve.indexOf(from), step = Math.max(1, Math.floor((last - first) / 64));
    for (let i = first; i <= last; i += step) most = Math.max(most, curve.bytes[i]);
    if (most <= 0 || curve.peak <= 0) return;
    const height = Math.max(1, most / curve.peak * room);
    context.globalAlpha = 0.55;
    context.fillRect(x, base - height, 1, height);
    context.globalAlpha = 1;
    context.fillRect(x, base - height, 1, 1);
  },

  drawLife(context, buffer, i, y, width) {
    const left = this.labelWidth(), middle = y + lifeHeight / 2;
    if (i === this.chosen) {
      context.fillStyle = colours.chosen;
      context.fillRect(0, y, width, lifeHeight);
    }
    context.fillStyle = colours.quiet;
    fillCut(context, "buffer " + buffer.id + "  " + buffer.type + "  " + bytesText(buffer.size), 8, middle, left - 12);
    const begin = Math.max(left, this.xOf(buffer.created));
    const end = Math.min(width, this.xOf(buffer.freed < 0 ? commands.length : buffer.freed));
    if (end < left || begin > width) return;
    context.fillStyle = buffer.type === "DRAM" ? colours.launch : colours.write;
    context.globalAlpha = buffer.taken === 0 ? 0.35 : 0.9;
    context.fillRect(begin, y + 3, Math.max(1.5, end - begin), lifeHeight - 6);
    context.globalAlpha = 1;
  },

  lifeAt(y) {
    const i = Math.floor((y + this.top - this.livesTop()) / lifeHeight);
    return y > rulerHeight && i >= 0 && i < this.lives.length ? i : -1;
  },

  hover(x, y) {
    const life = this.lifeAt(y);
    if (life >= 0) return bufferDetails(this.lives[life]);
    const curve = this.curves[Math.floor((y + this.top - rulerHeight) / curveHeight)];
    if (curve === undefined || y < rulerHeight || x < this.labelWidth()) return "";
    const place = Math.min(Math.max(0, Math.floor(this.placeOf(x))), Math.max(0, commands.length - 1));
    return curve.name + "\n" + bytesText(curve.bytes[curve.indexOf(place)]) + " behind command " + grouped(place);
  },

  click(x, y) {
    const life = this.lifeAt(y);
    if (life < 0) {
      if (x >= this.labelWidth()) selection.choose(Math.floor(this.placeOf(x)));
      return;
    }
    this.chosen = life;
    showDetails(bufferDetails(this.lives[life]));
    this.canvas.ask();
  },

  zoom(factor, x) { this.range.zoom(factor, x === undefined ? undefined : this.placeOf(x)); },
  pan(by) { this.range.move(by * this.range.span()); },
  showAll() { this.range.showAll(); },
  redraw() { this.canvas.ask(); },
};

function makeMemory() {
  memory.canvas = new Canvas(document.getElementById("memory-canvas"), (...all) => memory.draw(...all));
  memory.prepare();
  control(memory.canvas.parent, {
    move: (dx, dy) => { memory.range.move(-dx / memory.plotWidth() * memory.range.span()); memory.scroll(-dy); },
    scroll: (dx, dy) => { if (dx !== 0) memory.range.move(dx / memory.plotWidth() * memory.range.span()); memory.scroll(dy); },
    zoom: (factor, x) => memory.zoom(factor, x),
    hover: (x, y) => memory.hover(x, y),
    click: (x, y) => memory.click(x, y),
  });
  orderRange.listeners.push(() => memory.canvas.ask());
  selection.listeners.push(() => memory.canvas.ask());
}
