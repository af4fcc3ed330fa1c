// The list of commands, the search, and which command is chosen.

const searchField = document.getElementById("search");
const matchesNote = document.getElementById("matches");

// Which command is chosen; views that show it listen.
const selection = {
  command: -1,
  listeners: [],
  choose(command) {
    if (commands.length === 0) return;
    this.command = Math.min(Math.max(command, 0), commands.length - 1);
    showDetails("command " + this.command + "\n" + commandDetails(this.command));
    for (const listener of this.listeners) listener(this.command);
  },
};

const search = {
  text: "",
  isMatch: new Uint8Array(commands.length),
  matches: new Uint32Array(0),
  listeners: [],

  // Looks at each different text once, and then at the commands.
  run(text) {
    this.text = text.trim().toLowerCase();
    const wanted = this.text;
    if (wanted === "") {
      this.isMatch.fill(0);
      this.matches = new Uint32Array(0);
    } else {
      const has = (each) => each.toLowerCase().includes(wanted);
      const inTexts = commands.texts.map(has), inNames = commands.names.map(has);
      const ofPrograms = objects.programs.map((program) => has(programName(program)));
      const found = [];
      for (let i = 0; i < commands.length; ++i) {
        const isLaunch = commands.kind(i) === "launch" && commands.object[i] >= 0;
        const matches = inTexts[commands.text[i]] || inNames[commands.call[i]] || (isLaunch && ofPrograms[commands.object[i]]);
        this.isMatch[i] = matches ? 1 : 0;
        if (matches) found.push(i);
      }
      this.matches = Uint32Array.from(found);
    }
    matchesNote.textContent = wanted === "" ? "" : grouped(this.matches.length) + (this.matches.length === 1 ? " match" : " matches");
    for (const listener of this.listeners) listener();
  },

  // Chooses the next match in this direction, and the first one behind the last.
  next(direction) {
    const matches = this.matches;
    if (matches.length === 0) return;
    let at = lowerBound(matches, selection.command + (direction > 0 ? 1 : 0));
    if (direction < 0) at += matches.length - 1;
    selection.choose(matches[at % matches.length]);
  },
};

// The first place in an ascending list whose number is at least `value`.
function lowerBound(list, value, from = 0) {
  let low = from, high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function fillCommandRow(row, i) {
  if (search.isMatch[i]) row.classList.add("match");
  fillCells(row, [["number", String(i)], ["name", commands.name(i)],
    ["where", commands.track[i] === 0 ? "" : "d" + commands.queues[commands.track[i] - 1].join(" q")],
    ["fields", commands.fields(i)], ["size", commands.bytes[i] > 0 ? bytesText(commands.bytes[i]) : ""]]);
}

const commandList = new VirtualList(document.getElementById("commands"), commands.length, fillCommandRow,
  (index) => selection.choose(index));
commandList.setHead([["number", "#"], ["name", "command"], ["where", "queue"], ["fields", "fields"], ["size", "bytes"]]);
selection.listeners.push((command) => commandList.choose(command));
search.listeners.push(() => commandList.draw());

let searchTimer = 0;
searchField.addEventListener("input", () => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => {
    search.run(searchField.value);
    if (search.matches.length > 0 && !search.isMatch[selection.command]) search.next(1);
  }, 80);
});
searchField.addEventListener("keydown", (event) => {
  if (event.key === "Enter") search.next(event.shiftKey ? -1 : 1);
});

// The line between the tracks and the list can be dragged.
const split = document.querySelector(".split");
split.addEventListener("pointerdown", (event) => split.setPointerCapture(event.pointerId));
split.addEventListener("pointermove", (event) => {
  if (!split.hasPointerCapture(event.pointerId)) return;
  const box = split.parentElement.getBoundingClientRect();
  const height = Math.min(Math.max(box.bottom - event.clientY, 60), box.height - 120);
  document.getElementById("commands").style.height = height + "px";
});
