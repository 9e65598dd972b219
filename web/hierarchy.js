// The page of a hierarchy, live: the preview follows the form, and the tree can be put together by
// dragging or by buttons. Both only fill the form; without this file it is sent by its buttons.

const form = document.querySelector("#builder");
const area = document.querySelector("#tree");
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// ---- preview ------------------------------------------------------------------------------------

let turn = 0, timer = 0;

const parse = (text) => new DOMParser().parseFromString(text, "text/html");

// What was unfolded stays so.
function show(next) {
  const now = document.querySelector("#preview");
  const folds = (root) => [...root.querySelectorAll("details")];
  const before = folds(now), after = folds(next);
  if (before.length === after.length) after.forEach((fold, i) => { fold.open = before[i].open; });
  now.dataset.state = next.dataset.state;
  now.replaceChildren(...document.importNode(next, true).childNodes);
  const path = now.querySelector(".path"), said = document.querySelector("#preview-said");
  if (said) said.textContent = path ? path.textContent : "";
}

function say(text) {
  const line = document.createElement("p");
  line.className = "message wrong";
  line.textContent = text;
  document.querySelector("#preview").replaceChildren(line);
}

async function preview() {
  const mine = ++turn;
  const body = new URLSearchParams(new FormData(form));
  try {
    let answer = await fetch(form.dataset.preview, { method: "POST", body });
    for (let wait = 60; mine === turn; wait = Math.min(2 * wait, 1000)) {
      const page = parse(await answer.text()), next = page.querySelector("#preview");
      if (mine !== turn) return;
      const wrong = new URL(answer.url).searchParams.get("wrong");
      if (wrong || !next) return say(wrong || "The preview cannot be shown; load the page again.");
      if (next.dataset.state !== "busy") {
        show(next);
        drawRows();
        return;
      }
      document.querySelector("#preview").dataset.state = "busy";
      await sleep(wait);
      answer = await fetch(answer.url);
    }
  } catch {
    if (mine === turn) say("The server does not answer. Is it still running?");
  }
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(preview, 400);
}

// Who types into the fields of a way means that way.
function choose(target) {
  const box = target.closest(".builder"), radio = box && box.querySelector("input[type=radio]");
  if (radio && target !== radio) radio.checked = true;
}

// ---- the tree as lines --------------------------------------------------------------------------

const MOST_LINES = 3000;
let lines = [], chosen = new Set(), isMine = false;

// Each line with its depth; what is for people (blank lines, #) stays with the line below it.
function read(text) {
  const found = [], indents = [];
  let before = [], number = 0;
  for (const raw of text.split(/\r?\n/)) {
    const label = raw.trim();
    number++;
    if (!label || label.startsWith("#")) {
      if (label) before.push(raw);
      continue;
    }
    const indent = raw.length - raw.trimStart().length;
    while (indents.length && indents[indents.length - 1] >= indent) indents.pop();
    found.push({ label, depth: indents.length, before, number });
    indents.push(indent);
    before = [];
  }
  return found;
}

const write = () => lines.map((line) => [...line.before, "  ".repeat(line.depth) + line.label].join("\n")).join("\n") + "\n";

function endOf(at) {
  let end = at + 1;
  while (end < lines.length && lines[end].depth > lines[at].depth) end++;
  return end;
}

function parentOf(at) {
  let up = at - 1;
  while (up >= 0 && lines[up].depth >= lines[at].depth) up--;
  return up;
}

const isGroup = (at) => endOf(at) > at + 1;

// The last line before it that stands beside it; -1: it is the first of its group.
function siblingBefore(at) {
  let up = at - 1;
  while (up >= 0 && lines[up].depth > lines[at].depth) up--;
  return up >= 0 && lines[up].depth === lines[at].depth ? up : -1;
}

function shift(block, by) {
  for (const line of block) line.depth += by;
  return block;
}

// Those that were chosen, without what lies within another of them; else the one that is named.
function picked(only) {
  const all = only !== undefined && !chosen.has(lines[only]) ? [only] : lines.map((line, at) => at).filter((at) => chosen.has(lines[at]));
  return all.filter((at) => at > 0 && !all.some((other) => other < at && at < endOf(other)));
}

// Takes lines with all below them out of the tree; gives the blocks in their order.
function cut(places) {
  const blocks = [];
  for (const at of [...places].reverse()) blocks.unshift(lines.splice(at, endOf(at) - at));
  return blocks;
}

function into(places, group) {
  const target = lines[group];
  if (places.some((at) => group >= at && group < endOf(at))) return "A group cannot go into itself.";
  const blocks = cut(places), at = lines.indexOf(target), end = endOf(at);
  for (const block of blocks) shift(block, target.depth + 1 - block[0].depth);
  lines.splice(end, 0, ...blocks.flat());
  return `Moved ${blocks.length} into ${target.label}.`;
}

