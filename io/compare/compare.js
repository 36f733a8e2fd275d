"use strict";
/* The comparison of campaigns and kinds of machines: what 'rollcall compare --format json'
 * says, as tables. */
(async function () {
  const { make, shown, name, table, plural } = rc, place = document.getElementById("comparison");
  const EVENTS_SHOWN = 200; /* of a change, unless --all was given */
  const note = (text) => make("div", text, { className: "note" });
  const bad = (content) => make("p", content, { className: "v-rejected" });
  const nav = document.querySelector("nav.top");
  const link = (id, text) => { const a = make("a", text, { href: "#" + id }); nav.insertBefore(a, nav.lastChild); };

  /* The answer, and how much differs of what. */
  function sum(d) {
    const words = Object.entries(d.differences).filter(([, n]) => n)
      .map(([what, n]) => what + " " + n + (d.checked.includes(what) ? "" : " (not counted)"));
    if (d.absent.length) words.push("kinds " + d.absent.length);
    const chance = Object.entries(d.chance).filter(([, n]) => n).map(([what, n]) => what + " " + n);
    const text = (d.same ? "same" : "differs") + (words.length ? ": " + words.join(", ") : "") + (chance.length ? "; by chance: " + chance.join(", ") : "");
    return [make("p", make("strong", text, { className: "v " + (d.same ? "v-defined" : "v-rejected") })),
      ...d.absent.map((a) => bad([name(a.path), " has no kind like " + a.column + "."]))];
  }
  function columns(d) {
    link("columns", "Columns");
    return [make("h2", "Columns", { id: "columns" }),
      table("What is compared with what.", ["column", "campaign", "kind", ">events", "readings", "against", "relation"],
        d.columns.map((c) => [c.column, name(c.path), name(c.kind), String(c.events), c.simulated ? "simulated" : "counted", c.reference || "", c.relation]))];
  }

  /* What a metric is in a column: its verdict, the events that it is made of, each in a line
   * of its own, as names may be long, and how exact it is. */
  function definition(m) {
    const box = [make("div", m.verdict, { className: "v v-" + rc.marks[m.verdict] })];
    if (m.combination !== null && m.formula !== null) box.push(make("div", name(m.formula)));
    else if (m.combination !== null) {
      const terms = m.terms.map((t) => ({ event: t.event, value: m.rounded_holds ? t.rounded : t.coefficient })).filter((t) => t.value !== 0);
      [...terms.filter((t) => t.value > 0), ...terms.filter((t) => t.value < 0)].forEach((t, i) => {
        const sign = i ? (t.value < 0 ? "\u2212 " : "+ ") : t.value < 0 ? "\u2212" : "", amount = Math.abs(t.value);
        box.push(make("div", [sign + (amount === 1 ? "" : Number(amount.toPrecision(6)) + " \u00d7 "), name(t.event)]));
      });
    }
    if (m.error !== null) box.push(note("error " + m.error.toExponential(2)));
    return box;
  }
  /* The same, and how it differs from the reference; what differs in form only is a note. */
  function cell(c, d, n) {
    const box = make("div", c.definition ? definition(c.definition) : []), differs = c.differs.length > 0;
    if (c.says) box.append(make("div", (differs ? "differs" : "not different") + " from " + d.columns[n].reference + ": " + shown(c.says),
      { className: differs ? "v-rejected" : "note" }));
    return box;
  }
  function suite(s, i, d) {
    const differing = s.metrics.filter((m) => m.differs).length;
    link("suite-" + i, shown(s.suite) || "suite");
    return [make("h2", "Suite " + shown(s.suite), { id: "suite-" + i }), s.metrics.length === 0 ? make("p", "No metrics are defined for it.")
      : table(plural(s.metrics.length, "metric") + ", of which " + differing + (differing === 1 ? " differs." : " differ."),
        ["metric", "result", ...d.columns.map((c) => c.column)],
        s.metrics.map((m) => [m.metric, m.differs ? "differs" : "same", ...m.columns.map((c, n) => cell(c, d, n))]))];
  }

  /* The events of a change, with their noise or the reason of their verdict where that is
   * what changed. */
  function group(g, of) {
    const what = g.change === "gone" ? "only in " + of.reference : g.change === "new" ? "only in " + of.column : "off" in g.events[0] ? "other " + g.change : g.change + " " + g.from + " -> " + g.to;
    const most = "all" in place.dataset ? Infinity : EVENTS_SHOWN, noise = (y) => y === null ? "none" : String(Number(y.toPrecision(3)));
    const more = g.change === "class" ? [">noise before", ">noise after"] : "off" in g.events[0] ? [">off"] : g.change === "verdict" ? ["reason"] : [];
    return [make("h3", (g.chance ? "By chance: " : "") + (g.suite === null ? "" : "Suite " + shown(g.suite) + ", ") + what + ": " + plural(g.count, g.change === "rates" ? "rate" : "event")),
      table(g.count <= most ? "All of them." : "The first " + most + "; --all shows all " + g.count + ", and so does --format json.",
        [g.change === "rates" ? "rate" : "event", g.change === "rates" ? "unit" : "source", ...more], g.events.slice(0, most).map((e) => [name(e.event), e.source,
          ...(g.change === "class" ? [noise(e.noise_before), noise(e.noise_after)] : "off" in e ? [noise(100 * e.off) + " %"] : g.change === "verdict" ? [e.reason] : [])]))];
  }
  function changes(of, d) {
    const id = "events-" + d.columns.findIndex((c) => c.column === of.column);
    link(id, "Events of " + of.column);
    return [make("h2", "Events of " + of.column + " against " + of.reference, { id }),
      ...(of.changes.length ? of.changes.flatMap((g) => group(g, of)) : [make("p", "Nothing changed.")])];
  }

  try {
    const d = await rc.json("comparison-data");
    place.replaceChildren(...sum(d), ...columns(d), ...d.suites.flatMap((s, i) => suite(s, i, d)), ...d.events.flatMap((of) => changes(of, d)));
  } catch (e) {
    place.textContent = "The comparison cannot be shown: " + e.message;
  }
})();
