"use strict";
/* The page of a profile: the answer first, then all on one axis of time, tables, trees. */
(function () {
  const NAMED = 6 /* regions with a colour of their own */, DRAWN = 6 /* series at first */, LISTED = 2000 /* rows of a table */, WHOLE = 40 /* letters of a cell that stay in one line */;
  const OTHER = 7, MPI = 1, COLOURS = [0, 2, 3, 4, 5, 6], OUTSIDE = "(outside of regions)";
  const { make, shown, name, table, facts, fold, plural } = rc, figures = rc.figures, at = (id) => document.getElementById(id);
  if (!at("profile-data")) return;
  const short = (y, digits) => y === null || y === undefined ? "" : String(Number(y.toPrecision(digits || 6)));
  const percent = (part, whole) => whole > 0 ? short(100 * part / whole, 3) + " %" : "an unknown part";
  const note = (content) => make("p", content, { className: "note" });
  const seconds = (s) => s === 0 || s >= 1 ? short(s, 4) + " s" : s >= 1e-3 ? short(s * 1e3, 4) + " ms" : short(s * 1e6, 4) + " us";

  /* Rows of objects of one shape, with the words of the tables on a terminal as heads;
   * columns that say nothing are left out. */
  function rows(caption, list, without) {
    const keys = Object.keys(list[0]).filter((k) => !(without || []).includes(k) && list.some((r) => r[k] !== null && r[k] !== "" && r[k] !== false));
    const numbers = keys.map((k) => list.some((r) => typeof r[k] === "number"));
    return table(caption + (list.length > LISTED ? " The first " + LISTED + " of " + list.length.toLocaleString("en") + " rows." : ""),
      keys.map((k, i) => (numbers[i] ? ">" : "") + k.replace(/_/g, " ")),
      list.slice(0, LISTED).map((r) => keys.map((k, i) => r[k] === null ? "" : numbers[i] ? Number.isInteger(r[k]) ? String(r[k]) : short(r[k], k.endsWith("%") ? 4 : 7) : i === 0 && typeof r[k] === "string" ? name(r[k]) : make("span", shown(String(r[k])), { className: String(r[k]).length <= WHOLE ? "term" : "" }))));
  }

  /* ---- the first lines ---- */

  /* "solve, main (3), ..." */
  function among(texts) {
    const each = [...new Set(texts)].map((t) => [t, texts.filter((u) => u === t).length]);
    return each.slice(0, 6).map(([t, n]) => n > 1 ? t + " (" + n + ")" : t).join(", ") + (each.length > 6 ? ", ..." : "");
  }
  function summary(p, answer) {
    const items = [make("strong", shown(answer.trim()))], r = p.regions.slice(0, 3), c = p.calls[0];
    if (r.length && !(r.length === 1 && r[0].region === OUTSIDE))
      items.push("Most of it: " + r.map((x) => shown(x.region) + " " + short(x["share_%"], 3) + " % (" + seconds(x.mean_s) + " of a rank" +
        (x["max/mean"] > 1.05 ? ", " + short(x["max/mean"], 3) + " times that on " + shown(x.most_on) : "") + ")").join("; ") + ".");
    const waits = p.calls.filter((x) => x.waiting_s > 0).sort((a, b) => b.waiting_s - a.waiting_s);
    if (c)
      items.push("MPI: most in " + shown(c.call) + ", " + short(c["share_%"], 3) + " % of all time in " + plural(c.calls, "call") + ", the longest " + seconds(c.longest_s) + "." +
        (waits.length ? " A rank waited " + seconds(waits.reduce((sum, x) => sum + x.waiting_s, 0)) + " for others, as far as is known, most in " + shown(waits[0].call) + (waits[0].waits_for ? " (" + shown(waits[0].waits_for) + ")" : "") + "." : ""));
    if (p.stacks && p.stacks.too_few) items.push("Sampled: " + shown(p.stacks.too_few));
    else if (p.stacks && p.stacks.samples)
      items.push("Sampled: most in " + p.functions.slice(0, 3).map((f) => shown(f.function) + " (" + short(f["self_%"], 3) + " %)").join(", ") + ".");
    items.push(p.phases.length ? plural(p.phases.length, "phase") + ", found in the series of the nodes: " + shown(among(p.phases.map((f) => f.mostly || "nothing known"))) + "."
      : "No phases: no series of the nodes jumps to another level.");
    items.push((p.cost.longer_s ? "By its own account the profile made the program take " + seconds(p.cost.longer_s) + " longer. " : "") +
      "The samplers took " + seconds(p.cost.sampler_s) + " of processor time" + (p.cost.program_s > 0 ? ", " + percent(p.cost.sampler_s, p.cost.program_s) + " of the program's" : "") + ". " +
      (p.lost.length ? plural(p.lost.length, "remark") + " on what is lost or was not read: see below." : "Nothing is lost that is known."));
    at("summary").replaceChildren(...items.map((x) => make("li", x)));
  }

  /* ---- one axis of time ---- */

  /* Which colour a name has, everywhere on the page: regions first, then MPI functions. */
  function colouring(p) {
    const calls = p.calls.map((c) => c.call), regions = p.regions.map((r) => r.region).filter((r) => r !== OUTSIDE).slice(0, NAMED);
    const own = [...regions, ...calls.slice(0, NAMED - regions.length)], left = calls.length - (own.length - regions.length);
    const groups = [...own.map((r, i) => ({ name: r, colour: COLOURS[i] })), { name: left < calls.length ? "other MPI calls" : "MPI calls", colour: MPI }, { name: "other regions", colour: OTHER }, { name: "outside of regions", colour: "line" }];
    const of = (text) => own.includes(text) ? own.indexOf(text) : calls.includes(text) ? own.length : text === OUTSIDE || text === "" ? own.length + 2 : own.length + 1;
    return { groups, of };
  }
  function threads(axis, colours) {
    const seen = new Map();
    return axis.rows.map((row) => {
      const boxes = [], number = seen.get(row.rank) || 0;
      let end = 0;
      seen.set(row.rank, number + 1);
      for (let i = 0; i + 2 < row.boxes.length; i += 3) {
        const from = end + row.boxes[i];
        end = from + row.boxes[i + 1];
        boxes.push({ from: from / 1e9, to: end / 1e9, group: colours.of(axis.names[row.boxes[i + 2]]), text: axis.names[row.boxes[i + 2]] });
      }
      const label = row.rank + (number ? " #" + number : ""), threadOf = row.rank + ", thread " + row.tid + " on " + row.node;
      return { label, boxes, say: (b) => [threadOf, b.text, "from " + short(b.from, 7) + " s, for " + seconds(b.to - b.from)] };
    });
  }
  function strips(p, axis, colours, chosen, lanes) {
    const list = [];
    if (p.phases.length)
      list.push({ name: "phases, by what threads were in most", row: 22, texts: true, none: "", rows: [{ label: "", name: (b) => b.text,
        boxes: p.phases.map((f) => ({ from: f.from_s, to: f.to_s, group: colours.of(f.mostly), text: f.mostly || "?", phase: f })),
        say: (b) => [(b.phase.mostly || "no thread is known") + (b.phase["share_%"] === null ? "" : ", " + short(b.phase["share_%"], 3) + " % of threads' time"), "from " + short(b.from) + " to " + short(b.to) + " s",
          b.phase.event + " in " + b.phase.unit + ": " + short(b.phase.mean, 4) + ", of all time " + short(b.phase.mean_of_all, 4)] }] });
    list.push({ name: axis.rows.length < axis.threads ? axis.rows.length + " of " + plural(axis.threads, "thread") + ", by rank" : plural(axis.threads, "thread") + ", by rank",
      row: axis.rows.length > 80 ? 4 : axis.rows.length > 24 ? 8 : 16, rows: lanes, none: "outside of regions" });
    axis.series.forEach((s, i) => {
      if (chosen.has(i))
        list.push({ name: s.event + (s.simulated ? " (simulated)" : "") + ", " + s.unit + " of the " + s.scope + (s.nodes > 1 ? ", mean of " + s.nodes : ""), bin: axis.bin_ns / 1e9, mean: s.mean, least: s.least, most: s.most,
          of: s.state ? "" : s.unit === "1/s" ? "/s" : s.unit, colour: OTHER - 1, state: s.state });
    });
    return list.filter((s) => !s.rows || s.rows.length);
  }
  function time(p, axis, colours) {
    axis.series = axis.series.map((s) => ({ ...p.series[s.row], ...s })).map((s) => ({ ...s, state: s.unit === "state", simulated: String(s.simulated) === "true" }));
    const still = (s) => { const seen = s.mean.filter((y) => y !== null); return seen.every((y) => y === seen[0]) && !s.most; };
    const telling = new Set(p.phases.map((f) => f.event)), order = axis.series.map((_, i) => i).sort((a, b) => telling.has(axis.series[b].event) - telling.has(axis.series[a].event) || a - b);
    const chosen = new Set(order.filter((i) => !still(axis.series[i])).slice(0, DRAWN)), kept = {}, inner = make("div"), lanes = threads(axis, colours);
    const draw = () => inner.replaceChildren(figures.strips({
      title: "Phases, threads and series over time", length: axis.length_ns / 1e9, since: "since the launch began", kept, groups: colours.groups, strips: strips(p, axis, colours, chosen, lanes),
      caption: "Draw over a part to see it closer, or press + and - ; all strips share the axis. A box is what a thread was in, innermost; the bands of series go from the least to the most of nodes and readings in " + seconds(axis.bin_ns / 1e9) + ", and the axes of states need not begin at 0." +
        (axis.instances_drawn < axis.instances ? " The longest " + axis.instances_drawn.toLocaleString("en") + " of " + plural(axis.instances, "instance") + " are drawn; what is shorter is in the one around it." : "") +
        (axis.rows.length < axis.threads ? " Threads are drawn that have the most or the least of something, and others at equal distances." : "") +
        (axis.unmatched ? " " + plural(axis.unmatched, "begin or end") + " without the other is left out." : "") + " Clocks: " + shown(p.clocks) + ".",
      numbers: () => p.phases.length ? rows("Phases; seconds since the launch began. The event is the one whose mean is furthest from that of all the time.", p.phases) : note("No phases.")
    }));
    const list = fold("Series that are drawn: " + chosen.size + " of " + axis.series.length, () => make("div", order.map((i) => {
      const box = make("input", undefined, { type: "checkbox", checked: chosen.has(i) });
      box.addEventListener("change", () => { if (box.checked) chosen.add(i); else chosen.delete(i); draw(); });
      return make("label", [box, " ", name(axis.series[i].event), still(axis.series[i]) ? " (stays the same)" : ""], { className: "check" });
    })));
    draw();
    return [inner, ...(axis.series.length ? [list] : [note("No event of the nodes was read.")])];
  }

  /* ---- trees ---- */

  /* Frames as the figure wants them, with what each took itself; in seconds. */
  function own(tree) {
    const frames = tree.frames.map(([text, parent, total, count, flags, file]) => ({ name: text, parent, total: total / 1e9, own: total / 1e9, count, call: (flags & 1) === 1, truncated: flags > 1, file }));
    for (const f of frames) if (f.parent >= 0) frames[f.parent].own -= f.total;
    for (const f of frames) f.own = Math.max(0, f.own);
    return frames;
  }
  function tree(data, title, caption, colour, count) {
    const frames = own(data), path = (f) => { const list = []; for (; f.parent >= 0; f = frames[f.parent]) list.unshift(f.name); return list.join(" > "); };
    frames[0].name = "all";
    for (const f of frames) f.colour = f === frames[0] ? "line" : colour(f);
    return figures.flame({
      title, frames, size: seconds, caption: caption + " Press a box to see it alone, and 'all' to come back." + (data.frames_all > frames.length ? " The " + frames.length.toLocaleString("en") + " that took longest, of " + data.frames_all.toLocaleString("en") + "." : ""),
      say: (f) => [plural(f.count, count(f)), ...(f.file && f.file !== f.name ? [f.file] : []), ...(f.truncated ? ["what called it is not known"] : [])],
      numbers: () => table("The " + Math.min(LISTED, frames.length - 1) + " that took most themselves", ["path", ">itself s", ">total s", ">count"],
        [...frames.slice(1)].sort((a, b) => b.own - a.own).slice(0, LISTED).map((f) => [name(path(f)), short(f.own), short(f.total), short(f.count, 12)]))
    });
  }

  /* ---- all of it ---- */

  const known = ["regions", "counts", "passes", "metrics", "rates", "calls", "functions", "libraries", "series", "phases", "lost", "nodes", "cost", "command"];
  /* The panels of the table in campaign/profile/show/page.c: by id, what fills each, of its data. */
  async function start() {
    const p = await rc.json("profile-data"), colours = colouring(p), colourOf = (f) => colours.groups[colours.of(f.name)].colour, files = [];
    const panels = {
      time: (axis) => time(p, axis, colours),
      regions: () => [rows("Seconds of a rank's threads in the region and not in regions inside of it; shares are of all threads' time.", p.regions, p.regions.some((r) => r.not_counted) ? [] : ["measured", "not_counted"]),
        ...(p.counts.length ? [rows("What threads counted there.", p.counts)] : []),
        ...p.passes.filter((x) => x.counts && x.counts.length).map((x) => rows("What threads counted in pass " + x.pass + ", which was launch " + x.launch + ".", x.counts)),
        ...(p.passes.some((x) => x.launch < 0) ? [note("Of " + plural(p.passes.length, "pass").replace(/passs$/, "passes") + " " + p.passes.filter((x) => x.launch < 0).length + " are missing.")] : []),
        ...(p.metrics && p.metrics.length ? [rows("Metrics of a campaign there; intervals are those of its coefficients.", p.metrics)] : [])],
      mpi: () => p.calls.length ? rows("Seconds of a rank's threads; bytes of all.", p.calls) : note("The program called no MPI function that is known."),
      paths: (calls) => calls ? tree(calls, "Call paths by time", "All threads together: each box is as wide as the time in its region or MPI call, inside of the box around it.", colourOf, (f) => f.call ? "call" : "visit") : note("The program names no regions and calls no MPI function."),
      functions: (stacks) => !stacks ? note("No stacks were sampled.") : p.stacks && p.stacks.too_few ? note(shown(p.stacks.too_few)) : [tree(stacks, "Sampled functions by processor time", "Functions by processor time, as they were called; a colour is a program or library.",
        (f) => { if (!files.includes(f.file)) files.push(f.file); return COLOURS[files.indexOf(f.file) % COLOURS.length]; }, () => "sample"),
        ...(p.stacks && !p.stacks.kernel ? [note("Time in the kernel is not among the samples.")] : []),
        ...(p.stacks && p.stacks.truncated_why ? [note(shown(p.stacks.truncated_why))] : []),
        ...(p.libraries && p.libraries.length ? [rows("By library: shares are of the sampled processor time.", p.libraries)] : []),
        ...(p.functions && p.functions.length ? [rows("All samples of a function together: shares are of the sampled processor time.", p.functions)] : [])],
      cost: () => [facts([["samplers", seconds(p.cost.sampler_s) + " of processor time" + (p.cost.program_s > 0 ? ", " + percent(p.cost.sampler_s, p.cost.program_s) + " of the program's " + seconds(p.cost.program_s) : "")],
        ["the program's threads", "noted " + plural(p.cost.visits, "visit") + " of regions, " + plural(p.cost.calls, "MPI call") + " and " + p.cost.entries.toLocaleString("en") + " entries for the axis of time, at a cost that is part of their own time"],
        ...(p.cost.longer_s ? [["the program", "took about " + seconds(p.cost.longer_s) + " longer: " + seconds(p.cost.start_s) + " to start, " + seconds(p.cost.crowded_s) + " in which a sampler had one of its processors, " + seconds(p.cost.samples_s) + " in all threads together for samples of stacks, and what they noted"]] : [])]),
        ...(p.rates.length ? [rows("What the budget of " + p.budget_ppm / 1e4 + " % changed: each so many-th was recorded at least, 0: none; seconds since the launch began.", p.rates)] : []),
        p.lost.length ? make("ul", p.lost.map((line) => make("li", shown(line)))) : note("Nothing is lost that is known.")],
      provenance: () => [facts([["profile", name(p.profile)], ["command", name(p.command.join(" "))], ["directory", name(p.directory)], ["begun", new Date(p.unix_ns / 1e6).toISOString()], ["launch", p.launch + " of " + plural(p.launches, "launch").replace(/launchs$/, "launches")],
        ["made by", p.created_by], ["parameters", name(Object.entries(p.parameters || {}).map(([n, value]) => n + " = " + value + (p.formulas[n] ? " (" + p.formulas[n] + ")" : "")).join(", "))], ["clocks of nodes", p.clocks], ["series were read every", seconds(p.period_ns / 1e9)], ["MPI calls on the axis", p.trace ? "all" : "of " + seconds(p.long_ns / 1e9) + " and more"]]),
        rows("The samplers of nodes", p.nodes), fold("All series, in numbers", () => p.series.length ? rows("Rates of counts, and states.", p.series) : note("None.")),
        ...Object.keys(p).filter((k) => !known.includes(k) && Array.isArray(p[k]) && p[k].length && typeof p[k][0] === "object").map((k) => fold(k.replace(/_/g, " "), () => rows("", p[k])))]
    };
    summary(p, await rc.data("answer-data"));
    at("profile-all").hidden = false;
    await Promise.all(Object.keys(panels).map((id) => rc.panel(id, panels[id])));
  }
  start().then(rc.cube).catch((e) => at("summary").replaceChildren(make("li", "The page cannot be shown: " + e.message)));
})();
