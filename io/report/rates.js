"use strict";
/* Rates over the size of data: a figure for each kernel, and the plateaus as a table. */
rc.rates = (function () {
  if (!rc.events) return null;
  const { make, shown, name, table, facts, plural } = rc, figures = rc.figures;
  const short = (y, digits) => y === null || y === undefined ? "" : String(Number(y.toPrecision(digits || 3)));
  const note = (content) => make("p", content, { className: "note" });
  const NODES_MOST = 256; /* whose own medians are dots */
  function size(bytes) {
    let u = 0;
    for (; u < 4 && bytes >= 1024; u++) bytes /= 1024;
    return short(bytes, 4) + ["", "K", "M", "G", "T"][u];
  }
  const words = (c) => [c.workers ? plural(c.workers, "worker") : "", c.variant].filter(Boolean).join(", ") || c.kernel;
  const unique = (list) => [...new Set(list)];

  function figure(r, kernel, curves) {
    const workers = unique(r.curves.map((c) => c.workers)), variants = unique(r.curves.map((c) => c.variant)), caches = new Map();
    for (const c of curves) for (const l of c.levels)
      if (l.cache) caches.set(l.cache, (caches.get(l.cache) || new Set()).add(l.level + (caches.has(l.cache) ? "" : " " + size(l.cache))));
    return figures.sizes({
      title: kernel + ", " + r.name + " in " + r.unit, unit: r.unit, size, lines: [...caches].map(([at, texts]) => ({ at, text: [...texts][0] })),
      series: curves.map((c) => ({ name: words(c), colour: workers.indexOf(c.workers), dashed: variants.indexOf(c.variant) > 0, x: c.bytes, y: c.best, low: c.low, high: c.high,
        marks: c.levels.filter((l) => l.plateau >= 0).map((l) => l.plateau),
        dots: r.nodes.length > 1 ? r.nodes.slice(0, NODES_MOST).map((_, n) => c.bests.slice(n * c.bytes.length, (n + 1) * c.bytes.length)) : [] })),
      caption: make("strong", shown(kernel)),
      numbers: () => table("In " + shown(r.unit) + (r.nodes.length > 1 ? ", over " + plural(r.nodes.length, "node") + ": the medians of their best and median repetitions, the least and the largest of the medians" : ": the best repetition, their median, and its 95 % interval"),
        [">size", "", ">best", ">median", ">low", ">high"], curves.flatMap((c) => c.bytes.map((b, i) =>
          [make("span", size(b)), shown(words(c)), short(c.best[i], 4), short(c.median[i], 4), short(c.low[i], 4), short(c.high[i], 4)])))
    });
  }
  /* Of each curve the rate on the plateau of each level, and where that is. */
  function plateaus(r) {
    const levels = unique(r.curves.flatMap((c) => c.levels.map((l) => l.level)));
    if (!levels.length) return [];
    return [table("The best repetition on the plateau of each level in " + shown(r.unit) + ": the largest size whose rate is within 5 % of the next smaller one's.", ["kernel", ">workers", "variant", ...levels.map((l) => ">" + l)],
      r.curves.map((c) => [shown(c.kernel), String(c.workers || ""), shown(c.variant), ...levels.map((text) => {
        const l = c.levels.find((x) => x.level === text);
        if (!l) return "";
        const cell = make("span", l.plateau < 0 ? "no plateau" : short(c.best[l.plateau]) + " at " + size(c.bytes[l.plateau]));
        if (l.plateau >= 0) cell.dataset.sort = String(c.best[l.plateau]);
        return cell;
      })]))];
  }
  function draw(r) {
    const kernels = unique(r.curves.map((c) => c.kernel)), parts = [], variants = unique(r.curves.map((c) => c.variant));
    if (r.simulated) parts.push(make("p", [make("strong", "Simulated:"), " no hardware was measured."], { className: "note" }));
    parts.push(...plateaus(r), note("The best repetition over the bytes that a worker works on. A colour is a number of workers" + (variants.length > 1 ? ", dashed: " + shown(variants.slice(1).join(", ")) : "") +
      "; an upright line is the size of a cache, a ring a plateau" + (r.nodes.length > 1 ? ", a dot the best of a node" : "") + "; the band is " +
      (r.nodes.length > 1 ? "that of the nodes' medians." : "the 95 % interval of the median of " + plural(r.repetitions, "repetition") + ".")),
    make("div", kernels.map((k) => figure(r, k, r.curves.filter((c) => c.kernel === k))), { className: "figures" }),
    facts([["formula", name(r.formula)], ["nodes", r.nodes.length > 8 ? plural(r.nodes.length, "node") : r.nodes.map(shown).join(", ")]]));
    return parts;
  }
  function inWords(c, unit) {
    const has = c.levels.filter((l) => l.plateau >= 0), lacks = c.levels.filter((l) => l.plateau < 0);
    return (has.map((l, n) => short(c.best[l.plateau]) + (n ? "" : " " + unit) + " in " + l.level).join(", ") || short(Math.max(...c.best)) + " " + unit) +
      (lacks.length ? " (no plateau in " + lacks.map((l) => l.level).join(", ") + ")" : "");
  }
  /* The first curve of each suite's first rate in words, and the one with the most workers. */
  rc.ratesInWords = (list) => list.filter((r, i) => r.curves.length && list.findIndex((x) => x.suite === r.suite) === i).map((r) => {
    const first = r.curves[0], most = r.curves.filter((c) => c.kernel === first.kernel && c.variant === first.variant).reduce((a, b) => b.workers > a.workers ? b : a);
    return shown(r.suite + ", " + first.kernel + ": " + unique([first, most]).map((c) => inWords(c, r.unit) + " with " + words(c)).join("; ") + ".");
  });
  return function (data, kind) {
    const list = data[kind].filter((r) => r.curves.length), inner = make("div"), choice = make("select");
    if (!list.length) return make("p", "There are no rates of this kind.");
    list.forEach((r, i) => choice.append(make("option", shown(r.suite + ": " + r.name + " in " + r.unit + (r.convention ? ", convention " + r.convention : "")), { value: String(i) })));
    const show = () => inner.replaceChildren(...draw(list[Number(choice.value)]));
    choice.addEventListener("change", show);
    show();
    return [make("div", make("label", ["rate", choice]), { className: "tools" }), inner];
  };
})();
