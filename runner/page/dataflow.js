// The dataflow: which programs use which buffers, and what the host writes and reads.

const mostEdgesDrawn = 20000;

const dataflow = {
  graph: null,
  canvas: null,
  scale: 1,
  left: -20,  // the graph's place at the upper left corner
  top: -30,
  chosen: null,
  matches: null,
  isPlaced: false,

  xOf(x) { return (x - this.left) * this.scale; },
  yOf(y) { return (y - this.top) * this.scale; },

  size() {
    let bottom = 0;
    for (const layer of this.graph.layers) {
      if (layer.length > 0) bottom = Math.max(bottom, layer[layer.length - 1].y + nodeHeight);
    }
    return [(this.graph.layers.length - 1) * layerPitch + nodeWidth, bottom];
  },

  showAll() {
    const [width, height] = this.size();
    this.scale = Math.min(1, Math.max(0.02, Math.min((this.canvas.width - 60) / width, (this.canvas.height - 60) / height)));
    this.left = -30 / this.scale;
    this.top = -30 / this.scale;
    this.canvas.ask();
  },

  // The nodes of a layer that may be in sight, from above to below.
  inSight(layer, top, bottom) {
    let low = 0, high = layer.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (layer[middle].y + nodeHeight < top) low = middle + 1;
      else high = middle;
    }
    const first = low;
    while (low < layer.length && layer[low].y < bottom) ++low;
    return layer.slice(first, low);
  },

  draw(context, width, height) {
    if (!this.isPlaced) {
      this.isPlaced = true;
      this.showAll();
      if (this.scale < 0.75) { this.scale = 0.8; this.left = -30; this.top = -30; }
    }
    const bottom = this.top + height / this.scale;
    const first = Math.max(0, Math.floor((this.left - nodeWidth) / layerPitch));
    const last = Math.min(this.graph.layers.length, Math.ceil((this.left + width / this.scale) / layerPitch) + 1);
    const nodes = [];
    for (let layer = first; layer < last; ++layer) {
      for (const node of this.inSight(this.graph.layers[layer], this.top, bottom)) nodes.push(node);
    }
    this.drawEdges(context, nodes);
    for (const node of nodes) this.drawNode(context, node);
    context.globalAlpha = 1;
    if (this.graph.nodes.length === 0) {
      context.fillStyle = colours.quiet;
      context.fillText("No program is launched and no buffer is written or read.", 20, 24);
    }
  },

  drawEdges(context, nodes) {
    let count = 0;
    for (const node of nodes) {
      for (const edge of node.edges) {
        if (edge.drawn === this.frame + 1 || ++count > mostEdgesDrawn) continue;
        edge.drawn = this.frame + 1;
        this.drawEdge(context, edge);
      }
    }
    ++this.frame;
  },
  frame: 0,

  // From the right of one node to the left of the next; an edge that leads back is drawn below.
  drawEdge(context, edge) {
    const isInput = (edge.flags & edgeReads) !== 0;
    const from = isInput ? edge.buffer : edge.program, to = isInput ? edge.program : edge.buffer;
    const isChosen = this.chosen !== null && (edge.program === this.chosen || edge.buffer === this.chosen);
    const x0 = this.xOf(from.x + nodeWidth), y0 = this.yOf(from.y + nodeHeight / 2);
    const x1 = this.xOf(to.x), y1 = this.yOf(to.y + nodeHeight / 2);
    const bend = x1 > x0 ? Math.max(24 * this.scale, (x1 - x0) / 2.4) : 70 * this.scale;
    context.globalAlpha = this.chosen === null || isChosen ? 0.9 : 0.25;
    context.strokeStyle = isChosen ? colours.accent : colours.quiet;
    context.lineWidth = isChosen ? 1.6 : 0.8;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    context.stroke();
    if (this.scale > 0.3) this.drawHead(context, x1, y1, context.strokeStyle);
    if ((edge.flags & (edgeReads | edgeWrites)) === (edgeReads | edgeWrites) && this.scale > 0.3) this.drawTail(context, x0, y0);
    context.lineWidth = 1;
  },

  drawHead(context, x, y, colour) {
    const size = 5 * this.scale;
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - 1.6 * size, y - size * 0.8);
    context.lineTo(x - 1.6 * size, y + size * 0.8);
    context.fill();
  },

  drawTail(context, x, y) {
    const size = 5 * this.scale;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 1.6 * size, y - size * 0.8);
    context.lineTo(x + 1.6 * size, y + size * 0.8);
    context.fill();
  },

  isQuiet(node) {
    if (this.matches !== null) return !this.matches.has(node);
    return this.chosen !== null && node !== this.chosen && !node.edges.some((edge) => otherEnd(edge, node) === this.chosen);
  },

  drawNode(context, node) {
    const x = this.xOf(node.x), y = this.yOf(node.y), width = nodeWidth * this.scale, height = nodeHeight * this.scale;
    context.globalAlpha = this.isQuiet(node) ? 0.35 : 1;
    if (isProgramNode(node)) {
      context.fillStyle = programColour(node.key);
      context.fillRect(x, y, width, height);
    } else {
      this.drawHostEnds(context, bufferOfNode(node), x, y, width, height);
      context.fillStyle = colours.raised;
      context.fillRect(x, y, width, height);
      context.strokeStyle = colours.quiet;
      context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
    }
    if (node === this.chosen) {
      context.strokeStyle = colours.accent;
      context.lineWidth = 2;
      context.strokeRect(x - 1.5, y - 1.5, width + 3, height + 3);
      context.lineWidth = 1;
    }
    if (this.scale < 0.45) return;
    this.drawTexts(context, node, x, y);
  },

  drawTexts(context, node, x, y) {
    context.save();
    context.translate(x, y);
    context.scale(this.scale, this.scale);
    const [name, more] = isProgramNode(node) ? this.programTexts(programOfNode(node)) : this.bufferTexts(bufferOfNode(node));
    context.fillStyle = isProgramNode(node) ? colours["on-span"] : colours.text;
    fillCut(context, name, 7, 10, nodeWidth - 12);
    context.globalAlpha *= 0.8;
    fillCut(context, more, 7, 23, nodeWidth - 12);
    context.restore();
  },

  programTexts(program) {
    const kernels = [...new Set(program.kernels)].join(", ");
    return [(program.isTrace ? "trace " : "program ") + program.id + ", launched " + grouped(program.launches) + (program.launches === 1 ? " time" : " times"),
      kernels === "" ? "no kernel" : kernels];
  },

  bufferTexts(buffer) {
    return ["buffer " + buffer.id, buffer.type + "  " + bytesText(buffer.size) + "  " + hexadecimal(buffer.address)];
  },

  // What the host writes comes from the left, what it reads goes to the right.
  drawHostEnds(context, buffer, x, y, width, height) {
    const size = 12 * this.scale, thick = Math.max(2, 4 * this.scale), middle = y + height / 2 - thick / 2;
    context.fillStyle = colours.write;
    if (buffer.writes > 0) context.fillRect(x - size, middle, size, thick);
    context.fillStyle = colours.read;
    if (buffer.reads > 0) context.fillRect(x + width, middle, size, thick);
  },

  nodeAt(x, y) {
    const at = this.left + x / this.scale, down = this.top + y / this.scale;
    const layer = this.graph.layers[Math.floor(at / layerPitch)];
    if (layer === undefined || at % layerPitch > nodeWidth) return null;
    return this.inSight(layer, down, down + 1).find((node) => node.y <= down) ?? null;
  },

  hover(x, y) {
    const node = this.nodeAt(x, y);
    if (node === null) return "";
    return isProgramNode(node) ? programDetails(programOfNode(node)) : bufferDetails(bufferOfNode(node));
  },

  click(x, y) {
    this.chosen = this.nodeAt(x, y);
    if (this.chosen !== null) showDetails(this.hover(x, y));
    this.canvas.ask();
  },

  zoom(factor, x = this.canvas.width / 2, y = this.canvas.height / 2) {
    const scale = Math.min(4, Math.max(0.02, this.scale / factor));
    this.left += x / this.scale - x / scale;
    this.top += y / this.scale - y / scale;
    this.scale = scale;
    this.canvas.ask();
  },

  move(dx, dy) {
    this.left += dx / this.scale;
    this.top += dy / this.scale;
    this.canvas.ask();
  },

  pan(by) { this.move(by * this.canvas.width, 0); },
  scroll(by) { this.move(0, by); },
  redraw() { this.canvas.ask(); },

  // Marks the nodes whose names have the text, and shows the first one.
  search(text) {
    this.matches = null;
    if (text !== "") {
      const name = (node) => isProgramNode(node) ? programName(programOfNode(node)) : bufferName(bufferOfNode(node));
      this.matches = new Set(this.graph.nodes.filter((node) => name(node).toLowerCase().includes(text)));
      const first = this.matches.values().next().value;
      if (first !== undefined && this.canvas.width > 0) {
        this.left = first.x - (this.canvas.width / this.scale - nodeWidth) / 2;
        this.top = first.y - this.canvas.height / this.scale / 2;
      }
      if (first === undefined) this.matches = null;
    }
    this.canvas.ask();
  },
};

function makeDataflow() {
  dataflow.graph = makeGraph();
  dataflow.canvas = new Canvas(document.getElementById("graph"), (...all) => dataflow.draw(...all));
  control(dataflow.canvas.parent, {
    move: (dx, dy) => dataflow.move(-dx, -dy),
    scroll: (dx, dy) => dataflow.move(dx, dy),
    zoom: (factor, x, y) => dataflow.zoom(factor, x, y),
    hover: (x, y) => dataflow.hover(x, y),
    click: (x, y) => dataflow.click(x, y),
  });
  fillLegend(document.getElementById("dataflow-legend"), [["launch", "program"], ["write", "written by the host"], ["read", "read by the host"]]);
  const programs = dataflow.graph.nodes.filter(isProgramNode).length;
  document.getElementById("dataflow-note").textContent = grouped(programs) + (programs === 1 ? " program, " : " programs, ") +
    grouped(dataflow.graph.nodes.length - programs) + " buffers. Directions are guessed: from the kernels' processors, and from what was written before.";
  search.listeners.push(() => dataflow.search(search.text));
}
