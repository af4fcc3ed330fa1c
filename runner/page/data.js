"use strict";

// The data of the page. Everything below comes from a file that may be hostile: it is shown as text
// (textContent, fillText) and never becomes HTML.

function block(name) {
  const element = document.getElementById("data-" + name);
  if (element === null) return null;
  const value = JSON.parse(element.textContent);
  element.remove();
  return value;
}

const info = block("info");
const recordedGoldens = block("recorded-goldens").recorded;
const comparedGoldens = block("goldens");
const measured = block("timeline");

// Columns: number i of each is of command i.
const commands = (() => {
  const data = block("commands");
  return {
    total: data.total,
    length: data.call.length,
    names: data.calls,
    kinds: data.kinds,
    queues: data.tracks,
    texts: data.texts,
    call: Uint16Array.from(data.call),
    text: Uint32Array.from(data.text),
    track: Uint16Array.from(data.track),
    object: Int32Array.from(data.object),
    bytes: Float64Array.from(data.bytes),
    name(i) { return this.names[this.call[i]]; },
    kind(i) { return this.kinds[this.call[i]]; },
    fields(i) { return this.texts[this.text[i]]; },
  };
})();

const edgeReads = 1, edgeWrites = 2;

const objects = (() => {
  const data = block("objects");
  const buffers = data.buffers.map((b) => ({
    id: b[0], device: b[1], size: b[2], pageSize: b[3], taken: b[4], address: b[5],
    type: data.texts[b[6]], layout: data.texts[b[7]], created: b[8], freed: b[9],
    writes: b[10], bytesWritten: b[11], reads: b[12], bytesRead: b[13],
  }));
  const programs = data.programs.map((p) => ({
    id: p[0], isTrace: p[1] === 1, device: p[2], first: p[3], launches: p[4],
    kernels: p[5].map((k) => data.texts[k]), cores: p[6],
  }));
  return { buffers, programs, edges: Uint32Array.from(data.edges) };
})();

// ---- In words ----

const grouped = (number) => Number(number).toLocaleString("en-US");

function bytesText(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let unit = 0;
  for (; bytes >= 1024 && unit < 6; ++unit) bytes /= 1024;
  return unit === 0 ? bytes + " bytes" : bytes.toFixed(1) + " " + units[unit];
}

function timeText(nanoseconds) {
  const size = Math.abs(nanoseconds);
  if (size < 1e3) return nanoseconds.toFixed(0) + " ns";
  if (size < 1e6) return (nanoseconds / 1e3).toFixed(2) + " \u00b5s";
  if (size < 1e9) return (nanoseconds / 1e6).toFixed(2) + " ms";
  return (nanoseconds / 1e9).toFixed(3) + " s";
}

const hexadecimal = (number) => "0x" + number.toString(16);

function programName(program) {
  const kernels = [...new Set(program.kernels)].slice(0, 4).join(", ");
  return (program.isTrace ? "trace " : "program ") + program.id + (kernels === "" ? "" : ": " + kernels);
}

function bufferName(buffer) {
  return "buffer " + buffer.id + " (" + buffer.type + ", " + bytesText(buffer.size) + ")";
}

function bufferDetails(buffer) {
  const lifetime = "lives from command " + buffer.created + (buffer.freed < 0 ? " to the end" : " to " + buffer.freed);
  return bufferName(buffer) + "\n" + buffer.layout + ", pages of " + bytesText(buffer.pageSize) + ", at " +
    hexadecimal(buffer.address) + " of device " + buffer.device + "\n" + lifetime + "\n" +
    (buffer.taken === 0 ? "takes no memory of its own" : "takes " + bytesText(buffer.taken) + " with padding") + "\n" +
    "the host writes it " + grouped(buffer.writes) + " times (" + bytesText(buffer.bytesWritten) + ") and reads it " +
    grouped(buffer.reads) + " times (" + bytesText(buffer.bytesRead) + ")";
}

function programDetails(program) {
  return programName(program) + "\nlaunched " + grouped(program.launches) + " times" +
    (program.first < 0 ? "" : ", first by command " + program.first + ", on device " + program.device);
}

function commandDetails(i) {
  const object = commands.object[i];
  let text = commands.name(i) + "  " + commands.fields(i);
  if (object >= 0) {
    const isLaunch = commands.kind(i) === "launch";
    text += "\n" + (isLaunch ? programName(objects.programs[object]) : bufferName(objects.buffers[object]));
  }
  return commands.bytes[i] > 0 ? text + "\n" + bytesText(commands.bytes[i]) : text;
}

function queueName(track) {
  if (track === 0) return "calls beside queues";
  const [device, number] = commands.queues[track - 1];
  return "device " + device + ", queue " + number;
}
