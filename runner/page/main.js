// The page as a whole: its views, its keys and its theme.

const views = {
  summary: { redraw() {}, zoom() {}, pan() {}, showAll() {}, scroll(by) { summary.scrollTop += by; } },
  timeline, memory, dataflow, goldens,
};
const viewNames = Object.keys(views);
let shownView = "";

function show(name) {
  shownView = name;
  for (const each of viewNames) {
    document.getElementById(each).classList.toggle("shown", each === name);
    document.querySelector('[data-view="' + each + '"]').setAttribute("aria-selected", each === name);
  }
  views[name].redraw();
}

// ---- Light and dark ----

const darkIsPreferred = window.matchMedia("(prefers-color-scheme: dark)");

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  readColours();
  for (const view of Object.values(views)) view.redraw();
}

function switchTheme() { setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); }

// ---- Keys ----

const keys = [
  ["1 \u2026 5", "the views", null],
  ["/", "search", () => { searchField.focus(); searchField.select(); }],
  ["n", "next match", () => search.next(1)],
  ["N", "match before", () => search.next(-1)],
  ["j", "next command", () => selection.choose(selection.command + 1)],
  ["k", "command before", () => selection.choose(selection.command - 1)],
  ["w", "zoom in", () => views[shownView].zoom(0.6)],
  ["s", "zoom out", () => views[shownView].zoom(1 / 0.6)],
  ["a", "left", () => views[shownView].pan(-0.25)],
  ["d", "right", () => views[shownView].pan(0.25)],
  ["0", "all", () => views[shownView].showAll()],
  ["t", "light or dark", switchTheme],
  ["?", "these keys", () => showHelp()],
];
const otherNames = { ArrowDown: "j", ArrowUp: "k", ArrowLeft: "a", ArrowRight: "d", "+": "w", "=": "w", "-": "s" };

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target === searchField) {
    if (event.key === "Escape") searchField.blur();
    return;
  }
  if (event.key === "Escape") return document.activeElement.blur();
  if (event.key >= "1" && event.key <= String(viewNames.length)) return show(viewNames[event.key - 1]);
  if (event.key === "PageDown" || event.key === "PageUp") return views[shownView].scroll(event.key === "PageDown" ? 300 : -300);
  const key = keys.find(([name]) => name === (otherNames[event.key] ?? event.key));
  if (key === undefined || key[2] === null) return;
  event.preventDefault();
  key[2]();
}

function showHelp() {
  const help = document.getElementById("help");
  if (help.open) return help.close();
  help.replaceChildren(element("h2", "", "Keys"));
  const table = help.appendChild(element("table"));
  for (const [key, what] of [...keys, ["Ctrl + wheel", "zoom at the pointer"], ["drag, wheel", "move"], ["Esc", "leave the search"]]) {
    const row = table.appendChild(element("tr"));
    row.appendChild(element("td")).append(element("kbd", "", key));
    row.append(element("td", "", what));
  }
  help.showModal();
}

// ---- The beginning ----

function start() {
  setThemeOf(darkIsPreferred);
  document.title = info.file + " \u2013 Light Metal";
  // Read from the right, so that a long path keeps its end.
  const name = document.getElementById("file");
  name.append(element("bdi", "", info.file));
  name.title = info.file;
  fillSummary();
  makeTimeline();
  makeMemory();
  makeDataflow();
  makeGoldens();
  for (const button of document.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => show(button.dataset.view));
  }
  for (const button of document.querySelectorAll("[data-zoom]")) {
    const act = { in: (view) => view.zoom(0.6), out: (view) => view.zoom(1 / 0.6), all: (view) => view.showAll() }[button.dataset.zoom];
    button.addEventListener("click", () => act(views[shownView]));
  }
  document.getElementById("theme").addEventListener("click", switchTheme);
  document.getElementById("keys").addEventListener("click", showHelp);
  document.addEventListener("keydown", onKey);
  darkIsPreferred.addEventListener("change", setThemeOf);
  showDetails("Nothing is chosen\nclick a command, a buffer or a program");
  show(viewNames.includes(location.hash.slice(1)) ? location.hash.slice(1) : "summary");
  document.documentElement.dataset.ready = "yes";
}

function setThemeOf(query) {
  document.documentElement.dataset.theme = query.matches ? "dark" : "light";
  readColours();
  if (shownView !== "") for (const view of Object.values(views)) view.redraw();
}

start();
