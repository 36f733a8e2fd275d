"use strict";
/* The browser of events.  Names and texts come from anywhere: they are only ever
 * put into the page as text. */
(function () {
  const at = (id) => document.getElementById(id);
  const rows = at("rows");
  if (!rows) return;
  const body = rows.tBodies[0], head = rows.tHead.rows[0];
  const choices = ["suite", "class", "use", "scope", "verdict", "source"];
  const kept = new Map(); /* of data, by its id */
  let kind = null;        /* what "events-data-K" says, and what was made of it */
  let suite = null;       /* what "suite-data-K-S" says, or null */
  let found = [], first = 0, sorted = { by: "", down: false };
  let turn = 0;           /* only the latest of several requests is shown */

  async function data(id) {
    if (!kept.has(id)) kept.set(id, rcData(id).then(JSON.parse));
    return kept.get(id);
  }

  /* As rc_html_put() does: what nobody would see is shown. */
  function shown(text) {
    return text.replace(/[\p{Cc}\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}\p{Noncharacter_Code_Point}]/gu,
      (c) => c === "\n" ? "\\n" : c === "\t" ? "\\t"
        : c < "\u0100" ? "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0")
        : "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
  }
  function make(tag, text, more) {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    return Object.assign(e, more);
  }
  function name(text) {
    const code = make("code", shown(text));
    if (text.length > 160) { code.className = "long"; code.tabIndex = 0; }
    return code;
  }

  /* The letters of io/report/browser.c as numbers. */
  const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const number = new Int8Array(128).fill(-1);
  for (let i = 0; i < letters.length; i++) number[letters.charCodeAt(i)] = i;
  const code = (string, i) => number[string.charCodeAt(i)];

  function columns() {
    const solved = kind.suites.length > 0;
    const list = [
      { id: "event", title: "event" },
      { id: "scope", title: "scope", text: (i) => kind.scopes[code(kind.scope, i)] },
      { id: "verdict", title: "trial", text: (i) => kind.verdicts[code(kind.verdict, i)] },
      { id: "source", title: "source", text: (i) => kind.sources[code(kind.source, i)] }];
    if (solved) list.push({ id: "class", title: "class",
      text: (i) => kind.classes[code(suite ? suite.class : kind.best, i)] || "" });
    if (suite) {
      list.push({ id: "use", title: "use", text: (i) => kind.uses[code(suite.use, i)] });
      list.push({ id: "noise", title: "noise", right: true,
        text: (i) => suite.noise[i] === null ? "" : suite.noise[i] === 0 ? "0" : suite.noise[i].toExponential(1) });
    }
    return list;
  }

  function fill(id, words, used) {
    const select = at("f-" + id), was = select.value;
    select.replaceChildren(make("option", "any", { value: "" }));
    words.forEach((word, i) => {
      if (!used || used.has(i)) select.append(make("option", shown(word), { value: String(i) }));
    });
    select.value = was;
    if (select.selectedIndex < 0) select.value = "";
    select.parentNode.hidden = select.options.length < 3 && id !== "suite";
  }
  function used(string) {
    const set = new Set();
    for (let i = 0; i < string.length; i++) set.add(code(string, i));
    return set;
  }

  /* Which events there are of each kind of machine: read once, then as it is. */
  async function open(k) {
    const read = await data("events-data-" + k);
    if (!read.low) {
      read.low = read.events.map((e) => e.toLowerCase());
      read.number = k;
    }
    kind = read;
    fill("suite", kind.suites);
    fill("scope", kind.scopes, used(kind.scope));
    fill("verdict", kind.verdicts, used(kind.verdict));
    fill("source", kind.sources, used(kind.source));
    at("f-suite").parentNode.hidden = kind.suites.length === 0;
  }
  async function enter() {
    const s = at("f-suite").value;
    suite = s === "" ? null : await data("suite-data-" + kind.number + "-" + s);
    if (kind.suites.length) fill("class", kind.classes, used(suite ? suite.class : kind.best));
    else at("f-class").parentNode.hidden = true;
    if (suite) fill("use", kind.uses, used(suite.use));
    at("f-use").parentNode.hidden = !suite;
    if (!suite) at("f-use").value = "";
  }

  function filter() {
    const words = at("f-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const want = [];
    for (const id of choices) {
      const value = at("f-" + id).value;
      if (id === "suite" || value === "") continue;
      const string = id === "class" ? (suite ? suite.class : kind.best)
        : id === "use" ? suite.use : kind[id];
      want.push({ string, letter: letters.charCodeAt(Number(value)) });
    }
    found = [];
    next: for (let i = 0; i < kind.low.length; i++) {
      for (const w of want) if (w.string.charCodeAt(i) !== w.letter) continue next;
      for (const word of words) if (!kind.low[i].includes(word)) continue next;
      found.push(i);
    }
  }
  function order() {
    const { by, down } = sorted, sign = down ? -1 : 1;
    if (by === "") return;
    let key;
    if (by === "event") key = (i) => kind.low[i];
    else if (by === "noise" && suite) key = (i) => suite.noise[i] === null ? Infinity * sign : suite.noise[i];
    else if (by === "class") key = (i) => -code(suite ? suite.class : kind.best, i);
    else if (by === "use" && suite) key = (i) => -code(suite.use, i);
    else if (kind[by]) key = (i) => code(kind[by], i);
    else return;
    found.sort((a, b) => {
      const x = key(a), y = key(b);
      return x < y ? -sign : x > y ? sign : a - b;
    });
  }

  function heads() {
    head.replaceChildren();
    for (const c of columns()) {
      const th = make("th", undefined, { scope: "col" });
      if (c.right) th.className = "r";
      if (sorted.by === c.id) th.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      const button = make("button", c.title, { type: "button" });
      button.addEventListener("click", () => {
        sorted = { by: c.id, down: sorted.by === c.id && !sorted.down };
        show(true);
        [...head.cells].find((h) => h.textContent === c.title).firstChild.focus();
      });
      th.append(button);
      head.append(th);
    }
  }

  function show(again) {
    if (again) { filter(); order(); first = 0; }
    heads();
    const size = Number(at("p-size").value), list = columns();
    body.replaceChildren();
    for (const i of found.slice(first, first + size)) {
      const row = make("tr"), cell = make("td");
      const button = make("button", undefined, { type: "button" });
      button.setAttribute("aria-expanded", "false");
      button.dataset.event = i;
      button.append(make("code", shown(kind.events[i])));
      button.addEventListener("click", () => toggle(row, button, i, list.length));
      cell.append(button);
      row.append(cell);
      for (const c of list.slice(1)) row.append(make("td", c.text(i), { className: c.right ? "r" : "" }));
      body.append(row);
    }
    const count = (n) => n.toLocaleString("en"), last = Math.min(first + size, found.length);
    at("found").textContent = count(found.length) + " of " + count(kind.events.length) + " events" +
      (found.length > size ? ", rows " + count(first + 1) + " to " + count(last) : "");
    at("p-first").disabled = at("p-back").disabled = first === 0;
    at("p-next").disabled = at("p-last").disabled = last >= found.length;
  }

  function fact(list, term, text) {
    if (text) list.append(make("dt", term), make("dd", shown(text)));
  }
  async function panel(i) {
    const page = await data("detail-" + kind.number + "-" + Math.floor(i / kind.page));
    const n = i % kind.page, box = make("div", undefined, { className: "panel" });
    const list = make("dl", undefined, { className: "facts" });
    fact(list, "description", page.description[n]);
    fact(list, "trial", kind.verdicts[code(kind.verdict, i)] + (page.reason[n] ? ": " + page.reason[n] : ""));
    fact(list, "scope", kind.scopes[code(kind.scope, i)] + (page.evidence[n] ? ": " + page.evidence[n] : ""));
    box.append(list);
    if (kind.suites.length) {
      const table = make("table"), hrow = make("tr"), tbody = make("tbody");
      for (const title of ["suite", "class", "use", "noise", "measures", "residual", "why"])
        hrow.append(make("th", title, { scope: "col" }));
      table.append(make("caption", "What it is in each suite. Weights that are next to 0 are left out."),
        make("thead"), tbody);
      table.tHead.append(hrow);
      for (let s = 0; s < kind.suites.length; s++) {
        const of = await data("suite-data-" + kind.number + "-" + s), d = page.suites[s];
        const row = make("tr");
        row.append(make("td", shown(kind.suites[s])), make("td", kind.classes[code(of.class, i)]),
          make("td", kind.uses[code(of.use, i)]),
          make("td", of.noise[i] === null ? "" : String(of.noise[i]), { className: "r" }));
        const x = make("td");
        if (d.x[n] !== null) x.append(name(d.x[n]));
        row.append(x, make("td", d.residual[n] === null ? "" : String(d.residual[n]), { className: "r" }),
          make("td", shown(d.why[n])));
        tbody.append(row);
      }
      const wide = make("div", undefined, { className: "t" });
      wide.append(table);
      box.append(wide);
    }
    await curves(box, i);
    return box;
  }
  async function curves(box, i) {
    const id = "curve-" + kind.number + "-" + i;
    if (!at(id)) {
      box.append(make("p", "Its curves are not in this page: 'rollcall report --events NAME' puts them there.",
        { className: "note" }));
      return;
    }
    const held = make("div");
    held.innerHTML = await rcData(id); /* written, and escaped, by rollcall */
    /* The suites in which it says most come first. */
    const worth = new Map();
    for (let s = 0; s < kind.suites.length; s++) {
      const of = await data("suite-data-" + kind.number + "-" + s);
      worth.set(shown(kind.suites[s]), code(of.class, i) * 10 + code(of.use, i));
    }
    const worthOf = (section) => worth.get(section.querySelector("h4").textContent) || 0;
    held.append(...[...held.children].sort((a, b) => worthOf(b) - worthOf(a)));
    box.append(held);
  }
  async function toggle(row, button, i, wide) {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    row.classList.toggle("open", !isOpen);
    if (isOpen) { row.nextSibling.remove(); return; }
    const under = make("tr"), cell = make("td", "Loading\u2026", { colSpan: wide });
    under.append(cell);
    row.after(under);
    try { cell.replaceChildren(await panel(i)); } catch (e) { cell.textContent = "cannot be shown: " + e.message; }
  }

  async function change(what) {
    const mine = what === "text" ? turn : ++turn; /* words typed meanwhile count, too */
    try {
      if (what === "kind" || !kind) await open(Number(at("f-kind").value));
      if (what !== "text") await enter();
    } catch (e) {
      at("found").textContent = "The list of events cannot be shown: " + e.message;
      return;
    }
    if (mine === turn) show(true);
  }

  /* "#event-K-N": that event alone, opened. */
  async function follow() {
    const link = /^#event-(\d+)-(\d+)$/.exec(location.hash);
    if (!link || ![...at("f-kind").options].some((o) => o.value === link[1])) return;
    if (!kind || kind.number !== Number(link[1])) { at("f-kind").value = link[1]; await change("kind"); }
    const i = Number(link[2]);
    if (!kind || !(i < kind.events.length)) return;
    ++turn;
    clear();
    await enter();
    show(true);
    first = Math.floor(found.indexOf(i) / Number(at("p-size").value)) * Number(at("p-size").value);
    show(false);
    const button = body.querySelector('button[data-event="' + i + '"]');
    if (!button) return;
    button.click();
    button.focus();
    button.closest("tr").scrollIntoView({ block: "center" });
  }
  function clear() {
    at("f-text").value = "";
    for (const id of choices) at("f-" + id).value = "";
    sorted = { by: "", down: false };
  }

  at("f-kind").addEventListener("change", () => change("kind"));
  let later = 0;
  at("f-text").addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(() => change("text"), kind && kind.events.length > 50000 ? 120 : 0);
  });
  for (const id of choices) at("f-" + id).addEventListener("change", () => change("choice"));
  at("f-clear").addEventListener("click", () => { clear(); change("choice"); });
  at("p-size").addEventListener("change", () => { first = 0; show(false); });
  const turnTo = (id, where) => at(id).addEventListener("click", () => {
    const size = Number(at("p-size").value);
    first = Math.max(0, where(size, Math.floor(Math.max(0, found.length - 1) / size) * size));
    show(false);
    rows.scrollIntoView({ block: "nearest" });
  });
  turnTo("p-first", () => 0);
  turnTo("p-back", (size) => first - size);
  turnTo("p-next", (size) => first + size);
  turnTo("p-last", (size, last) => last);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey ||
        /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    at("f-text").focus();
  });
  addEventListener("hashchange", follow);
  /* A link that is followed once more does not change the address. */
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#event-"]');
    if (link && link.getAttribute("href") === location.hash) { event.preventDefault(); follow(); }
  });
  change("kind").then(follow);
})();