const acts = {
  up(places) {
    const before = siblingBefore(places[0]);
    if (before < 0) return "It is the first of its group.";
    for (const at of places) {
      const to = siblingBefore(at);
      if (to >= 0) lines.splice(to, 0, ...lines.splice(at, endOf(at) - at));
    }
    return "Moved up.";
  },
  down(places) {
    let n = 0;
    for (const at of [...places].reverse()) {
      const end = endOf(at);
      if (end >= lines.length || lines[end].depth !== lines[at].depth) continue;
      const after = lines.splice(end, endOf(end) - end);
      lines.splice(at, 0, ...after);
      n++;
    }
    return n ? "Moved down." : "It is the last of its group.";
  },
  indent(places) {
    const before = siblingBefore(places[0]);
    if (before < 0 || !isGroup(before)) return "There is no group right above it; make one first.";
    return into(places, before);
  },
  outdent(places) {
    let n = 0;
    for (const at of [...places].reverse()) {
      const up = parentOf(at);
      if (up <= 0) continue; // the top has everything
      const block = lines.splice(at, endOf(at) - at);
      lines.splice(endOf(up), 0, ...shift(block, -1));
      n++;
    }
    return n ? "Moved out of its group." : "It is in no group but the top.";
  },
  group(places) {
    const name = nameField().value.trim();
    if (!name) return nameField().focus(), "Type the name of the new group first.";
    const first = lines[places[0]], depth = first.depth, up = lines[parentOf(places[0])];
    const blocks = cut(places);
    for (const block of blocks) shift(block, depth + 1 - block[0].depth);
    const at = Math.min(places[0], lines.length);
    const to = up ? Math.max(at, lines.indexOf(up) + 1) : at;
    lines.splice(to, 0, { label: name, depth, before: [] }, ...blocks.flat());
    nameField().value = "";
    chosen.clear(); // the next group is of others
    return `Made the group ${name}.`;
  },
  rename(places) {
    const name = nameField().value.trim();
    if (places.length !== 1 || !isGroup(places[0])) return "Choose one group.";
    if (!name) return nameField().focus(), "Type its new name first.";
    lines[places[0]].label = name;
    nameField().value = "";
    chosen.clear();
    return `It is called ${name} now.`;
  },
  dissolve(places) {
    const groups = places.filter(isGroup);
    for (const at of [...groups].reverse()) {
      shift(lines.slice(at + 1, endOf(at)), -1);
      lines.splice(at, 1);
    }
    chosen.clear();
    return groups.length ? "The group is gone; what was in it is in the one above." : "Choose a group.";
  },
};

// ---- the tree as a list -------------------------------------------------------------------------

const editor = document.querySelector("#tree-editor");
const nameField = () => editor.querySelector("input[name=group-name]");

function button(name, text) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "plain";
  made.textContent = text;
  made.addEventListener("click", () => act(name));
  return made;
}

function makeEditor() {
  const title = document.createElement("h3"), hint = document.createElement("p"), bar = document.createElement("div");
  const label = document.createElement("label"), field = document.createElement("input");
  const list = document.createElement("ul"), status = document.createElement("p");
  title.textContent = "Arrange the values";
  hint.className = "hint";
  hint.textContent = "Choose values and make a group of them, or drag them onto a group. With the keyboard: Space chooses, Alt with an arrow key moves.";
  bar.className = "tools";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "What to do with the chosen lines");
  field.name = "group-name";
  field.setAttribute("form", ""); // not a field of the form that is sent
  field.autocomplete = "off";
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    act("group");
  });
  label.append("Name of a group ", field);
  bar.append(label, button("group", "Group the chosen"), button("rename", "Rename"), button("dissolve", "Dissolve"),
    button("up", "Up"), button("down", "Down"), button("indent", "Into the group above"), button("outdent", "Out of its group"));
  list.className = "tree";
  status.className = "hint";
  status.setAttribute("role", "status");
  editor.replaceChildren(title, hint, bar, list, status);
}

function rowsOfValues() {
  const rows = new Map();
  for (const row of document.querySelectorAll("#preview tbody[data-level='0'] tr"))
    rows.set(row.cells[0].textContent, row.cells[2].textContent);
  return rows;
}

// What the preview knows of the lines: rows of values, and what is wrong where.
function drawRows() {
  const rows = rowsOfValues(), wrong = new Set();
  for (const line of document.querySelectorAll("#preview .problems li")) wrong.add(Number(line.dataset.line));
  for (const line of editor.querySelectorAll("ul.tree li")) line.classList.toggle("bad", wrong.has(lines[line.dataset.at].number));
  for (const count of editor.querySelectorAll(".rows")) {
    const n = rows.get(count.dataset.label);
    count.textContent = n === undefined ? "" : `${n} rows`;
  }
}

