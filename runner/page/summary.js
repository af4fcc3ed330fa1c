// The summary: what `info` says of the file, from the same data.

const summary = document.getElementById("summary");

// A part with a heading and a table. Each row is a list of cells; a number is shown in groups and
// kept as it is in data-value, which carries the name by which a test finds it.
function summaryPart(title, rows, head) {
  if (rows.length === 0) return null;
  const part = element("div", "part");
  part.append(element("h2", "", title));
  // Numbers below each other end at one place, unless texts stand between them.
  const isAligned = head !== undefined || rows.every((row) => row[1] instanceof Node && row[1].classList.contains("count"));
  const table = part.appendChild(element("table", isAligned ? "aligned" : ""));
  if (head) {
    const line = table.appendChild(element("tr", "head"));
    for (const name of head) line.append(element("th", name.startsWith("#") ? "count" : "", name.replace("#", "")));
  }
  for (const row of rows) {
    const line = table.appendChild(element("tr"));
    row.forEach((cell, i) => line.append(summaryCell(cell, i === 0 && !head)));
  }
  return part;
}

function summaryCell(cell, isHead) {
  if (cell instanceof Node) return cell;
  return element(isHead ? "th" : "td", "", String(cell));
}

function countCell(name, value, unit) {
  const cell = element("td", "count", unit === "bytes" ? bytesText(value) : grouped(value));
  if (unit === "bytes" && value >= 1024) cell.title = grouped(value) + " bytes";
  cell.dataset.name = name;
  cell.dataset.value = value;
  return cell;
}

function fileRows() {
  const rows = [
    ["file", info.file], ["size", countCell("size", info.size, "bytes")],
    ["format", info.format.major + "." + info.format.minor], ["written by", info.producer],
  ];
  rows.push(["state", info.complete ? "complete" : element("td", "bad", "incomplete: " + info.incomplete_reason)]);
  for (const [name, value] of Object.entries(info.options)) rows.push(["option", name + "=" + value]);
  for (const key of info.signatures) rows.push(["signature", "claims to be of key " + key]);
  for (const intent of info.open_intents) {
    rows.push(["died in", intent.name + " before command " + intent.before_command]);
  }
  return rows;
}

function originRows() {
  const origin = info.origin;
  if (origin === null) return [];
  const rows = [["build", origin.build], ["program", origin.program], ["arguments", origin.arguments.join(" ")],
    ["host", origin.host], ["system", origin.operating_system], ["processor", origin.processor]];
  for (const [name, value] of Object.entries(origin.environment)) rows.push(["variable", name + "=" + value]);
  return rows.filter((row) => row[1] !== "");
}

function payloadRows() {
  const payloads = info.payloads;
  const rows = [["payloads", countCell("payloads.count", payloads.count)],
    ["stored", countCell("payloads.stored_bytes", payloads.stored_bytes, "bytes")],
    ["different", countCell("payloads.unique_bytes", payloads.unique_bytes, "bytes")],
    ["used", countCell("payloads.used_bytes", payloads.used_bytes, "bytes")]];
  if (payloads.compressed.count > 0) {
    rows.push(["compressed", countCell("payloads.compressed.count", payloads.compressed.count)]);
  }
  for (const file of payloads.referenced_files) rows.push(["in " + file.path, countCell("payloads.in_file", file.bytes, "bytes")]);
  return rows;
}

function deviceRows() {
  return info.devices.slice(0, 200).map((device) => [countCell("devices.id", device.id), "chip " + device.chip_id,
    String(device.profile.arch), device.backend, device.profile.grid.x + "x" + device.profile.grid.y,
    countCell("devices.num_hw_cqs", device.num_hw_cqs)]);
}

function kernelRows() {
  const name = (kernel) => kernel.name === "" ? "(without a name)" : kernel.name;
  return info.kernels.slice(0, 200).map((kernel) => [countCell("kernels.id", kernel.id), name(kernel), kernel.processor,
    countCell("kernels.size", kernel.objects.reduce((sum, object) => sum + object.size, 0), "bytes")]);
}

// What the title of a table of at most 200 says.
const countedTitle = (what, count) => what + ": " + grouped(count) + (count > 200 ? ", the first 200" : "");

function fillSummary() {
  const parts = summary.appendChild(element("div", "parts"));
  const counts = Object.entries(info.commands).sort((a, b) => b[1] - a[1]);
  const rows = counts.map(([name, count]) => [name, countCell("commands." + name, count)]);
  rows.unshift([element("td", "", "all"), countCell("num_commands", info.num_commands)]);
  const made = [
    summaryPart("File", fileRows()), summaryPart("Payloads", payloadRows()), summaryPart("Commands", rows),
    summaryPart(countedTitle("Devices", info.devices.length), deviceRows(), ["#id", "chip", "architecture", "backend", "grid", "#queues"]),
    summaryPart("Origin", originRows()),
  ];
  parts.append(...made.filter((part) => part !== null));
  const kernels = summaryPart(countedTitle("Kernels", info.kernels.length), kernelRows(), ["#id", "kernel", "processor", "#object"]);
  if (kernels !== null) summary.append(kernels);
  const all = summary.appendChild(element("details"));
  all.append(element("summary", "", "All that info says"));
  all.addEventListener("toggle", () => {
    if (all.open && all.children.length === 1) all.append(element("pre", "", JSON.stringify(info, null, 1)));
  });
}
