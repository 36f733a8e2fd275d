"use strict";
/* Noise: nodes that are off, where events scatter, and what detours steal. */
rc.noise = (function () {
  if (!rc.events) return null;
  const { make, shown, name, table, fold, plural } = rc, figures = rc.figures, report = rc.events.report;
  const LEVELS = { repetition: 0, core: 2, node: 1 }; /* colours */
  const note = (content) => make("p", content, { className: "note" });
  const short = (y, digits) => y === null || y === undefined || !Number.isFinite(y) ? "" : String(Number(y.toPrecision(digits || 3)));
  const percent = (y, digits) => y === null || y === undefined ? "" : (100 * y).toFixed(digits === undefined ? 2 : digits);
  const held = (id) => document.getElementById(id) !== null;
  function median(list) {
    const all = list.filter((y) => y !== null).sort((a, b) => a - b), n = all.length;
    return n === 0 ? null : n % 2 ? all[n >> 1] : (all[n / 2 - 1] + all[n / 2]) / 2;
  }
  rc.median = median;

  /* An event where the list of all events has it under that number. */
  function event(all, number, text) {
    return all.events[number] === text ? rc.events.link(number, text) : name(text);
  }

  /* ---- nodes ---- */

  /* By node: the medians of its places, theirs, and how far that is from the other nodes'
   * over what these scatter. */
  function byNode(e, nodes) {
    const places = nodes.map(() => []);
    e.median.forEach((y, i) => places[e.node[i]].push(y));
    const own = places.map(median), middle = median(own);
    const scatter = 1.4826 * median(own.filter((y) => y !== null).map((y) => Math.abs(y - middle)));
    return { e, places, own, middle, z: own.map((y) => y === null ? null : scatter > 0 ? (y - middle) / scatter : 100 * Math.sign(y - middle)) };
  }
  rc.byNode = byNode;
  /* Numbers of nodes with readings: those that are off most first, others by name. */
  const inOrder = (d, has) => d.nodes.map((n, i) => i).filter(has).sort((a, b) =>
    (d.nodes[a].p <= d.perhaps_p || d.nodes[b].p <= d.perhaps_p ? d.nodes[a].p - d.nodes[b].p : 0) || d.nodes[b].off - d.nodes[a].off || d.nodes[a].node.localeCompare(d.nodes[b].node, "en", { numeric: true }));
  const delta = (c, r) => c.own[r] === null || !c.middle ? null : c.own[r] / c.middle - 1;

  /* "1 node of 16 is off: n07; 1 perhaps": what is wrong, in one line. */
  function offWords(d) {
    const off = d.nodes.filter((n) => n.p <= d.off_p).map((n) => shown(n.node));
    const perhaps = d.nodes.filter((n) => n.p > d.off_p && n.p <= d.perhaps_p).map((n) => shown(n.node));
    const some = (names) => names.slice(0, 8).join(", ") + (names.length > 8 ? " and " + (names.length - 8) + " more" : "");
    return (off.length === 0 ? "No node of " + d.nodes_all.toLocaleString("en") + " is off"
      : plural(off.length, "node") + " of " + d.nodes_all.toLocaleString("en") + (off.length === 1 ? " is off: " : " are off: ") + some(off)) +
      (perhaps.length === 0 ? "." : "; perhaps " + some(perhaps) + ".");
  }
  rc.offWords = offWords;

  function nodesOff(d, all) {
    const off = d.nodes.filter((n) => n.p <= d.perhaps_p).sort((a, b) => a.p - b.p), parts = [];
    if (d.tests === 0) return [make("p", "No nodes were compared: that takes three of a kind, and events that differ between them.")];
    parts.push(make("p", make("strong", offWords(d))));
    if (off.length === 0) return parts;
    const number = (n) => { const e = d.heat.find((h) => h.event === n.event && h.suite === n.suite); return e ? e.number : -1; };
    parts.push(table("Nodes with readings unlike those of the others, over all events. p: how often chance makes any of so many nodes as far off; off: at most " + d.off_p + ", perhaps: at most " + d.perhaps_p + ".",
      ["node", "", ">events off", ">of", ">p", "the worst", ">off by %", ">z", "suite"],
      off.map((n) => [name(n.node), n.p <= d.off_p ? "off" : "perhaps", String(n.off), String(n.of), short(n.p), event(all, number(n), n.event), percent(n.delta), short(n.z), shown(n.suite)])));
    return parts;
  }
  function heat(d, all) {
    const columns = d.heat.map((e) => byNode(e, d.nodes)), rows = inOrder(d, (i) => columns.some((c) => c.own[i] !== null)).slice(0, 64);
    const left = d.nodes_all - rows.length;
    return figures.heat({
      title: "Nodes by events that have a node that is off", rows: rows.map((i) => d.nodes[i].node), columns: columns.length,
      tick: (c) => columns[c].e.event, value: (r, c) => { const z = columns[c].z[rows[r]]; return z === null ? null : Math.abs(z) < 2 ? 0 : Math.max(-1, Math.min(1, z / 6)); },
      marked: (r, c) => columns[c].e.off.includes(rows[r]),
      say: (r, c) => {
        const z = columns[c].z[rows[r]], by = delta(columns[c], rows[r]);
        return [d.nodes[rows[r]].node + ", " + columns[c].e.event, "suite " + columns[c].e.suite, z === null ? "no reading" : (by > 0 ? "+" : "") + percent(by) + " %, " + short(z) + " of the nodes' scatter"];
      },
      caption: "Each column is an event with a node that is off, the surest first; framed: what is off. Blue: the node counts less than the median of all, orange: more; from twice what nodes scatter, in full colour from six times." +
        (d.heat_left ? " Left out: " + plural(d.heat_left, "reading") + " that " + (d.heat_left === 1 ? "is" : "are") + " off in further events." : "") +
        (left > 0 ? " Of " + d.nodes_all.toLocaleString("en") + " nodes " + rows.length + " are drawn, those that are off first." : ""),
      numbers: () => table("What the nodes' medians are off from the median of all, in %, where that is reported", ["event", "suite", "node", ">off by %", ">times the scatter"],
        columns.flatMap((c) => c.e.off.map((i) => [event(all, c.e.number, c.e.event), shown(c.e.suite), name(d.nodes[i].node), percent(delta(c, i)), short(c.z[i])])).slice(0, 2000))
    });
  }
  /* The medians of cores by node, of the event that is chosen. */
  function strip(d, all) {
    const box = make("div"), inner = make("div"), choice = make("select");
    d.heat.forEach((e, i) => choice.append(make("option", shown(figures.cut(e.event, 60)) + " (" + shown(e.suite) + ")", { value: String(i) })));
    const draw = () => {
      const c = byNode(d.heat[Number(choice.value)], d.nodes), rows = inOrder(d, (i) => c.own[i] !== null);
      const most = Math.max(...rows.map((i) => c.places[i].length)), by = (y) => y === null || y === undefined || !c.middle ? null : 100 * (y / c.middle - 1);
      const own = { name: "the node's median", style: "step", colour: "ink", y: rows.map((i) => by(c.own[i])) }, series = [];
      for (let n = 0; n < most && most > 1; n++)
        series.push({ name: "core", group: most > 1 ? "its cores' medians" : "its reading", style: "dots", colour: 0, y: rows.map((i) => by(c.places[i][n])) });
      series.push(own);
      inner.replaceChildren(figures.chart({
        title: "Medians of cores by node: " + c.e.event, slots: rows.length, series, typical: own.y, legend: true,
        label: (i) => i < 0 || i >= rows.length ? null : d.nodes[rows[i]].node + (c.e.off.includes(rows[i]) ? ", off" : ""),
        tick: (i) => d.nodes[rows[i]].node,
        say: (i) => most > 1 ? [c.places[rows[i]].filter((y) => y !== null).length + " cores from " + short(by(Math.min(...c.places[rows[i]].filter((y) => y !== null)))) + " to " +
          short(by(Math.max(...c.places[rows[i]].filter((y) => y !== null)))) + " %"] : [],
        caption: "What each node counts of the event, in % off the median of all nodes" + (most > 1 ? "; a dot is a core." : "."),
        numbers: () => table("Off the median of all nodes, in %", ["node", ">median", ">least core", ">most core"], rows.map((i) => {
          const known = c.places[i].filter((y) => y !== null);
          return [name(d.nodes[i].node), short(by(c.own[i]), 4), short(by(Math.min(...known)), 4), short(by(Math.max(...known)), 4)];
        }))
      }));
    };
    choice.addEventListener("change", draw);
    draw();
    box.append(make("div", make("label", ["cores of nodes, for the event", choice]), { className: "tools" }), inner);
    return box;
  }

  /* ---- levels ---- */

  const deviation = (v) => v === null ? null : Math.sqrt(Math.max(0, v));
  function counts(d) {
    const words = d.suites[0].verdicts, order = ["exact", "differs", "repetition", "core", "node", "unresolved", "not-read"].filter((w) => words.includes(w));
    return table("Where the scatter of events is: the same everywhere, the same in each place, or most of it from repetition to repetition, from core to core, from node to node.",
      ["suite", ...order.map((w) => ">" + w.replace("-", " ")), ">two classes of nodes", ">places"],
      d.suites.map((s) => [shown(s.suite), ...order.map((w) => String(s.counts[s.verdicts.indexOf(w)] || 0)), String(s.classes), String(s.places)]));
  }
  /* A suite with its events, which come by how much they scatter, by the level of most of that. */
  function byVerdict(s) {
    const wide = s.levels.length, order = s.events.map((_, i) => i).sort((a, b) => s.verdict[b] - s.verdict[a] || a - b), pick = (list) => order.map((i) => list[i]);
    return { ...s, events: pick(s.events), names: pick(s.names), verdict: pick(s.verdict), variance: order.flatMap((i) => s.variance.slice(i * wide, (i + 1) * wide)) };
  }
  /* Two levels at least can be told. */
  const hasParts = (s) => s.levels.filter((_, l) => s.events.some((_, i) => s.variance[i * s.levels.length + l] !== null)).length > 1;
  /* Of the events that scatter most, which part each level has. */
  function stack(s, all) {
    const n = s.events.length, wide = s.levels.length, of = (i, l) => s.variance[i * wide + l];
    const total = s.events.map((_, i) => s.levels.reduce((sum, _, l) => sum + Math.max(0, of(i, l) || 0), 0));
    const foot = new Array(n).fill(0), series = s.levels.map((level, l) => {
      const y = [...foot];
      for (let i = 0; i < n; i++) foot[i] += 100 * Math.max(0, of(i, l) || 0) / total[i];
      return { name: level, style: "band", solid: true, colour: LEVELS[level] === undefined ? 4 + l : LEVELS[level], y, y2: [...foot] };
    });
    return figures.chart({
      title: "Parts of the scatter by level, suite " + s.suite, slots: n, series, typical: [100], tall: 150, legend: true,
      label: (i) => s.names[i],
      say: (i) => [s.verdicts[s.verdict[i]], ...s.levels.map((level, l) => level + ": " + (of(i, l) === null ? "not known" : short(100 * deviation(of(i, l))) + " %"))],
      caption: "Suite " + shown(s.suite) + ": parts of the variance, in %, of " + (n < s.scattered ? "the " + n + " events of " + s.scattered.toLocaleString("en") + " that scatter most" : plural(n, "event") + " that " + (n === 1 ? "scatters" : "scatter")) +
        ", by the level that most of it is of.",
      numbers: () => table("Standard deviations that the levels add, in % of the median", ["event", "scatter", ...s.levels.map((l) => ">" + l)],
        s.events.map((e, i) => [event(all, e, s.names[i]), s.verdicts[s.verdict[i]], ...s.levels.map((_, l) => of(i, l) === null ? "" : short(100 * deviation(of(i, l)), 4))]))
    });
  }

  /* ---- detours ---- */

  const micro = (us) => { const n = Math.abs(us); return n >= 1e6 ? short(us / 1e6) + " s" : n >= 1e3 ? short(us / 1e3) + " ms" : n >= 1 || n === 0 ? short(us) + " us" : short(us * 1e3) + " ns"; };
  const labelOf = (r) => r.node + " " + r.core + (r.work ? " " + r.work : "") + (r.alone ? " alone" : "") + (r.round ? " #" + r.round : "");
  const triples = (list) => Array.from({ length: list.length / 3 }, (_, i) => list.slice(3 * i, 3 * i + 3));

  function detourTable(d) {
    return table("Detours of each core: a loop that only reads the clock, and finds that somebody else ran.",
      ["node", ">core", "work", ">seconds", ">lost %", ">detours", ">longest us", "periods (Hz, us stolen, share, cause)"], d.records.map((r) => [name(r.node), String(r.core), shown(r.work) + (r.alone ? " alone" : ""),
        short(r.seconds), r.seconds > 0 ? short(r.stolen_ns / r.seconds / 1e7) : "", String(r.count + r.dropped), r.detours.length ? short(r.detours[1], 4) : "",
        make("div", r.periods.map((p) => make("div", shown(short(p.hz, 7) + ", " + short(p.stolen_ns / 1e3) + ", " + short(100 * p.share) + " %, " + (p.who || "cause not known")))))]));
  }
  function scatter(d) {
    const used = new Set(d.records.flatMap((r) => triples(r.detours).map((p) => p[2]))), causes = [...used].sort((a, b) => a - b), number = new Map(causes.map((c, i) => [c, i]));
    const rows = d.records.filter((r) => r.detours.length).slice(0, 32);
    return figures.lanes({
      title: "Detours over time, by core", rows: rows.map((r) => ({ label: labelOf(r), points: triples(r.detours).map(([at, size, who]) => ({ at: at / 1e6, size, group: number.get(who) })) })),
      groups: causes.map((c, i) => ({ name: d.causes[c] || "cause not known", colour: i })), length: Math.max(...rows.map((r) => r.seconds)), size: micro,
      caption: "A dot is a detour, the higher in its lane the longer (logarithmic); a lane is a core." + (rows.some((r) => r.count > r.detours.length / 3) ? " Of each core the longest ones are drawn." : "") +
        (rows.length < d.records_all ? " " + rows.length + " of " + plural(d.records_all, "core") + "." : "")
    });
  }
  function folded(r, p) {
    const n = p.fold.length, period = 1e6 / p.hz;
    return figures.chart({
      title: "Detours of " + labelOf(r) + " by the phase of " + short(p.hz, 7) + " Hz", slots: n, tall: 120, widest: 420,
      series: [{ name: "detours", style: "step", colour: 0, y: p.fold }], typical: p.fold, log: false, label: (i) => "at " + micro((i + 0.5 - n / 2) / n * period) + " of the pulse", tick: (i) => i % 12 ? null : micro((i - n / 2) / n * period),
      caption: short(p.hz, 7) + " Hz, " + shown(p.who || "cause not known") + ": " + p.hits.toLocaleString("en") + " of " + plural(p.pulses, "pulse") + " hit, " + short(p.stolen_ns / 1e3) + " us each, " +
        short(100 * p.share) + " % of the time. All detours, laid over one period.", unit: "Detours"
    });
  }
  function survival(r) {
    const pairs = Array.from({ length: r.survival.length / 2 }, (_, i) => [r.survival[2 * i], r.survival[2 * i + 1]]).reverse(), [threshold, scale, shape, rate] = r.tail;
    const fitted = (x) => {
      if (r.tail.length === 0 || x < threshold) return null;
      const t = 1 + shape * (x - threshold) / scale;
      return t <= 0 ? null : rate * (Math.abs(shape) < 1e-9 ? Math.exp(-(x - threshold) / scale) : t ** (-1 / shape));
    };
    const series = [{ name: "measured", style: "dots", colour: 0, y: pairs.map((p) => p[1] / r.seconds) }];
    if (r.tail.length) series.push({ name: "generalised Pareto distribution", style: "line", dashed: true, colour: 1, y: pairs.map((p) => fitted(p[0])) });
    return figures.chart({
      title: "How often gaps are so long, " + labelOf(r), slots: pairs.length, series, log: true, tall: 150, widest: 420, label: (i) => micro(pairs[i][0] / 1e3) + " or longer", tick: (i) => i % 4 ? null : micro(pairs[i][0] / 1e3), ordered: true,
      caption: "Gaps in a second of " + shown(labelOf(r)) + " that are so long or longer" + (r.tail.length ? "; dashed: the tail as it was fitted." : "."), unit: "Gaps in a second"
    });
  }
  const scaleOf = (d) => Array.from({ length: d.scale.length / 4 }, (_, i) => d.scale.slice(4 * i, 4 * i + 4));
  function together(d) {
    const rows = scaleOf(d).filter((r) => r[3] !== null);
    return rows.length ? [table("Programs that wait for all of the cores that were measured together: below 1, the cores are stopped at the same time, and lose less than by chance.",
      [">cores", ">ms of work", ">times as long", ">if cores were independent", ">synchrony"],
      rows.map((r) => [String(r[1]), short(r[0]), short(r[3], 5), short(r[2], 5), r[2] > 1 ? short((r[3] - 1) / (r[2] - 1)) : ""]))] : [];
  }
  function quotas(d) {
    const held = d.records.filter((r) => r.quota), [quota, period] = held.length ? held[0].quota.split(" ").map(Number) : [];
    return held.length ? [note(plural(held.length, "measurement") + " under a CPU quota of a control group (" + shown(held[0].quota) + "): " + short(quota / 1e3) + " ms of work in each " + short(period / 1e3) +
      " ms, which looks like a period of " + short(period / 1e3) + " ms and is no noise of the machine.")] : [];
  }
  function slowdown(d) {
    const rows = scaleOf(d).filter((r) => r[3] === null), ranks = [...new Set(rows.map((r) => r[1]))].sort((a, b) => a - b);
    const grains = [...new Set(rows.map((r) => r[0]))].sort((a, b) => a - b);
    return figures.chart({
      title: "Slowdown against the number of ranks", slots: ranks.length, legend: true, widest: 560,
      series: grains.map((g, i) => ({ name: short(g) + " ms", style: "line", colour: i, y: ranks.map((p) => (rows.find((r) => r[0] === g && r[1] === p) || [])[2] || null) })),
      label: (i) => plural(ranks[i], "rank"), tick: (i) => ranks[i].toLocaleString("en"), typical: [1], log: false,
      caption: "How much longer a program takes that computes for so long and then waits for all of its ranks, if each has such noise and none at the same time.", unit: "Times as long"
    });
  }
  function detours(d) {
    const parts = [make("h3", "Detours"), detourTable(d), ...quotas(d), ...together(d)];
    if (d.records.some((r) => r.detours.length)) parts.push(scatter(d));
    if (scaleOf(d).some((r) => r[3] === null)) parts.push(slowdown(d));
    const inner = make("div"), choice = make("select");
    d.records.forEach((r, i) => choice.append(make("option", shown(labelOf(r)), { value: String(i) })));
    const draw = () => {
      const r = d.records[Number(choice.value)];
      inner.replaceChildren(make("div", [...(r.survival.length ? [survival(r)] : []), ...r.periods.map((p) => folded(r, p))], { className: "figures" }));
    };
    choice.addEventListener("change", draw);
    draw();
    parts.push(make("div", make("label", ["periods and tail of the core", choice]), { className: "tools" }), inner);
    return parts;
  }

  return async function (measured, kind) {
    const parts = [], id = "noise-" + kind;
    if (!held(id))
      return make("p", ["Which nodes are off and where readings scatter is not in this page: ",
        make("code", "rollcall noise " + shown(report.directory)), " finds it, then make this report again."]);
    const d = await rc.json(id), all = await rc.json("events-" + kind);
    parts.push(...nodesOff(d, all));
    if (d.heat.length) parts.push(heat(d, all), strip(d, all));
    if (d.suites.length) {
      parts.push(make("h3", "Where readings scatter"), counts(d));
      for (const s of d.suites) if (s.events.length && hasParts(s)) parts.push(stack(byVerdict(s), all));
    }
    if (measured) parts.push(...detours(measured));
    return parts;
  };
})();
