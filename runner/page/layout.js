// The places of programs and buffers in the graph: in layers from left to right, programs in the odd
// ones and buffers in the even ones, so that most data flow to the right.

// A node has a layer, a place (x, y), and the edges from and to it. An edge leads the way that the
// data take; one that is read and written leads to the program.
function makeGraph() {
  const nodes = new Map();  // programs by number, buffers by -1 - number
  const nodeOf = (key) => {
    if (!nodes.has(key)) nodes.set(key, { key, layer: -1, filled: -1, x: 0, y: 0, edges: [] });
    return nodes.get(key);
  };
  objects.programs.forEach((program, number) => { if (program.launches > 0) nodeOf(number); });
  objects.buffers.forEach((buffer, number) => { if (buffer.writes + buffer.reads > 0) nodeOf(-1 - number); });
  const edges = [];
  for (let i = 0; i < objects.edges.length; i += 3) {
    const program = nodeOf(objects.edges[i]), buffer = nodeOf(-1 - objects.edges[i + 1]), flags = objects.edges[i + 2];
    const edge = { program, buffer, flags };
    program.edges.push(edge);
    buffer.edges.push(edge);
    edges.push(edge);
  }
  const all = [...nodes.values()];
  setLayers(all);
  return { nodes: all, edges, layers: placeLayers(all) };
}

const isProgramNode = (node) => node.key >= 0;
const programOfNode = (node) => objects.programs[node.key];
const bufferOfNode = (node) => objects.buffers[-1 - node.key];

// In the order of their first launches, each program goes right behind what it reads: behind the buffer,
// and behind the last program that has filled it.
function setLayers(nodes) {
  const programs = nodes.filter(isProgramNode).sort((a, b) => programOfNode(a).first - programOfNode(b).first);
  for (const program of programs) {
    let layer = 1;
    for (const { buffer, flags } of program.edges) {
      if ((flags & edgeReads) !== 0 && buffer.layer >= 0) layer = Math.max(layer, buffer.filled + 1);
    }
    program.layer = layer;
    for (const { buffer, flags } of program.edges) {
      if (buffer.layer < 0) buffer.layer = buffer.filled = (flags & edgeReads) !== 0 ? layer - 1 : layer + 1;
      if ((flags & edgeWrites) !== 0) buffer.filled = Math.max(buffer.filled, layer + 1);
    }
  }
  for (const node of nodes) node.layer = Math.max(node.layer, 0);
}

const nodeWidth = 168, nodeHeight = 32, layerPitch = 236, nodePitch = 42;

const otherEnd = (edge, node) => edge.program === node ? edge.buffer : edge.program;

// Each layer in the order of what its nodes are joined to in the layers before, and no node above
// that. Returns the layers, each from above to below.
function placeLayers(nodes) {
  const layers = [];
  for (const node of nodes) (layers[node.layer] ??= []).push(node);
  for (let number = 0; number < layers.length; ++number) layers[number] ??= [];
  layers.forEach((layer, number) => {
    for (const node of layer) node.wanted = wantedPlace(node, number);
    layer.sort((a, b) => a.wanted - b.wanted || firstUse(a) - firstUse(b));
    let y = 0;
    for (const node of layer) {
      node.x = number * layerPitch;
      node.y = Math.max(y, node.wanted);
      y = node.y + nodePitch;
    }
  });
  return layers;
}

const firstUse = (node) => isProgramNode(node) ? programOfNode(node).first : bufferOfNode(node).created;

// The middle of what the node is joined to on its left.
function wantedPlace(node, layer) {
  let sum = 0, count = 0;
  for (const edge of node.edges) {
    const other = otherEnd(edge, node);
    if (other.layer >= layer) continue;
    sum += other.y;
    ++count;
  }
  return count === 0 ? 0 : Math.round(sum / count);
}
