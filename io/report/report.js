"use strict";
/* The metrics, the suites, the machine, the time line, and where all of it comes from. */
(function () {
  if (!rc.events) return;
  const { make, shown, name, table, facts, fold, plural, marks } = rc, figures = rc.figures, events = rc.events;
  const NAMED = 16; /* metrics that are named in the first lines */
  const report = events.report, words = report.words, at = (id) => document.getElementById(id);
  const short = (y, digits) => y === null || y === undefined ? "" : String(Number(y.toPrecision(digits || 6)));
  const note = (content, more) => make("p", content, { className: "note", ...more });

  /* The order in which the points of a suite stand side by side.  Where a parameter is a
   * size (positive, from large to an eighth of that), they are sorted by it, in a panel
   * for each combination of the others; else they stand as they are. */
  rc.points = function (measured, names) {
    const { axes, axis } = measured, count = names.length, plain = { point: names.map((_, i) => i), panels: [], title: "", words: "", tick: (i) => names[i] };
    if (measured.points.length !== count || measured.points.some((p, i) => p !== names[i])) return plain;
    const value = (p, a) => axis[p * axes.length + a];
    let best = -1, panels = null;
    for (let a = 0; a < axes.length; a++) {
      const found = new Map();
      let least = Infinity, most = 0;
      for (let p = 0; p < count; p++) {
        const key = axes.map((_, b) => b === a ? "" : value(p, b)).join("/");
        if (!found.has(key)) found.set(key, []);
        found.get(key).push(p);
        least = Math.min(least, value(p, a));
        most = Math.max(most, value(p, a));
      }
      if (least > 0 && most >= 64 && most / 8 >= least && found.size <= 8 && count >= 4 * found.size && (best < 0 || found.size < panels.length)) {
        best = a;
        panels = [...found.values()];
      }
    }
    if (best < 0) return plain;
    const differs = axes.map((_, b) => b !== best && panels.some((l) => value(l[0], b) !== value(panels[0][0], b)));
    const point = [], shownPanels = [];
    panels.forEach((list, n) => {
      if (n) point.push(null);
      const from = point.length;
      point.push(...list.sort((x, y) => value(x, best) - value(y, best) || x - y));
      shownPanels.push({ from, to: point.length - 1, text: axes.map((_, b) => b).filter((b) => differs[b]).map((b) => value(list[0], b)).join("/") });
    });
    const size = (y) => {
      let u = 0;
      for (; axes[best] === "bytes" && u < 3 && y >= 1024 && y % 1024 === 0; u++) y /= 1024;
      return y + ["", "K", "M", "G"][u];
    };
    return { point, panels: panels.length > 1 ? shownPanels : [], title: axes[best], words: axes.filter((_, b) => differs[b]).join("/"), ordered: true,
      tick: (i) => size(value(i, best)) };
  };
  /* What a figure of a suite's points has, for numbers by point. */
  function onPoints(measured, names) {
    const p = rc.points(measured, names);
    return {
      slots: p.point.length, panels: p.panels, ordered: p.ordered, order: p,
      label: (i) => p.point[i] === null || p.point[i] === undefined ? null : names[p.point[i]],
      tick: (i) => p.point[i] === null || p.point[i] === undefined ? null : shown(p.tick(p.point[i])),
      axis: p.title ? p.title + (p.words ? ", in panels by " + p.words : "") : "",
      by: (y) => p.point.map((n) => n === null || !y ? null : y[n])
    };
  }

  rc.repetitions = (c, measured) => plural(c.valid, "repetition") +
    (measured.places.length > 1 ? " on " + measured.places.length + " places" : "") +
    (c.invalid ? ", and " + c.invalid + " that " + (c.invalid === 1 ? "is" : "are") + " not valid and left out" : "");

  /* All readings of an event in a suite. */
  rc.curve = function (event, measured, c) {
    const on = onPoints(measured, measured.points), style = on.ordered ? "line" : "step", series = [];
    const apart = measured.places.length > 1 && measured.places.length <= 8 && c.readings;
    if (!c.same) series.push({ name: "least to most", style: "band", colour: 0, y: on.by(c.least), y2: on.by(c.most) });
    (c.readings || []).forEach((list, place) => {
      let last = "";
      for (const r of list) {
        const key = JSON.stringify(r);
        if (key !== last) series.push({ name: "r", group: apart ? measured.places[place] || "place " + place : "repetitions",
          style, colour: apart ? place : 0, y: on.by(r), thin: true });
        last = key;
      }
    });
    const mean = { name: c.same ? "count" : "mean", style, colour: c.same ? 0 : "ink", y: on.by(c.mean) };
    series.push(mean);
    const columns = [mean];
    if (!c.same) columns.push({ name: "least", y: on.by(c.least) }, { name: "most", y: on.by(c.most) });
    if (c.expected) {
      const expected = { name: "by what it measures", style, colour: 1, dashed: true, y: on.by(c.expected) };
      series.push(expected);
      columns.push(expected);
    }
    return figures.chart({
      title: event + " in suite " + measured.suite, ...on, series, columns, typical: c.mean,
      say: (i) => c.same ? [] : ["from " + short(c.least[on.order.point[i]]) + " to " + short(c.most[on.order.point[i]])],
      caption: "Counts per iteration: " + rc.repetitions(c, measured) + (c.valid > 1 && c.same ? ", all the same." : ".") +
        (!c.same && !c.readings ? " Single readings are too many for this page, which has room for all of fewer events (--curves); campaign.h5 has them." : "") +
        (c.expected ? " Dashed: what it measures, as the table above says it; the residual is " + short(c.residual, 2) + "." : ""),
      unit: "Per iteration, to " + (c.same ? "nine" : "five") + " digits"
    });
  };

  /* ---- metrics ---- */

  const of = () => report.kinds[events.kind()];
  /* As rc_metric_has_combination() and rc_term_matters() have it. */
  const hasCombination = (m) => m.verdict !== "not on this machine" && m.verdict !== "not known";
  function coefficient(t, rounded) {
    return rounded ? t.rounded : t.coefficient;
  }
  /* "1.00297 (1.00290 to 1.00306)", with as many digits as tell the ends apart. */
  function interval(t, rounded) {
    const near = 1e-9 * Math.max(1, Math.abs(t.coefficient)), width = t.high - t.low;
    if (!(width > near) && !(Math.abs(t.coefficient - coefficient(t, rounded)) > near)) return "";
    if (!(width > near)) return short(t.coefficient);
    const d = Math.min(9, Math.max(0, Math.floor(1 - Math.floor(Math.log10(width)))));
    return t.coefficient.toFixed(d) + " (" + t.low.toFixed(d) + " to " + t.high.toFixed(d) + ")";
  }
  /* The terms, those that are added first; 'most' of them. */
  function definition(m, most, whole) {
    const box = make("div", undefined, { className: "terms" }), r = m.rounded_holds;
    if (m.expression) box.append(name(m.expression));
    const terms = m.terms.filter((t) => t.rounded !== 0 || (!r && hasCombination(m)));
    const sorted = [...terms.filter((t) => coefficient(t, r) >= 0), ...terms.filter((t) => coefficient(t, r) < 0)];
    sorted.slice(0, most).forEach((t, i) => {
      const c = coefficient(t, r), amount = short(Math.abs(c));
      const line = make("span", [c < 0 ? "\u2212 " : i ? "+ " : "", amount === "1" ? "" : amount + " \u00d7 ", events.link(t.number, t.event)], { className: "term" });
      const more = whole ? interval(t, r) : "";
      if (more) line.append(" ", make("span", more, { className: "note" }));
      box.append(line, " ");
    });
    if (sorted.length > most) box.append(make("span", "and " + (sorted.length - most) + " more", { className: "note" }));
    if (whole && terms.length < m.terms.length)
      box.append(note("and " + plural(m.terms.length - terms.length, "event") + " that add" + (m.terms.length - terms.length === 1 ? "s" : "") + " nearly nothing"));
    return box;
  }
  function checks(m) {
    if (!m.checks.length || !hasCombination(m)) return "";
    const points = m.checks.reduce((sum, c) => sum + c.points, 0), worst = m.checks.reduce((a, b) => b.error > a.error ? b : a);
    return (worst.error > 0 ? "off by at most " + short(worst.error, 2) + (m.checks.length > 1 ? " (" + worst.suite + ")" : "") : "exact") + " on " + points +
      (m.checks.length > 1 ? " points of " + m.checks.length + " suites" : " points of this suite alone");
  }
  function copy(tool, line) {
    const b = rc.button(tool, async () => {
      let done = true;
      try { await navigator.clipboard.writeText(line); } catch (e) { done = byHand(line); }
      b.textContent = done ? "copied" : "not copied";
      setTimeout(() => { b.textContent = tool; }, 1500);
    }, { className: "copy" });
    b.dataset.tip = line.trim();
    b.setAttribute("aria-label", "copy the line for " + tool);
    return b;
  }
  function byHand(text) {
    const area = document.body.appendChild(make("textarea", undefined, { value: text }));
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
  const TOOLS = ["PAPI", "perf", "LIKWID"];
  function copies(lines) {
    const box = make("div", undefined, { className: "copies" });
    for (const tool of TOOLS) if (lines && lines[tool].line) box.append(copy(tool, lines[tool].line));
    return box;
  }

  /* Metrics that one can count come first. */
  const ranks = ["defined", "by reference", "approximate", "rejected", "contradicted", "not known", "not on this machine"];
  let order = { by: "", down: false };
  let shownRows = []; /* of the table that stands: {m, s, number, i, text, tr} */
  function listed() {
    const kind = of(), chosen = events.suite(), list = [];
    kind.suites.forEach((s, number) => {
      if (chosen === "" || Number(chosen) === number)
        s.metrics.forEach((m, i) => list.push({ m, s, number, i, text: [m.metric, s.suite, m.description, m.preset, m.signature, m.verdict,
          ...m.terms.map((t) => t.event)].join("\n").toLowerCase() }));
    });
    const keys = { metric: (e) => e.m.metric.toLowerCase(), suite: (e) => e.s.suite.toLowerCase(), verdict: (e) => e.m.verdict, error: (e) => e.m.error === null ? Infinity : e.m.error };
    const key = keys[order.by];
    if (!key) list.sort((a, b) => ranks.indexOf(a.m.verdict) - ranks.indexOf(b.m.verdict)); /* of one verdict as they are */
    else list.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (order.down ? -1 : 1));
    return list;
  }
  const columns = [["metric", "metric"], ["suite", "suite"], ["verdict", "verdict"], [null, "definition"], ["error", "error"], [null, "copy a line for"]];
  /* The table anew: of another kind or suite, or in another order. */
  function metrics() {
    const list = listed(), t = make("table", undefined, { className: "metrics" }), head = make("tr"), body = make("tbody");
    const tools = list.some((e) => e.s.lines[e.i] && TOOLS.some((tool) => e.s.lines[e.i][tool].line)), heads = columns.slice(0, tools ? 6 : 5);
    t.dataset.own = "";
    for (const [by, title] of heads) {
      const th = make("th", by ? rc.button(title, () => {
        order = { by, down: order.by === by && !order.down };
        metrics();
        [...at("metrics-table").querySelectorAll("th")].find((h) => h.textContent === title).firstChild.focus();
      }) : title, { scope: "col", className: by === "error" ? "r" : "" });
      if (by && order.by === by) th.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      head.append(th);
    }
    for (const e of list) body.append(e.tr = row(e, tools, heads.length));
    t.append(make("caption", "Press a metric's name for intervals, checks and its figure. The error is the distance of the combination from what the metric should be: near 0 it exists." +
      (tools ? "" : " No tool takes these events: a metric's card says why.")), make("thead", head), body);
    shownRows = list;
    at("metrics-use").replaceChildren(...(tools ? ["Those that are defined come first. To count one: its buttons copy the line for PAPI, perf or LIKWID; ",
      make("code", "rollcall export " + shown(report.directory) + " --format papi"), " (or perf, likwid) writes all of them."] : list.length ? ["Those that are defined come first."] : []));
    at("metrics-table").replaceChildren(...(list.length ? [make("div", t, { className: "t" })] : []));
    search();
  }
  /* Of the table those rows that have all words that are typed. */
  function search() {
    const want = events.typed(), all = of().suites.reduce((sum, s) => sum + s.metrics.length, 0);
    let found = 0, defined = 0;
    for (const e of shownRows) {
      const has = want.every((w) => e.text.includes(w));
      e.tr.hidden = !has;
      if (e.tr.classList.contains("open")) e.tr.nextSibling.hidden = !has;
      found += has;
      defined += has && e.m.verdict === "defined";
    }
    at("metrics-table").hidden = found === 0;
    at("metrics-found").textContent = of().suites.length === 0 ? "There are no metrics of this kind."
      : found.toLocaleString("en") + " of " + plural(all, "metric") + (found ? ", " + defined + " of these defined" : "");
  }
  function row(e, tools, wide) {
    const { m, s, number, i } = e, tr = make("tr"), th = make("th", undefined, { scope: "row" });
    const open = rc.button(shown(m.metric), () => {
      const isOpen = open.getAttribute("aria-expanded") === "true";
      open.setAttribute("aria-expanded", String(!isOpen));
      tr.classList.toggle("open", !isOpen);
      if (isOpen) tr.nextSibling.remove();
      else tr.after(make("tr", make("td", card(e), { colSpan: wide })));
    });
    open.setAttribute("aria-expanded", "false");
    if (m.description) open.dataset.tip = shown(m.description);
    th.append(open);
    const what = make("td", undefined, { className: "what" }), alone = m.alternatives[0];
    if (!hasCombination(m)) what.append("");
    else if (alone && m.terms.length > 1 && m.verdict === "defined") /* one event is shorter than several */
      what.append(make("div", make("span", events.link(alone.number, alone.event), { className: "term" }), { className: "terms" }));
    else what.append(definition(m, 4, false));
    if (m.reason && m.verdict !== "defined") what.append(note(shown(m.reason)));
    tr.append(th, make("td", shown(s.suite), { className: "of" }), make("td", m.verdict, { className: "v v-" + marks[m.verdict] }),
      what, make("td", m.error === null ? "" : m.error < 1e-12 ? "exact" : m.error.toExponential(1), { className: "r" }));
    if (tools) tr.append(make("td", copies(s.lines[i])));
    return tr;
  }
  function card(e) {
    const { m, s, number, i } = e, box = make("div", undefined, { className: "panel" }), lines = s.lines[i];
    if (m.description) box.append(make("p", shown(m.description), { className: "lead" }));
    const alone = make("span", m.alternatives.flatMap((a, n) => [n ? ", " : "", events.link(a.number, a.event)]));
    box.append(facts([
      ["definition", m.terms.length || m.expression ? definition(m, 1e9, true) : ""],
      [m.expression ? "made of" : "signature", m.expression ? m.inputs.join(", ") : name(m.signature)],
      ["PAPI's name", m.preset],
      ["remarks", m.reason],
      ["checked", checks(m)],
      ["error", m.error === null ? "" : m.error.toExponential(2)],
      ["the same by itself", m.alternatives.length ? alone : ""]]));
    for (const tool of TOOLS)
      if (lines)
        box.append(make("div", [make("strong", tool), " ", lines[tool].line ? make("code", shown(lines[tool].line.trim())) : note("cannot say it: " + shown(lines[tool].why)),
          " ", lines[tool].line ? copy(tool, lines[tool].line) : ""], { className: "line" }));
    const f = fit(e);
    if (f) box.append(f);
    return box;
  }

  /* A metric's combination of events on the points of its suite. */
  function fit({ m, s, i }) {
    const f = s.fits[i], measured = of().measured.find((x) => x.suite === s.suite) || { points: [], axes: [], axis: [] };
    const on = onPoints(measured, s.points), series = [];
    if (m.expression && m.value) {
      if (m.value_low && m.value_high) series.push({ name: "low to high", style: "band", colour: 0, y: on.by(m.value_low), y2: on.by(m.value_high) });
      series.push({ name: "value", style: "dots", colour: 0, y: on.by(m.value) });
    } else if (f) {
      const differ = m.terms.some((t) => t.coefficient !== t.rounded);
      if (f.expected.some((y) => y !== null)) series.push({ name: "signature", style: "step", colour: "muted", y: on.by(f.expected) });
      series.push({ name: "combination", style: "dots", colour: 0, y: on.by(f.derived) });
      if (differ) series.push({ name: "rounded", style: "dots", colour: 1, y: on.by(f.rounded) });
    }
    if (!series.some((x) => x.name !== "signature" && x.y.some((y) => y !== null))) return null;
    const columns = series.filter((x) => x.style !== "band");
    if (m.value_low && m.value_high) columns.push({ name: "low", y: on.by(m.value_low) }, { name: "high", y: on.by(m.value_high) });
    return figures.chart({
      title: m.metric + " on the points of suite " + s.suite, ...on, series, columns, typical: series[0].y.filter((y) => y !== null),
      caption: (m.expression ? "Its value" : "What the combination counts") + " on each point of suite " + shown(s.suite) + (m.expression ? "" : " beside its signature") +
        ", per iteration: the mean of the valid repetitions." + (s.nuisance.length && !m.expression ? " What a loop or a reading counts besides was not taken off here." : "")
    });
  }

  /* ---- suites ---- */

  const definedOf = (s) => s.metrics.filter((m) => m.verdict === "defined").length;
  function suiteList() {
    const kind = of(), list = at("suite-list"), chosen = events.suite();
    const entry = (value, text, count) => {
      const b = rc.button([make("span", text), make("span", count, { className: "note" })], () => {
        at("f-suite").value = value;
        at("f-suite").dispatchEvent(new Event("change", { bubbles: true }));
      });
      b.setAttribute("aria-pressed", String(chosen === value));
      return b;
    };
    const all = kind.suites.reduce((sum, s) => sum + s.metrics.length, 0);
    list.replaceChildren(entry("", "all suites", kind.suites.reduce((sum, s) => sum + definedOf(s), 0) + "/" + all),
      ...kind.suites.map((s, i) => entry(String(i), shown(s.suite), definedOf(s) + "/" + s.metrics.length)));
    list.hidden = kind.suites.length === 0 || at("f-suite").parentNode.hidden;
  }
  function suites() {
    const kind = of();
    if (!kind.suites.length) return make("p", "There are no metrics of this kind.");
    return kind.suites.map((s, i) => {
      const d = fold("", () => suite(s, i), { className: "suite", id: "suite-of-" + i });
      d.open = events.suite() === String(i);
      d.firstChild.replaceChildren(make("h3", "Suite " + shown(s.suite)), make("span", definedOf(s) + " of " + plural(s.metrics.length, "metric") +
        " defined, " + plural(s.chosen.length, "chosen event"), { className: "note" }));
      return d;
    });
  }
  function suite(s, number) {
    const parts = [], count = (words) => Object.entries(words).filter(([, n]) => n).reverse().map(([w, n]) => n.toLocaleString("en") + " " + w).join(", ");
    parts.push(make("p", "Events: " + count(s.classes) + ". Of those that are exact or good: " + count({ ...s.uses, "not used": 0 }) + "; " + plural(s.ideals.length, "ideal") + "." +
      (s.chosen.length ? " Rounding alpha " + short(s.alpha, 2) + ": the choice is the same from " + short(s.alpha_low, 2) + " to " + short(s.alpha_high, 2) + "." : "")));
    if (s.left_out.length) parts.push(note(["Left out, since no point of this machine has them: ", ...s.left_out.flatMap((x, i) => [i ? ", " : "", name(x)])]));
    for (const r of s.remarks) parts.push(note([make("strong", "Note: "), shown(r)]));
    const coordinates = [...s.ideals, ...s.nuisance], pairs = (x) => x.flatMap((w, i) => w !== null && Math.abs(w) >= s.alpha ? [Number(w.toPrecision(4)), i] : []);
    if (s.pivots.length)
      parts.push(table("Chosen events, in the order of the choice: these are enough to say what all others say.",
        ["event", "measures", ">score", "the same as it"], s.pivots.map((p) => [
          make("div", [events.link(p.number, p.event), p.completes ? note("something else elsewhere: used only where it is needed") : ""]),
          name(events.sum(pairs(p.representation), coordinates)), short(p.score, 4),
          make("div", [...p.others.slice(0, 12).flatMap((o, i) => [i ? ", " : "", events.link(o.number, o.event)]),
            p.other_count > Math.min(12, p.others.length) ? " and " + (p.other_count - Math.min(12, p.others.length)) + " more" : ""])])));
    if (s.presets.length) parts.push(presets(s.presets));
    const place = make("div", "Loading\u2026");
    parts.push(make("h4", "Noise"), place);
    noise(s, number).then((all) => place.replaceChildren(...all), (e) => { place.textContent = "cannot be shown: " + e.message; });
    return parts;
  }
  function presets(all) {
    const agree = all.filter((p) => p.outcome.startsWith("agrees")).length, unknown = all.filter((p) => p.outcome.startsWith("cannot be checked")).length;
    return fold(plural(all.length, "preset") + " of PAPI against what was derived: " + agree + " agree, " + (all.length - agree - unknown) + " differ, " +
      unknown + " cannot be checked", () => table("Presets of the PAPI at hand when the campaign was solved.",
      ["preset", "metric", "definition of the library", "outcome"], all.map((p) => [name(p.preset), p.metric, name(p.definition), p.outcome])));
  }

  const meanings = ["no valid readings, or too few", "0 in all suites", "0 in this suite, not in another", "above the threshold", "differs, below the threshold", "the same in all repetitions"];
  const classColours = [5, 3, 7, 1, 2, 0];
  const number = (string, i) => { const c = string.charCodeAt(i); return c < 58 ? c - 48 : c < 91 ? c - 55 : c - 61; };
  /* The noises of a suite's events, in rising order: [{noise, class, event}]. */
  rc.noises = function (data) {
    const list = [];
    data.noise.forEach((y, i) => { if (y !== null && y >= 0) list.push({ noise: y, class: number(data.class, i), event: i }); });
    return list.sort((a, b) => a.noise - b.noise || b.class - a.class || a.event - b.event);
  };
  /* The noise below which a part of those above 0 lies. */
  rc.quantile = (above, percent) => above[Math.min(above.length, Math.max(1, Math.ceil(above.length * percent / 100))) - 1].noise;
  async function noise(s, suiteNumber) {
    const kind = events.kind();
    if (!document.getElementById("suite-" + kind + "-" + suiteNumber)) return [make("p", "The noises of its events are not in this page.")];
    const data = await rc.json("suite-" + kind + "-" + suiteNumber), all = await rc.json("events-" + kind);
    const list = rc.noises(data), words = report.words.classes, zero = list.filter((e) => e.noise === 0).length, above = list.slice(zero);
    if (!list.length) return [make("p", "None of " + plural(data.noise.length, "event") + " has valid readings.")];
    const series = words.map((w, c) => ({ name: w + ": " + list.filter((e) => e.class === c).length, style: "dots", colour: classColours[c],
      y: list.map((e) => e.class === c ? e.noise : null), group: w, count: list.filter((e) => e.class === c).length })).filter((x) => x.count)
      .map((x) => ({ ...x, group: x.name })), bars = [], text = [];
    if (s.tau !== null && s.tau >= 0) {
      const low = s.tau_low === null ? 0 : s.tau_low, high = s.tau_high === null ? Infinity : s.tau_high;
      if (low < high) bars.push({ y: low, y2: high, colour: "c5" });
      bars.push({ y: s.tau, y2: s.tau, colour: "ink" });
      text.push("Dashed: the threshold " + short(s.tau, 3) + (s.tau_auto ? ", in the widest gap." : ".") + (low < high
        ? high === Infinity ? " No event is above." : " No event is in the shaded band: every threshold in there gives the same result." : ""));
    } else text.push("There is no threshold.");
    const figure = figures.chart({
      title: "The noises of " + list.length + " events in suite " + s.suite, slots: list.length, series, bars, log: above.length > 0, legend: true, tall: 240,
      label: (i) => all.events[list[i].event], say: (i) => ["noise " + list[i].noise + ", " + words[list[i].class]],
      caption: list.length.toLocaleString("en") + " of " + plural(data.noise.length, "event") + " by their noise (maxRNMSE, the largest difference of any two repetitions); " +
        zero.toLocaleString("en") + " have noise 0. " + text.join(" "), numbers: () => numbers(s, kind, list, above, all)
    });
    return [figure];
  }
  function numbers(s, kind, list, above, all) {
    const words = report.words.classes, next = list.findIndex((e) => !(e.noise <= s.tau) && e.noise > 0), cut = next < 0 ? list.length : next, zero = list.length - above.length;
    const rows = (part) => part.map((e) => [make("a", name(all.events[e.event]), { href: "#event-" + kind + "-" + e.event }), String(e.noise), words[e.class]]).reverse();
    const parts = [table("Events by how far their readings can be trusted", ["class", "what it means", ">events", ">with a noise"],
      words.map((w, c) => [w, meanings[c], String(s.classes[w]), String(list.filter((e) => e.class === c).length)]).reverse())];
    if (above.length) parts.push(table("Quantiles of the noises above 0", [">part", ">noise at most"],
      [0, 10, 25, 50, 75, 90, 99, 100].map((p) => [p + " %", short(rc.quantile(above, p), 4)])));
    const high = list.slice(cut, cut + 6), low = list.slice(Math.max(zero, cut - 6), cut), top = list.slice(Math.max(cut + high.length, list.length - 8));
    for (const [caption, part] of [["The noisiest events", top], ["Events just above the threshold", high], ["Events just below the threshold", low]])
      if (part.length) parts.push(table(caption, ["event", ">noise", "class"], rows(part)));
    return parts;
  }

  /* ---- the machine ---- */

  const LEVELS = [["package", "package", "packages"], ["die", "die", "dies"], ["numa", "NUMA domain", "NUMA domains"], ["l3", "L3 cache", "L3 caches"],
    ["l2", "L2 cache", "L2 caches"], ["core", "core", "cores"], ["pu", "hardware thread", "hardware threads"]];
  const CORE = 5, CORES_MOST = 4096;
  /* "package:2 numa:8 ... form:...": how many of each level, and how they stand within
   * each other.  Levels of as many boxes share one; those of as many as there are cores
   * are the cores themselves; those that do not hold equally many cores are not drawn. */
  rc.shape = function (text, last) {
    const counts = {}, shape = { odd: false, counts, boxes: [], doubts: [] };
    for (const word of text.split(/ +/).filter(Boolean)) {
      const [key, ...rest] = word.split(":"), l = LEVELS.findIndex((v) => v[0] === key), value = rest.join(":");
      if (l < 0) continue;
      if (!/^\d+$/.test(value) || BigInt(value) === 0n || BigInt(value) >= 1n << 64n || key in counts) shape.odd = true;
      else counts[key] = Number(value);
    }
    shape.said = counts.core > 0;
    shape.cores = shape.said ? counts.core : last;
    const levels = LEVELS.slice(0, CORE).filter((v) => counts[v[0]]).sort((a, b) => counts[a[0]] - counts[b[0]]);
    let around = 1;
    const words = ["node"];
    shape.boxes.push({ words, count: 1 });
    if (shape.cores > 0 && shape.cores <= CORES_MOST)
      for (const v of levels) {
        const n = counts[v[0]];
        if (n === shape.cores && n > 1) { shape.doubts.push("Each core has " + (v[0][0] === "l" ? "an " : "a ") + v[1] + " of its own."); continue; }
        if (n > shape.cores || shape.cores % n || n % around) {
          shape.doubts.push(n + " " + v[n === 1 ? 1 : 2] + (n === 1 ? " does" : " do") + " not hold equally many cores each: they are not drawn.");
          continue;
        }
        if (n === shape.cores) continue;
        if (n > around) shape.boxes.push({ words: [v[1]], count: n }); else shape.boxes[shape.boxes.length - 1].words.push(v[1]);
        around = n;
      }
    if (!shape.said && shape.cores > 0) shape.doubts.push("The cores drawn are those up to the last one that was used.");
    if (shape.cores > CORES_MOST) shape.doubts.push("More than " + CORES_MOST + " cores are not drawn.");
    return shape;
  };
  /* Which cores of a kind measured: by node and core, [units, seconds]; and how many
   * units are at no core of such a machine, as those of a simulated one. */
  rc.used = function (units, kind, cores) {
    const nodes = new Map(), sum = { nodes, units: 0, elsewhere: 0, last: 0 };
    units.kind.forEach((k, i) => {
      if (k !== kind) return;
      sum.units++;
      const node = units.nodes[units.node[i]], core = units.core[i];
      if (!node || core >= CORES_MOST || (cores && core >= cores)) { sum.elsewhere++; return; }
      if (!nodes.has(units.node[i])) nodes.set(units.node[i], new Map());
      const of = nodes.get(units.node[i]), was = of.get(core) || [0, 0];
      of.set(core, [was[0] + 1, was[1] + units.wall_us[i] / 1e6]);
      sum.last = Math.max(sum.last, core + 1);
    });
    return sum;
  };
  function boxes(shape, units) {
    const most = Math.max(1, ...units);
    const core = (n) => {
      const b = make("span", units[n] && shape.cores <= 512 ? units[n].toLocaleString("en") : "", { className: "core" });
      b.style.setProperty("--part", units[n] ? 20 + 40 * units[n] / most + "%" : "0%");
      b.title = "core " + n + ": " + plural(units[n] || 0, "unit");
      return b;
    };
    const level = (l, first, count) => {
      const box = make("div", undefined, { className: "box level-" + Math.min(l, 3) }), next = shape.boxes[l + 1];
      if (l) box.append(make("small", shape.boxes[l].words.join(", ")));
      const inner = box.appendChild(make("div", undefined, { className: "inner" }));
      if (!next) for (let n = first; n < first + count; n++) inner.append(core(n));
      else {
        const each = shape.cores / next.count;
        for (let n = first; n < first + count; n += each) inner.append(level(l + 1, n, each));
      }
      return box;
    };
    return level(0, 0, shape.cores);
  }
  async function machine(none, number) {
    const kind = of(), units = await rc.json("timeline-data");
    let shape = rc.shape(kind.shape, 0);
    const used = rc.used(units, number, shape.said ? shape.cores : 0);
    if (!shape.said) shape = rc.shape(kind.shape, used.last);
    const words = LEVELS.filter((v) => shape.counts[v[0]]).map((v) => shape.counts[v[0]] + " " + v[shape.counts[v[0]] === 1 ? 1 : 2]).join(", ");
    const doubts = [...shape.doubts];
    if (!kind.shape.trim()) doubts.unshift("What the machine is made of was not recorded.");
    else if (shape.odd || !shape.said) doubts.unshift("Its shape is not of the form that this report knows: " + shown(kind.shape) + ".");
    if (used.units === 0) doubts.push("No unit is recorded on it.");
    if (used.elsewhere) doubts.push(used.elsewhere.toLocaleString("en") + " of " + plural(used.units, "unit") +
      " are recorded at no core of such a machine, as those of a simulated machine are: they are not in here.");
    const parts = [make("p", (words ? "Each node has " + words + ". " : "") + doubts.join(" "))];
    if (shape.cores > 0 && shape.cores <= CORES_MOST) {
      const draw = (nodes, who) => {
        const counts = new Array(shape.cores).fill(0);
        for (const node of nodes) for (const [core, [n]] of node) if (core < counts.length) counts[core] += n;
        const busy = counts.filter(Boolean).length, text = busy + " of " + plural(shape.cores, "core") + " measured";
        const figure = make("figure", [make("figcaption", who + text + ". The number in a core is that of the units that it measured." +
          (shape.boxes.length > 1 ? " Boxes stand as if the cores were spread evenly and in order: the shape says how many there are, not which holds which." : "")),
          make("div", boxes(shape, counts), { className: "machine" })]);
        figure.lastChild.setAttribute("role", "img");
        figure.lastChild.setAttribute("aria-label", "A machine of " + plural(shape.cores, "core") + " as nested boxes; " + text);
        return figure;
      };
      const nodes = [...used.nodes];
      parts.push(draw(nodes.map(([, n]) => n), nodes.length > 1 ? "The cores of " + nodes.length + " nodes taken together: " : nodes.length ? "" : "No core is known to have measured: "));
      if (nodes.length > 1 && nodes.length <= 4)
        parts.push(make("div", nodes.map(([node, n]) => draw([n], shown(units.nodes[node]) + ": ")), { className: "figures" }));
    }
    const rows = [...used.nodes].flatMap(([node, cores]) => [...cores].sort((a, b) => a[0] - b[0]).map(([core, [n, seconds]]) => [name(units.nodes[node]), String(core), String(n), seconds.toFixed(3)]));
    if (rows.length) parts.push(fold("Cores and what they measured", () => table("Units and the time that they took, by node and core" +
      (rows.length > 500 ? ": the first 500 of " + rows.length : ""), ["node", ">core", ">units", ">seconds"], rows.slice(0, 500))));
    return parts;
  }

  /* ---- the time line ---- */

  /* The times in which somebody measured, in seconds: a pause ends one where a run began
   * in it, or where it is long.  'begins' of runs are known to the second, in which there
   * may be many pauses: the longest one that no other run began in at that time. */
  rc.spans = function (times, begins) {
    const apart = [];
    for (const [from, to] of [...times].sort((a, b) => a[0] - b[0])) {
      const last = apart[apart.length - 1];
      if (last && from <= last[1]) last[1] = Math.max(last[1], to); else apart.push([from, to]);
    }
    const run = apart.map(() => -1), busy = apart.reduce((sum, [from, to]) => sum + to - from, 0);
    begins.forEach((begin, r) => {
      let found = -1, longest = -1;
      if (!(begin > 0)) return;
      for (let i = 0; i < apart.length; i++) {
        const from = i ? apart[i - 1][1] : 0;
        if (from >= begin + 1) break;
        if (apart[i][0] < begin || (run[i] >= 0 && begins[run[i]] + 1 > begin)) continue;
        if (apart[i][0] - from > longest) { longest = apart[i][0] - from; found = i; }
      }
      if (found >= 0) run[found] = r;
    });
    const spans = [];
    apart.forEach(([from, to], i) => {
      const pause = i ? from - apart[i - 1][1] : Infinity;
      if (run[i] >= 0 || pause > Math.max(600, busy)) spans.push({ from, to, run: run[i] });
      else spans[spans.length - 1].to = to;
    });
    return spans;
  };
  const MOST_ROWS = 60;
  /* Which workers are shown: all, or evenly many with the least and the most busy one. */
  rc.rows = function (busy) {
    const all = [...busy.keys()];
    if (all.length <= MOST_ROWS) return all;
    const by = all.filter((w) => busy[w] > 0).sort((a, b) => busy[a] - busy[b]);
    const keep = new Set(Array.from({ length: MOST_ROWS - 2 }, (_, i) => Math.floor(i * all.length / (MOST_ROWS - 2))));
    if (by.length) keep.add(by[0]).add(by[by.length - 1]);
    return all.filter((w) => keep.has(w));
  };
  const clock = (s) => s > 0 && s < 1e11 ? new Date(s * 1000).toISOString().replace("T", " ").slice(0, 19) : "";
  function timeline(u) {
    const count = u.worker.length, parts = [];
    if (count === 0) return make("p", "No unit was measured yet.");
    const timed = [], workers = u.workers.map(() => ({ units: 0, busy: 0, first: 0, last: 0, present: 0, spans: new Set() }));
    let bad = 0, untimed = 0;
    for (let i = 0; i < count; i++) {
      bad += u.status[i] > 1;
      const w = workers[u.worker[i]];
      if (!w) continue;
      w.units++;
      const from = u.begin_us[i] / 1e6, to = from + u.wall_us[i] / 1e6;
      if (u.begin_us[i] === 0) { untimed++; w.busy += u.wall_us[i] / 1e6; continue; }
      timed.push({ i, from, to, worker: u.worker[i] });
    }
    const spans = rc.spans(timed.map((t) => [t.from, t.to]), report.runs.map((r) => Date.parse(r.begin) / 1000));
    const spanOf = (from) => { let low = 0, high = spans.length; while (high - low > 1) { const m = (low + high) >> 1; if (spans[m].from <= from) low = m; else high = m; } return spans[low]; };
    for (const s of spans) Object.assign(s, { units: [], busy: 0, workers: new Set() });
    for (const t of timed.sort((a, b) => a.from - b.from)) {
      const w = workers[t.worker], s = spanOf(t.from), busy = Math.max(0, t.to - Math.max(t.from, w.last));
      s.units.push(t);
      s.workers.add(t.worker);
      s.busy += busy;
      w.busy += busy;
      if (!w.spans.has(s)) { w.spans.add(s); w.present += s.to - s.from; }
      w.first = w.first || t.from;
      w.last = Math.max(w.last, t.to);
    }
    const all = spans.reduce((sum, s) => sum + (s.to - s.from) * s.workers.size, 0), busy = spans.reduce((sum, s) => sum + s.busy, 0);
    parts.push(make("p", (all > 0 ? "From the first to the last unit of each run, those of its workers that measured at all were busy for " +
      short(Math.min(100, 100 * busy / all), 3) + " % of the time. " : "") + workers.filter((w) => w.units).length.toLocaleString("en") + " of " + plural(workers.length, "worker") +
      " (a rank on a node: a row) measured " + plural(count, "unit") + "." + (bad ? " " + plural(bad, "unit") + (bad === 1 ? " is" : " are") + " invalid or failed." : "") +
      (untimed ? " Of " + plural(untimed, "unit") + " it is not known when they began: older versions did not record it. They are counted, not drawn." : "")));
    const largest = [...spans].sort((a, b) => b.units.length - a.units.length).slice(0, 4), rows = rc.rows(workers.map((w) => w.busy));
    for (const s of spans) if (largest.includes(s)) parts.push(span(s, u, rows));
    if (largest.length < spans.length) parts.push(note("The " + largest.length + " runs with the most units are drawn, of " + spans.length + " that measured."));
    if (timed.length || untimed) parts.push(fold("Runs and workers as numbers", () => [
      table("Runs that measured" + (spans.length > 50 ? ": the first 50 of " + spans.length : ""), ["first unit (UTC)", "last unit's end (UTC)", ">units", ">workers", ">seconds", ">busy"],
        spans.slice(0, 50).map((s) => [clock(s.from), clock(s.to), String(s.units.length), String(s.workers.size), (s.to - s.from).toFixed(3),
          (s.to > s.from ? Math.min(100, 100 * s.busy / (s.to - s.from) / s.workers.size) : 100).toFixed(1) + " %"])),
      table("Workers" + (rows.length < workers.length ? ": " + rows.length + " of " + workers.length + ", spread evenly, with the least and the most busy one" : ""),
        ["node", ">rank", ">units", ">seconds busy", ">idle", "first (UTC)", "last ends (UTC)"], rows.map((n) => {
          const w = workers[n];
          return [name(u.workers[n][0]), String(u.workers[n][1]), String(w.units), w.busy.toFixed(3),
            w.present > 0 ? Math.max(0, 100 * (1 - w.busy / w.present)).toFixed(1) + " %" : "", clock(w.first), clock(w.last)];
        }))]));
    return parts;
  }
  function span(s, u, rows) {
    const names = [], groupOf = (i) => {
      const kind = report.kinds[u.kind[i]], suite = kind && kind.measured[u.suite[i]], text = suite ? suite.suite : "another suite";
      if (!names.includes(text)) names.push(text);
      return names.indexOf(text);
    };
    const shownRows = rows.filter((w) => s.workers.has(w)), list = new Map(shownRows.map((w) => [w, []]));
    for (const t of s.units) if (list.has(t.worker))
      list.get(t.worker).push({ from: t.from - s.from, to: t.to - s.from, group: groupOf(t.i), bad: u.status[t.i] > 1, i: t.i });
    const oneNode = new Set(u.workers.map((w) => w[0])).size < 2;
    const run = report.runs[s.run], title = (run ? "The run of " + run.begin + ": " : "") + plural(s.units.length, "unit") + " of " + plural(s.workers.size, "worker");
    return figures.boxes({
      title: "Workers measured when. " + title, caption: shown(title) + " over " + short(s.to - s.from, 3) + " s" +
        (shownRows.length < s.workers.size ? "; " + shownRows.length + " workers are drawn" : "") + ". A box is a unit, a gap a wait; units that are invalid or failed are crossed.",
      rows: shownRows.map((w) => ({ label: oneNode ? "rank " + u.workers[w][1] : u.workers[w][0] + " " + u.workers[w][1], boxes: list.get(w) })),
      groups: names.map((n, i) => ({ name: n, colour: i })), length: s.to - s.from,
      say: (b, row) => [row.label + ": " + names[b.group], "from " + short(b.from, 5) + " s, for " + short(b.to - b.from, 3) + " s",
        plural(u.events[b.i], "event") + (u.status[b.i] > 1 ? ", " + (u.statuses[u.status[b.i]] || "not valid") : "")]
    });
  }

  /* ---- the first lines ---- */

  /* "59 of 69 metrics defined, 3 approximate, ..." */
  function defined(metrics) {
    const count = (verdict) => metrics.filter((m) => m.verdict === verdict).length, others = ranks.filter((v) => v !== "defined");
    return count("defined") + " of " + metrics.length + (metrics.length === 1 ? " metric" : " metrics") + " defined" +
      others.filter(count).map((v) => ", " + count(v) + " " + v).join("");
  }
  /* "497 of 553 events can be counted, 56 cannot (30 count nothing, ...): REASON". */
  async function counted(k) {
    const t = await rc.json("tally-" + k), all = t.verdicts.reduce((a, b) => a + b, 0), ok = t.verdicts[words.verdicts.indexOf("ok")], bad = all - ok;
    const parts = words.verdicts.map((v, i) => [v, t.verdicts[i]]).filter(([v, n]) => n && v !== "ok").map(([v, n]) => n + " " + (n > 1 && v === "counts nothing" ? "count nothing" : v));
    return [ok + " of " + all + (all === 1 ? " event" : " events") + " can be counted" + (bad ? ", " + bad + " cannot (" + parts.join(", ") + ")" : "") +
      (t.events === 0 ? "" : t.events === bad ? ": " : "; " + t.events + " of them: "), ...(t.events ? [name(t.reason)] : [])];
  }
  /* What of the readings is simulated, in words. */
  function simulated() {
    const list = [], key = report.kinds.map((k) => k.key).find((k) => k.includes("l1d="));
    const sizes = !key ? [] : ["l1d", "l2", "l3"].map((level) => Number((new RegExp(level + "=(\\d+)").exec(key.slice(key.indexOf("l1d="))) || [])[1])).filter(Boolean);
    const fair = (strong, text) => list.push(make("li", [make("strong", strong), text], { className: "v-approximate" }));
    if (key) fair("Simulated caches " + sizes.map((b) => b % 1024 ? b : b / 1024 + "K").join("/"),
      ", not this machine's; TLB and branch prediction are simulated, too. Instructions are counted exactly.");
    if (report.campaign.sources.some((s) => s.startsWith("model"))) fair("A simulated machine:", " its readings were made up by a model.");
    return list;
  }
  function complete() {
    const sum = (what) => report.kinds.flatMap((k) => k.progress).reduce((n, p) => n + p[what], 0), units = sum("units");
    if (report.complete === null) return make("li", "Whether it is complete is not known without the journals.");
    const text = sum("ok") + " of " + units + (units === 1 ? " unit" : " units") + " measured and valid.";
    return report.complete ? make("li", text) : make("li", [make("strong", "Not complete:"), " " + text], { className: "v-rejected" });
  }
  /* One line for each kind, and what a reader must know before believing any of it. */
  function summary() {
    const list = [];
    report.kinds.forEach((k, i) => {
      const metrics = k.suites.flatMap((s) => s.metrics), events = make("span");
      counted(i).then((text) => events.append(...text), (e) => events.append("The events cannot be shown: " + e.message));
      list.push(make("li", [...(report.kinds.length > 1 ? [name(k.kind), ": "] : []), ...(k.suites.length && (metrics.length || !at("curves-data")) ? [make("strong", defined(metrics) + "."), " "] : []), events]));
      if (at("curves-data")) {
        const rates = list[list.push(make("li")) - 1];
        rc.json("curves-data").then((data) => {
          rates.append(...rc.ratesInWords(data[i]).map((text) => make("strong", text + " ")));
          rates.hidden = !rates.firstChild;
        }, (e) => rates.append("The rates cannot be shown: " + e.message));
      }
      const names = [...new Set(metrics.filter((m) => m.verdict === "defined").map((m) => m.metric))];
      if (names.length) list.push(make("li", shown("Defined: " + names.slice(0, NAMED).join(", ") + (names.length > NAMED ? " and " + (names.length - NAMED) + " more." : "."))));
    });
    at("summary").replaceChildren(...list, ...simulated(), complete(), ...report.notes.map((n) => make("li", [make("strong", "Note:"), " " + shown(n)], { className: "note" })));
  }

  /* ---- where it comes from ---- */

  /* A kind's key without what the kind, such as a simulated one, does not have. */
  const keyOf = (key) => key.split("; ").filter((k) => !/^(architecture=|family=-1|model=-1|stepping=-1|core types=)$/.test(k)).join("; ");
  function provenance() {
    const c = report.campaign, parts = [facts([
      ["campaign", c.id], ["created", report.created], ["results by", c.versions.created_by], ["metrics by", report.metrics_by || ""], ["directory", report.directory],
      ["sources", make("div", c.sources.map((s) => make("div", shown(s))))],
      ["complete", report.complete === null ? "not known without the journals" : report.complete ? "yes" : "no"],
      ["this report", report.made + ", by rollcall " + report.version]])];
    for (const n of report.notes) parts.push(note([make("strong", "Note: "), shown(n)]));
    if (c.spec) parts.push(fold("the campaign file", () => make("pre", make("code", c.spec.split("\n").map(shown).join("\n")))));
    parts.push(table("Kinds of machines: nodes that are built alike.", ["kind", ">nodes", ">events", "what tells it from others"],
      report.kinds.map((k) => [name(k.kind), String(k.nodes.length), String(k.events), name(keyOf(k.key))])));
    for (const k of report.kinds) if (k.nodes.length)
      parts.push(fold(plural(k.nodes.length, "node") + " of " + shown(k.kind), () => make("p", k.nodes.flatMap((n, i) => [i ? ", " : "", name(n)]))));
    const progress = report.kinds.flatMap((k) => k.progress.map((p) => [name(k.kind), name(p.suite), ...["units", "ok", "invalid", "failed", "missing", "events", "places"].map((w) => String(p[w])),
      p.repetitions_min === p.repetitions_max ? String(p.repetitions_min) : p.repetitions_min + " to " + p.repetitions_max]));
    if (progress.length) parts.push(table("How far each suite is. A unit is a suite of kernels with a group of events that count together.",
      ["kind", "suite", ">units", ">ok", ">invalid", ">failed", ">missing", ">events", ">places", "repetitions"], progress));
    if (report.runs.length) parts.push(table("Runs of this campaign.", ["begin", "end", ">ranks", ">nodes", ">units to do", ">units left", "job", "program"],
      report.runs.map((r) => [r.begin, (r.end || (r.interrupted ? "" : "did not end by itself")) + (r.interrupted ? (r.end ? ", " : "") + "stopped by a signal" : ""),
        String(r.ranks), String(r.nodes), String(r.units_to_do), r.end ? String(r.units_left) : "", r.job, r.created_by])));
    if (report.origins.length) parts.push(table("This campaign was made of others.", ["made by", "of", "campaign", "created", "program", "directory"], report.origins));
    return parts;
  }

  /* The panels of the table in io/report/page.c: by id, what fills each, of its data and
   * the kind that is chosen; and those that are the same for all kinds. */
  const panels = { curves: rc.rates, suites, noise: rc.noise, machine }, common = { timeline, provenance };
  const fill = (all) => setTimeout(() => { for (const id in all) rc.panel(id, all[id], events.kind()); });
  events.onChange((what) => {
    if (what === "text") { search(); return; }
    metrics();
    if (what === "kind") fill(panels);
    suiteList();
    const chosen = events.suite(), d = chosen === "" ? null : at("suite-of-" + chosen);
    if (d) d.open = true;
  });
  at("report").hidden = false;
  summary();
  events.start().finally(() => fill(common));
})();
