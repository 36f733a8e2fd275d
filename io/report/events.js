"use strict";
/* Search, filters and the list of all events, and what is known of each. */
rc.events = (function () {
  const { make, shown, name, json } = rc;
  const at = (id) => document.getElementById(id);
  if (!at("rows")) return null;
  const report = JSON.parse(at("report-data").textContent), words = report.words;
  const body = at("rows").tBodies[0], head = at("rows").tHead.rows[0];
  const filters = ["class", "use", "scope", "verdict", "source"];
  const listeners = [];
  let kind = null;   /* what "events-K" says, and what was made of it */
  let suite = null;  /* what "suite-K-S" says, or null */
  let found = [], first = 0, sorted = { by: "", down: false };
  let asked = new Map(); /* by the words that 'found' is of: which events have them */
  let turn = 0;      /* only the latest of several requests is shown */

  /* The letters of io/report/data_events.c as numbers. */
  const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const number = new Int8Array(128).fill(-1);
  for (let i = 0; i < letters.length; i++) number[letters.charCodeAt(i)] = i;
  const code = (string, i) => number[string.charCodeAt(i)];
  const typed = () => at("f-text").value.toLowerCase().split(/\s+/).filter(Boolean);

  function columns() {
    const list = [
      { id: "event", title: "event" },
      { id: "scope", title: "scope", text: (i) => words.scopes[code(kind.scope, i)] },
      { id: "verdict", title: "trial", text: (i) => words.verdicts[code(kind.verdict, i)] },
      { id: "source", title: "source", text: (i) => kind.sources[code(kind.source, i)] }];
    if (kind.suites.length) list.push({ id: "class", title: "class",
      text: (i) => words.classes[code(suite ? suite.class : kind.best, i)] || "" });
    if (suite) {
      list.push({ id: "use", title: "use", text: (i) => words.uses[code(suite.use, i)] });
      list.push({ id: "noise", title: "noise", right: true,
        text: (i) => suite.noise[i] === null ? "" : suite.noise[i] === 0 ? "0" : suite.noise[i].toExponential(1) });
    }
    return list;
  }

  function fill(id, all, used) {
    const select = at("f-" + id), was = select.value;
    select.replaceChildren(make("option", id === "suite" ? "all" : "any", { value: "" }));
    all.forEach((word, i) => {
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
    const read = await json("events-" + k);
    if (!read.begin) {
      read.number = k;
      read.suites = at("suite-" + k + "-0") ? report.kinds[k].suites.map((s) => s.suite) : [];
      const described = await json("descriptions-" + k);
      read.descriptions = { ...joined(described.text), of: described.of, text: described.text };
      Object.assign(read, joined(read.events));
    }
    kind = read;
    asked = new Map();
    fill("suite", kind.suites);
    fill("scope", words.scopes, used(kind.scope));
    fill("verdict", words.verdicts, used(kind.verdict));
    fill("source", kind.sources, used(kind.source));
    at("f-suite").parentNode.hidden = kind.suites.length === 0;
    const drawn = document.querySelectorAll('script[id^="curve-' + k + '-"]').length;
    at("curves-note").replaceChildren("The curves of " + drawn + " of " + kind.events.length.toLocaleString("en") +
      " events are in this page, those that tell most: 'rollcall report --curves N' or '--events PATTERN' takes in others.");
  }
  async function enter() {
    const s = at("f-suite").value;
    suite = s === "" ? null : await json("suite-" + kind.number + "-" + s);
    if (kind.suites.length) fill("class", words.classes, used(suite ? suite.class : kind.best));
    else at("f-class").parentNode.hidden = true;
    if (suite) fill("use", words.uses, used(suite.use));
    at("f-use").parentNode.hidden = !suite;
    if (!suite) at("f-use").value = "";
  }

  /* Many texts as one, which is searched faster. */
  function joined(texts) {
    const low = texts.map((t) => t.toLowerCase()), begin = new Int32Array(low.length + 1);
    low.forEach((t, i) => { begin[i + 1] = begin[i] + t.length + 1; });
    return { low: low.join("\n"), begin };
  }
  /* For each of the texts 1 if the word is in it, else 0. */
  function having({ low, begin }, word) {
    const has = new Uint8Array(begin.length - 1);
    for (let i = 0, hit = low.indexOf(word); hit >= 0; hit = low.indexOf(word, begin[i])) {
      while (begin[i + 1] <= hit) i++;
      has[i++] = 1;
      if (i >= has.length) break;
    }
    return has;
  }
  /* The events that have a word in their name or description, found once for each word. */
  function matches(word) {
    if (asked.has(word)) return asked.get(word);
    const has = having(kind, word), described = having(kind.descriptions, word), { of } = kind.descriptions;
    for (let i = 0; i < has.length; i++) has[i] |= described[of[i]];
    return has;
  }
  function search(want) {
    asked = new Map(want.map((w) => [w, matches(w)]));
    const all = [...asked.values()], list = [];
    for (let i = 0; i < kind.events.length; i++) if (all.every((has) => has[i])) list.push(i);
    return list;
  }
  function filter() {
    const want = [];
    for (const id of filters) {
      const value = at("f-" + id).value;
      if (value === "") continue;
      const string = id === "class" ? (suite ? suite.class : kind.best) : id === "use" ? suite.use : kind[id];
      want.push({ string, letter: letters.charCodeAt(Number(value)) });
    }
    found = search(typed());
    if (want.length) found = found.filter((i) => want.every((w) => w.string.charCodeAt(i) === w.letter));
    else found = found.slice();
  }
  function order() {
    const { by, down } = sorted, sign = down ? -1 : 1;
    if (by === "") return;
    let key;
    if (by === "event") key = (i) => kind.events[i].toLowerCase();
    else if (by === "noise" && suite) key = (i) => suite.noise[i] === null ? Infinity * sign : suite.noise[i];
    else if (by === "class") key = (i) => -code(suite ? suite.class : kind.best, i);
    else if (by === "use" && suite) key = (i) => -code(suite.use, i);
    else if (kind[by]) key = (i) => code(kind[by], i);
    else return;
    const keyed = found.map((i) => ({ i, key: key(i) }));
    keyed.sort((a, b) => a.key < b.key ? -sign : a.key > b.key ? sign : a.i - b.i);
    found = keyed.map((e) => e.i);
  }

  function heads() {
    head.replaceChildren();
    for (const c of columns()) {
      const th = make("th", undefined, { scope: "col", className: c.right ? "r" : "" });
      if (sorted.by === c.id) th.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      th.append(rc.button(c.title, () => {
        sorted = { by: c.id, down: sorted.by === c.id && !sorted.down };
        show(true);
        [...head.cells].find((h) => h.textContent === c.title).firstChild.focus();
      }));
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
      const button = rc.button(make("code", shown(kind.events[i])), () => toggle(row, button, i, list.length));
      button.setAttribute("aria-expanded", "false");
      button.dataset.event = i;
      cell.append(button);
      row.append(cell);
      for (const c of list.slice(1)) row.append(make("td", shown(c.text(i)), { className: c.right ? "r" : "" }));
      body.append(row);
    }
    const count = (n) => n.toLocaleString("en"), last = Math.min(first + size, found.length);
    at("found").textContent = count(found.length) + " of " + count(kind.events.length) + " events" +
      (found.length > size ? ", rows " + count(first + 1) + " to " + count(last) : "");
    at("p-first").disabled = at("p-back").disabled = first === 0;
    at("p-next").disabled = at("p-last").disabled = last >= found.length;
    at("p-size").closest(".tools").hidden = found.length <= 25;
  }

  /* Weights of coordinates as a text: "0.997 L2DH + 20 each reading". */
  function sum(x, coordinates) {
    let text = "";
    for (let i = 0; i < x.length; i += 2) {
      const weight = i ? Math.abs(x[i]) : x[i];
      text += (i ? x[i] < 0 ? " - " : " + " : "") + (weight === 1 ? "" : weight + " ") + (coordinates[x[i + 1]] || "?");
    }
    return text || "0";
  }
  const coordinates = (s) => { const of = report.kinds[kind.number].suites[s]; return [...of.ideals, ...of.nuisance]; };
  /* An ideal by the name of the metric that is it alone, where there is one. */
  function meaning(ideal) {
    for (const s of report.kinds[kind.number].suites)
      for (const m of s.metrics) if (m.signature === ideal && m.metric.toLowerCase() !== ideal.toLowerCase()) return m.metric + " (" + ideal + ")";
    return ideal;
  }
  /* What an event counts, in one sentence, by what each suite says of it. */
  function sentence(i, of) {
    const good = of.filter((s) => s.x && s.use >= 2).sort((a, b) => b.use - a.use || b.class - a.class)[0];
    const best = Math.max(-1, ...of.map((s) => s.class));
    if (good) {
      const all = coordinates(good.number), ideals = report.kinds[kind.number].suites[good.number].ideals.length;
      const parts = [], beside = [];
      for (let n = 0; n < good.x.length; n += 2) {
        const weight = good.x[n], what = all[good.x[n + 1]] || "?";
        if (good.x[n + 1] >= ideals)
          beside.push("a background of about " + weight + " in " + what);
        else parts.push([weight, meaning(what)]);
      }
      const text = parts.length === 0 ? "nothing that the kernels of suite " + good.suite + " do"
        : parts.length === 1 ? parts[0][1] + (parts[0][0] === 1 ? "" : ", " + parts[0][0] + " each")
        : parts.map(([w, what], n) => (n ? w < 0 ? " \u2212 " : " + " : "") + (Math.abs(w) === 1 ? "" : Math.abs(w) + " \u00d7 ") + what).join("");
      return "Counts " + text + (beside.length ? "; " + beside.join("; ") : "") +
        (good.use === 2 ? "; but elsewhere it counts something else as well" : "") + ".";
    }
    const verdict = words.verdicts[code(kind.verdict, i)];
    if (verdict !== "ok" && verdict !== "untried") return "Cannot be counted here: " + verdict + ".";
    if (best < 0) return "Nothing is known of what it counts: it was not solved for.";
    if (best === 0) return "Has no valid readings in any suite, or too few.";
    if (best === 1) return "Was 0 in all suites.";
    if (best === 3) return "Too noisy in each suite in which it counts to say what it counts.";
    return "Counts something that is no sum of what the kernels of a suite do.";
  }

  async function card(i) {
    const page = await json("detail-" + kind.number + "-" + Math.floor(i / kind.page));
    const n = i % kind.page, box = make("div", undefined, { className: "panel" }), of = [];
    for (let s = 0; s < kind.suites.length; s++) {
      const all = await json("suite-" + kind.number + "-" + s), d = page.suites[s];
      of.push({ number: s, suite: kind.suites[s], class: code(all.class, i), use: code(all.use, i), noise: all.noise[i],
        x: d.x[n], residual: d.residual[n], why: d.why[n] });
    }
    box.append(make("p", shown(sentence(i, of)), { className: "lead" }), rc.facts([
      ["description", kind.descriptions.text[kind.descriptions.of[i]]],
      ["trial", words.verdicts[code(kind.verdict, i)] + (page.reason[n] ? ": " + page.reason[n] : "")],
      ["scope", words.scopes[code(kind.scope, i)] + (page.evidence[n] ? ": " + page.evidence[n] : "")]]));
    const zero = of.filter((s) => s.class === 1 || s.class === 2), rest = of.filter((s) => !zero.includes(s));
    if (rest.length)
      box.append(rc.table("What it is in each suite. Weights that are next to 0 are left out.",
        ["suite", "class", "use", ">noise", "measures", ">residual", "why"],
        rest.map((s) => [s.suite, words.classes[s.class], words.uses[s.use], s.noise === null ? "" : String(s.noise),
          s.x ? name(sum(s.x, coordinates(s.number))) : "", s.residual === null ? "" : String(s.residual), s.why])));
    if (zero.length)
      box.append(make("p", "Always 0 in " + zero.map((s) => shown(s.suite)).join(", ") + ".", { className: "note zero" }));
    await curves(box, i, of);
    return box;
  }
  async function curves(box, i, of) {
    const id = "curve-" + kind.number + "-" + i;
    if (!at(id)) {
      box.append(make("p", "Its curves are not in this page: 'rollcall report --events NAME' puts them there.",
        { className: "note" }));
      return;
    }
    const all = (await json(id)).map((curve, s) => ({ curve, measured: report.kinds[kind.number].measured[s] }));
    const worth = (c) => { const s = of.find((o) => o.suite === c.measured.suite); return s ? s.class * 10 + s.use : 0; };
    const nothing = all.filter((c) => !c.curve.mean);
    /* The suites in which it says most come first. */
    for (const c of all.filter((d) => d.curve.mean).sort((a, b) => worth(b) - worth(a)))
      box.append(make("section", [make("h3", shown(c.measured.suite)), rc.curve(kind.events[i], c.measured, c.curve)]));
    const said = new Map(); /* suites by what is said of them */
    for (const { curve, measured } of nothing) {
      const text = curve.valid ? "0 on all points, in " + rc.repetitions(curve, measured)
        : "no valid readings" + (curve.invalid ? ", and " + curve.invalid + " that are not valid" : "");
      said.set(text, [...(said.get(text) || []), shown(measured.suite)]);
    }
    for (const [text, suites] of said) box.append(make("p", suites.join(", ") + ": " + text + ".", { className: "note" }));
  }
  async function toggle(row, button, i, wide) {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    row.classList.toggle("open", !isOpen);
    if (isOpen) { row.nextSibling.remove(); return; }
    const under = make("tr"), cell = make("td", "Loading\u2026", { colSpan: wide });
    under.append(cell);
    row.after(under);
    try { cell.replaceChildren(await card(i)); } catch (e) { cell.textContent = "cannot be shown: " + e.message; }
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
    if (mine !== turn) return;
    for (const heard of listeners) heard(what);
    show(true);
  }

  /* "#event-K-N": that event alone, opened. */
  async function follow() {
    const link = /^#event-(\d+)-(\d+)$/.exec(location.hash);
    if (!link || !report.kinds[link[1]]) return;
    if (!kind || kind.number !== Number(link[1])) { at("f-kind").value = link[1]; await change("kind"); }
    const i = Number(link[2]);
    if (!kind || !(i < kind.events.length)) return;
    clear();
    await change("choice");
    const size = Number(at("p-size").value);
    first = Math.floor(found.indexOf(i) / size) * size;
    show(false);
    const button = body.querySelector('button[data-event="' + i + '"]');
    if (!button) return;
    button.click();
    button.focus();
    button.closest("tr").scrollIntoView({ block: "center" });
  }
  function clear() {
    at("f-text").value = "";
    for (const id of [...filters, "suite"]) at("f-" + id).value = "";
    sorted = { by: "", down: false };
  }

  report.kinds.forEach((k, i) => at("f-kind").append(make("option", shown(k.kind), { value: String(i) })));
  at("f-kind").parentNode.hidden = report.kinds.length < 2;
  at("f-kind").addEventListener("change", () => change("kind"));
  at("f-text").addEventListener("input", () => change("text"));
  for (const id of [...filters, "suite"]) at("f-" + id).addEventListener("change", () => change("choice"));
  at("f-clear").addEventListener("click", () => { clear(); change("choice"); });
  at("p-size").addEventListener("change", () => { first = 0; show(false); });
  const turnTo = (id, where) => at(id).addEventListener("click", () => {
    const size = Number(at("p-size").value);
    first = Math.max(0, where(size, Math.floor(Math.max(0, found.length - 1) / size) * size));
    show(false);
    at("events").scrollIntoView({ block: "nearest" });
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
  return {
    report, typed, onChange: (heard) => listeners.push(heard),
    start: () => change("kind").then(follow),
    kind: () => Number(at("f-kind").value), suite: () => at("f-suite").value,
    link: (n, text) => make("a", name(text), { href: "#event-" + Number(at("f-kind").value) + "-" + n }),
    sum
  };
})();
