"use strict";
/* Metrics, call paths and places of a profile as three linked trees: a metric chosen, the
 * call paths have its numbers; a path chosen, the places have those of all inside of it. */
rc.cube = async function () {
  const WHOLE = 65534, MISSING = 65535, DRAWN = 2000 /* rows of a tree */, CELLS = 4096 /* places */, TOP = 8;
  const { make, shown, name, table, button, fold, plural } = rc, place = document.getElementById("trees-all");
  if (!place || !document.getElementById("cube-data")) return;
  const c = await rc.json("cube-data"), bytes = await (await rc.bytes("shares-data")).arrayBuffer(), shares = new DataView(bytes), L = c.places.length;
  if (!L || !c.metrics.length) { place.replaceChildren(make("p", "No thread was recorded.", { className: "note" })); return; }
  const metrics = c.metrics.map(([text, parent, unit, about, rule], i) => ({ i, text, parent, unit, about, rule, inside: [] }));
  const paths = c.paths.map(([text, parent], i) => ({ i, text: i ? text : "all", parent, inside: [] }));
  for (const list of [metrics, paths]) for (const x of list) if (x.parent >= 0) list[x.parent].inside.push(x);
  const rows = metrics.map(() => new Map()); /* of a metric, by path: [number of its shares, sum, largest] */
  for (let i = 0, at = 0; i < c.rows.length; i += 4, at++) rows[c.rows[i]].set(c.rows[i + 1], [at, c.rows[i + 2] || 0, c.rows[i + 3] || 0]);

  /* ---- numbers ---- */

  /* By a metric's rule: 0, they add up; 1, the least; 2, the greatest. NaN is not there, and 0 in the end. */
  const join = (rule, a, b) => (isNaN(a) ? b : isNaN(b) ? a : rule === 1 ? Math.min(a, b) : rule === 2 ? Math.max(a, b) : a + b);
  const settle = (list) => list.forEach((x, i) => { if (isNaN(x)) list[i] = 0; });
  /* [itself, with all inside] of each path, over all places. */
  const kept = [];
  function sums(m) {
    if (kept[m]) return kept[m];
    const own = new Float64Array(paths.length).fill(NaN);
    for (const [p, row] of rows[m]) own[p] = row[1];
    const all = own.slice();
    for (let p = paths.length - 1; p > 0; p--) all[paths[p].parent] = join(metrics[m].rule, all[paths[p].parent], all[p]);
    settle(own), settle(all);
    return (kept[m] = { own, all });
  }
  /* Of each place: the sum over the path, without what is inside of it if it stands for itself. */
  function byPlace(m, p, alone) {
    const value = new Float64Array(L).fill(NaN), lacks = new Uint16Array(L);
    const inside = (q) => { for (; q > p; q = paths[q].parent); return q === p; };
    for (const [q, [at, , largest]] of rows[m]) {
      if (q !== p && (alone || !inside(q))) continue;
      for (let l = 0; l < L; l++) {
        const share = shares.getUint16(2 * (at * L + l), true);
        if (share === MISSING) lacks[l]++;
        else value[l] = join(metrics[m].rule, value[l], largest < 0 ? -largest * (2 * share / WHOLE - 1) : largest * share / WHOLE);
      }
    }
    settle(value);
    return { value, lacks };
  }
  const short = (x) => x === 0 ? "0" : Number(x.toPrecision(5)).toLocaleString("en", { maximumSignificantDigits: 5 });
  const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];
  function plain(x, unit) {
    if (unit !== "ns") return short(x) + (unit && unit !== "1" ? " " + unit : "");
    const [word, by] = units.find(([, y]) => Math.abs(x) >= y) || units[3];
    return short(x / by) + " " + word;
  }
  const instructions = metrics.find((m) => /^INSTRUCTION$|INSTRUCTIONS(:u)?$|TOT_INS$/.test(m.text));

  /* ---- trees ---- */

  const size = (m) => m.inside.reduce((n, x) => n + size(x), 1), roots = metrics.filter((m) => m.parent < 0).sort((a, b) => size(b) - size(a) || a.i - b.i);
  const state = { metric: metrics.find((m) => m.text === "time") || roots[0], path: paths[0], alone: false, mode: "value", open: [new Set([0]), new Set([0])], find: ["", ""] };
  for (let m of roots.slice(0, TOP)) for (state.open[0].add(m.i); m.inside.length === 1; ) state.open[0].add((m = m.inside[0]).i);
  if (state.metric.text === "time") for (const m of metrics) if (m.text === "mpi" || m.text === "execution") state.open[0].add(m.i);
  /* Rows that are seen: each item, and behind an open one's own part what is inside. */
  function seen(list, which, number, own) {
    const out = [], find = state.find[which].toLowerCase(), hit = new Set();
    if (find) for (const x of list) if (x.text.toLowerCase().includes(find)) for (let y = x; y && !hit.has(y.i); y = list[y.parent]) hit.add(y.i);
    /* a metric that is 0 with all below it has a row only where it is looked for */
    const zero = (x) => !which && !find && x !== state.metric && number(x) === 0 && x.inside.every(zero);
    const stack = (which ? [list[0]] : roots.filter((x) => !zero(x))).map((x) => [x, 1]).reverse();
    while (stack.length && out.length < DRAWN) {
      const [x, depth, alone] = stack.pop();
      if (find && !hit.has(x.i)) continue;
      out.push({ x, depth, alone: alone === true });
      if (alone || !x.inside.length || !(find || state.open[which].has(x.i))) continue;
      const inside = which ? [...x.inside].sort((a, b) => number(b) - number(a)) : x.inside.filter((y) => !zero(y));
      for (let i = inside.length; i-- > 0;) stack.push([inside[i], depth + 1]);
      if (!find && Math.abs(own(x)) > 1e-9 * Math.abs(number(x))) stack.push([x, depth + 1, true]);
    }
    return out;
  }
  function tree(which, list, title, words) {
    const box = make("div", undefined, { className: "branches", tabIndex: 0 }), input = make("input", undefined, { type: "search", placeholder: "find" });
    box.setAttribute("role", "tree");
    box.setAttribute("aria-label", title);
    input.setAttribute("aria-label", "find in " + title);
    input.addEventListener("input", () => { state.find[which] = input.value; draw(); });
    let drawn = [];
    const chosen = (r) => which ? r.x === state.path && r.alone === state.alone : r.x === state.metric && !r.alone;
    const choose = (r) => { if (which) { state.path = r.x; state.alone = r.alone; } else if (!r.alone) state.metric = r.x; draw(); };
    const turn = (x, open) => { if (open) state.open[which].add(x.i); else state.open[which].delete(x.i); draw(); };
    box.addEventListener("click", (event) => {
      const line = event.target.closest(".branch");
      if (!line) return;
      const r = drawn[Number(line.dataset.row)];
      if (event.target.closest(".turn") && r.x.inside.length && !r.alone) turn(r.x, !state.open[which].has(r.x.i)); else choose(r);
      box.focus();
    });
    box.addEventListener("keydown", (event) => {
      const at = drawn.findIndex(chosen), r = drawn[at], step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
      if (step !== undefined) {
        let next = Math.max(0, Math.min(drawn.length - 1, at + step));
        while (!which && drawn[next].alone && drawn[next + Math.sign(step)]) next += Math.sign(step);
        choose(drawn[next]);
      } else if (event.key === "ArrowRight" && r && r.x.inside.length && !r.alone) turn(r.x, true);
      else if (event.key === "ArrowLeft" && r) { if (!r.alone && r.x.inside.length && state.open[which].has(r.x.i)) turn(r.x, false); else if (r.alone) choose({ x: r.x, alone: false }); else if (r.x.parent >= 0) choose({ x: list[r.x.parent], alone: false }); }
      else return;
      event.preventDefault();
      const line = box.querySelector("[aria-selected=true]");
      if (line) line.scrollIntoView({ block: "nearest" });
    });
    function update(number, own, say) {
      drawn = seen(list, which, number, own);
      box.replaceChildren(...drawn.map((r, i) => {
        const has = r.x.inside.length > 0 && !r.alone, open = has && (state.find[which] !== "" || state.open[which].has(r.x.i)), [text, part] = say(r);
        const line = make("div", [make("span", has ? open ? "\u25be" : "\u25b8" : "", { className: "turn" }), make("span", text, { className: "much" }), make("code", r.alone ? words + (which ? "" : " of it") : shown(r.x.text))], { className: "branch" });
        line.dataset.row = i;
        line.style.setProperty("--depth", r.depth - 1);
        line.style.setProperty("--part", Math.max(0, Math.min(100, 100 * part)) + "%");
        line.setAttribute("role", "treeitem");
        line.setAttribute("aria-level", r.depth);
        line.setAttribute("aria-selected", chosen(r));
        if (has) line.setAttribute("aria-expanded", open);
        return line;
      }), ...(drawn.length >= DRAWN ? [make("p", "The first " + DRAWN.toLocaleString("en") + " rows: find narrows them.", { className: "note" })] : []));
    }
    return { column: make("section", [make("h3", title), input, box]), update };
  }

  /* ---- places ---- */

  const boxes = make("div"), about = make("p", undefined, { className: "note" });
  function drawPlaces(say) {
    const { value, lacks } = byPlace(state.metric.i, state.path.i, state.alone), known = [...value.keys()].filter((l) => !lacks[l] || value[l] !== 0);
    const most = known.reduce((a, l) => Math.max(a, value[l]), -Infinity), least = known.reduce((a, l) => Math.min(a, value[l]), Infinity), mean = known.reduce((a, l) => a + value[l], 0) / known.length;
    const top = [...known].sort((a, b) => value[b] - value[a]).slice(0, TOP), at = (l) => c.places[l][0] + " on " + c.places[l][1], largest = Math.max(Math.abs(most), Math.abs(least));
    const nodes = new Map();
    c.places.slice(0, CELLS).forEach(([, node], l) => nodes.set(node, [...(nodes.get(node) || []), l]));
    const grid = make("div", [...nodes].map(([node, list]) => make("div", [make("small", shown(node)), make("div", list.map((l) => {
      const cell = make("span", undefined, { className: lacks[l] && !value[l] ? "cell missing" : "cell" });
      cell.style.setProperty("--part", largest > 0 ? 100 * Math.abs(value[l]) / largest + "%" : "0%");
      cell.dataset.tip = shown(at(l)) + ": " + (lacks[l] && !value[l] ? "not measured" : say(value[l]));
      return cell;
    }), { className: "cells" })], { className: "box" })), { className: "inner" });
    const bars = histogram(known.map((l) => value[l]), least, most, say);
    boxes.replaceChildren(known.length === 1 && L === 1 ? make("p", "One place: " + say(most) + ".") : known.length ? make("p", plural(known.length, "place") + ": least " + say(least) + ", mean " + say(mean) + ", most " + say(most) + (mean > 0 ? " (" + Number((most / mean).toPrecision(3)) + " times the mean)" : "") + "." + (known.length < L ? " " + (L - known.length) + " not measured." : "")) : make("p", "Nothing was measured at any place."),
      grid, make("p", [make("span", undefined, { className: "scale" }), " 0 to " + (largest > 0 ? say(largest) : "0") + (c.places.length > CELLS ? "; the first " + CELLS.toLocaleString("en") + " places" : "")], { className: "note" }),
      ...(known.length > 2 ? [bars] : []),
      table("Places with the most", ["place", ">value"], top.map((l) => [name(at(l)), say(value[l])])));
  }
  /* How many places have how much. */
  function histogram(values, least, most, say) {
    const N = 16, count = new Array(N).fill(0), line = make("div", undefined, { className: "bars" });
    for (const v of values) count[most > least ? Math.min(N - 1, Math.floor(N * (v - least) / (most - least))) : 0]++;
    count.forEach((n, i) => {
      const bar = make("span");
      bar.style.setProperty("--part", 100 * n / Math.max(...count) + "%");
      bar.dataset.tip = plural(n, "place") + " from " + say(least + (most - least) * i / N) + " to " + say(least + (most - least) * (i + 1) / N);
      line.append(bar);
    });
    return line;
  }

  /* ---- all of it ---- */

  const left = tree(0, metrics, "Metrics", "the rest"), middle = tree(1, paths, "Call paths", "itself");
  const root = (m) => { for (; m.parent >= 0; m = metrics[m.parent]); return m; };
  function amount(x, m, of, p) {
    const percent = (whole) => whole !== 0 ? short(100 * x / whole) + " %" : "";
    switch (state.mode) {
    case "root": return percent(sums(root(m).i).all[0]);
    case "parent": return percent(of);
    case "each": return instructions && sums(instructions.i).all[p] > 0 ? short(x / sums(instructions.i).all[p]) : "";
    default: return plain(x, m.unit);
    }
  }
  function draw() {
    const m = state.metric, s = sums(m.i);
    const own = (x) => sums(x.i).all[0] - x.inside.reduce((a, y) => a + sums(y.i).all[0], 0);
    left.update((x) => sums(x.i).all[0], own, ({ x, alone }) => {
      const value = alone ? own(x) : sums(x.i).all[0], whole = sums(root(x).i).all[0];
      return [amount(value, x, alone ? sums(x.i).all[0] : x.parent >= 0 ? sums(metrics[x.parent].i).all[0] : value, 0), whole ? Math.abs(value / whole) : 0];
    });
    middle.update((x) => s.all[x.i], (x) => s.own[x.i], ({ x, alone }) => {
      const value = alone ? s.own[x.i] : s.all[x.i];
      return [amount(value, m, alone || x.parent < 0 ? s.all[x.i] : s.all[x.parent], x.i), s.all[0] ? Math.abs(value / s.all[0]) : 0];
    });
    about.textContent = shown(m.text) + ": " + (m.about ? shown(m.about) : "no description") + (m.unit && m.unit !== "1" && m.unit !== "ns" ? "; in " + shown(m.unit) : "") + ".";
    drawPlaces((x) => plain(x, m.unit));
  }
  const modes = make("select", [["value", "values"], ["root", "% of the whole metric's tree"], ["parent", "% of the one around it"], ...(instructions ? [["each", "per instruction"]] : [])].map(([value, text]) => make("option", text, { value })));
  modes.addEventListener("change", () => { state.mode = modes.value; draw(); });
  place.replaceChildren(make("p", "Press a metric: the call paths have its numbers, with all that is called inside; press a path: the places have those of it. Arrow keys move and open. " +
    (c.sources > 1 ? "Numbers are means of " + plural(c.sources, "launch").replace(/launchs$/, "launches") + ". " : "") +
    (c.deepest >= 0 ? "The page has no room for all call paths: those deeper than " + c.deepest + " are in the one around them. " : "") + "Places have shares of the largest to 1 in 65,000.", { className: "note" }),
    make("div", make("label", ["numbers as", modes]), { className: "tools" }), about,
    make("div", [left.column, middle.column, make("section", [make("h3", "Places"), boxes])], { className: "linked" }),
    fold("The metric chosen by call path, in numbers", () => table("The " + TOP * 25 + " with the most themselves.", ["path", ">itself", ">with all inside"], paths.filter((p) => sums(state.metric.i).all[p.i] !== 0).sort((a, b) => sums(state.metric.i).own[b.i] - sums(state.metric.i).own[a.i]).slice(0, TOP * 25).map((p) => {
      const words = [];
      for (let q = p; q.i > 0; q = paths[q.parent]) words.unshift(q.text);
      return [name(words.join(" > ") || "all"), String(sums(state.metric.i).own[p.i]), String(sums(state.metric.i).all[p.i])];
    }))));
  draw();
};
if (!document.getElementById("profile-data")) rc.cube();