function item(line, at) {
  const made = document.createElement("li"), label = document.createElement("label");
  const box = document.createElement("input"), text = document.createElement("bdi"), count = document.createElement("span");
  made.dataset.at = at;
  made.className = isGroup(at) ? "group" : "leaf";
  made.dataset.depth = Math.min(line.depth, 8);
  made.draggable = at > 0;
  box.type = "checkbox";
  box.disabled = at === 0;
  box.setAttribute("form", "");
  box.checked = chosen.has(line);
  box.addEventListener("change", () => { box.checked ? chosen.add(line) : chosen.delete(line); });
  text.textContent = line.label.length > 60 ? `${line.label.slice(0, 60)}…` : line.label;
  text.title = line.label.slice(0, 400);
  count.className = "rows";
  count.dataset.label = line.label;
  label.append(box, " ", text);
  made.append(label, count);
  return made;
}

function draw() {
  if (!area || !editor) return;
  if (lines.length < 2 || lines.length > MOST_LINES) {
    editor.replaceChildren();
    return;
  }
  if (!editor.firstChild) makeEditor();
  editor.querySelector(".tree").replaceChildren(...lines.map(item));
  drawRows();
}

function act(name, only) {
  const places = picked(only), status = editor.querySelector("[role=status]");
  if (!places.length) {
    status.textContent = "Choose something first.";
    return;
  }
  const kept = lines[places[0]];
  finish(acts[name](places), kept);
}

function finish(said, kept) {
  lines[0].depth = 0;
  isMine = true;
  area.value = write();
  let number = 0;
  for (const line of lines) line.number = number += line.before.length + 1;
  choose(area);
  draw();
  isMine = false;
  later();
  editor.querySelector("[role=status]").textContent = said;
  const at = lines.indexOf(kept), box = editor.querySelector(`li[data-at="${at}"] input`);
  if (box && !editor.querySelector(".tools").contains(document.activeElement)) box.focus();
}

function followKeys(event) {
  const names = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "indent", ArrowLeft: "outdent" };
  const line = event.target.closest("li");
  if (!line) return;
  if (event.altKey && names[event.key]) {
    event.preventDefault();
    act(names[event.key], Number(line.dataset.at));
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    const next = event.key === "ArrowUp" ? line.previousElementSibling : line.nextElementSibling;
    const box = next && next.querySelector("input");
    if (!box || box.disabled) return;
    event.preventDefault();
    box.focus();
  }
}

function followDrags() {
  let from = -1;
  const over = (event) => event.target.closest && event.target.closest("#tree-editor li");
  const clear = () => editor.querySelectorAll(".over").forEach((line) => line.classList.remove("over"));
  editor.addEventListener("dragstart", (event) => {
    const line = over(event);
    if (!line) return;
    from = Number(line.dataset.at);
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", lines[from].label);
  });
  editor.addEventListener("dragover", (event) => {
    const line = over(event);
    if (!line || from < 0) return;
    event.preventDefault();
    clear();
    line.classList.add("over");
  });
  editor.addEventListener("dragend", () => { from = -1; clear(); });
  editor.addEventListener("drop", (event) => {
    const line = over(event);
    if (!line || from < 0) return;
    event.preventDefault();
    const at = Number(line.dataset.at), places = picked(from), kept = lines[from];
    // onto a group: into it; onto a value: beside it
    const group = isGroup(at) || at === 0 ? at : parentOf(at);
    from = -1;
    clear();
    if (!places.length) return;
    const said = into(places, group);
    chosen.clear();
    finish(said, kept);
  });
}

// ---- problems at their lines --------------------------------------------------------------------

function toLine(number) {
  const all = area.value.split("\n"), start = all.slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
  area.focus();
  area.setSelectionRange(start, start + (all[number - 1] || "").length);
  area.scrollTop = Math.max(0, (number - 4) * parseFloat(getComputedStyle(area).lineHeight || 18));
}

document.addEventListener("click", (event) => {
  const line = event.target.closest && event.target.closest(".problems li[data-line]");
  if (!line || !event.target.closest("a") || !area) return;
  event.preventDefault();
  toLine(Number(line.dataset.line));
});

// ---- begin --------------------------------------------------------------------------------------

if (form) {
  form.addEventListener("input", (event) => {
    if (isMine || event.target.closest("#tree-editor")) return;
    choose(event.target);
    if (event.target === area) {
      lines = read(area.value);
      chosen = new Set();
      draw();
    }
    later();
  });
  if (area && editor) {
    lines = read(area.value);
    draw();
    editor.addEventListener("keydown", followKeys);
    followDrags();
  }
  // A tree that was just written: nobody has looked at it yet.
  if (document.querySelector("#preview[data-unseen]")) preview();
}
