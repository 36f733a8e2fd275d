"use strict";
/* Figures: SVG drawn of numbers, as wide as there is room, with the values under the
 * pointer or the keyboard's cursor, zoom, a legend that can be switched, and the numbers
 * behind the figure as a table. */
rc.figures = (function () {
  const { make, shown, button } = rc;
  const NS = "http://www.w3.org/2000/svg", COLOURS = 10;
  const LEFT = 58, RIGHT = 10, TEXT = 7.2 /* pixels of a letter */, ROWS_MOST = 2000;

  function draw(tag, attributes, text) {
    const e = document.createElementNS(NS, tag);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    return e;
  }
  const colour = (c) => typeof c === "number" ? "var(--c" + (c % COLOURS + 1) + ")" : "var(--" + c + ")";
  const cut = (text, most) => [...text].length <= most ? text
    : [...text].slice(0, Math.ceil(most / 2) - 1).join("") + "\u2026" + [...text].slice(-Math.floor(most / 2)).join("");
  const number = (y) => y === null || y === undefined || Number.isNaN(y) ? "not known" : String(Number(y.toPrecision(6)));
  const known = (y) => typeof y === "number" && Number.isFinite(y) && Math.abs(y) < 1e290 && (y === 0 || Math.abs(y) > 1e-290);

  /* 1, 2 or 5 and noughts: so many steps at most from low to high. */
  function steps(low, high, most) {
    const unit = 10 ** Math.floor(Math.log10((high - low) / most));
    const step = [1, 2, 5, 10].map((n) => n * unit).find((s) => s >= (high - low) / most * 0.9999) || 10 * unit;
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && found.length < 40; i++)
      found.push({ at: i === 0 ? 0 : i * step, text: String(Number((i * step).toPrecision(6))) });
    return found;
  }

  /* The y axis: linear from 0, or logarithmic, with a foot for what is 0 or too small,
   * where half of the typical numbers would be at the foot of a linear one. */
  function scale(arrays, typical, log, count = 5) {
    let least = Infinity, most = -Infinity, tiny = Infinity;
    for (const array of arrays)
      for (let i = 0; i < array.length; i++) {
        const y = array[i];
        if (!known(y)) continue;
        if (y < least) least = y;
        if (y > most) most = y;
        if (y > 0 && y < tiny) tiny = y;
      }
    if (least > most) least = most = 0;
    if (log === undefined) {
      const above = typical.filter((y) => known(y) && y > 0).sort((a, b) => a - b);
      log = above.length > 0 && above[above.length >> 1] * 300 < most && least >= -most * 1e-3;
    }
    if (!log || most <= 0) {
      const bottom = Math.min(least, 0), top = Math.max(most, 0), span = top > bottom ? top - bottom : 1;
      const low = bottom < 0 ? bottom - span * 0.05 : 0, high = bottom + span * 1.05;
      return { log: false, low, high, ticks: steps(low, high, count), part: (y) => known(y) ? (y - low) / (high - low) : NaN };
    }
    const first = Math.floor(Math.log10(Math.max(tiny, most * 1e-9)) + 1e-9), last = Math.ceil(Math.log10(most) - 1e-9);
    const step = Math.floor((last - first) / 6) + 1, floor = 10 ** first * (1 - 1e-9), ticks = [];
    const low = least < floor ? floor / 10 ** (0.5 * step) : floor, high = 10 ** (last + 0.3);
    if (least < floor) ticks.push({ at: low, text: least === 0 && tiny >= floor ? "0" : "<1e" + first });
    for (let i = first; i <= last; i += step)
      ticks.push({ at: 10 ** i, text: i > 4 || i < -3 ? "1e" + i : String(Number((10 ** i).toPrecision(1))) });
    const span = Math.log(high / low);
    return { log: true, low, high, ticks, part: (y) => !known(y) ? NaN : y < floor ? 0 : Math.log(y / low) / span };
  }

  /* What all figures have.  spec: title; caption; low, high: of the x axis, 'least' of it
   * that zoom shows; left: room for labels; legend: [{name, colour, mark}]; draw(view): puts into view.svg what
   * is from view.from to view.to, by view.x(), and returns the height; at(x, y, view):
   * {x, lines} of what is there; step: of the cursor; press(x, y, view): what to zoom to
   * where one presses, or null; kept: an object that keeps the zoom for a figure that
   * takes this one's place; numbers(): the table. */
  function frame(spec) {
    const figure = make("figure"), place = make("div", undefined, { className: "chart" });
    const on = spec.legend.map(() => true), left = spec.left || LEFT;
    const kept = spec.kept || {};
    let from = kept.from === undefined ? spec.low : kept.from, to = kept.to === undefined ? spec.high : kept.to, cursor = null, view = null, wide = 0;

    function paint() {
      if (!wide) return;
      const svg = draw("svg", { role: "img", tabindex: 0, "aria-label": spec.title });
      svg.append(draw("title", {}, spec.title));
      const x = (value) => left + (value - from) / (to - from) * (wide - left - RIGHT);
      view = { svg, wide, from, to, x, on, left, right: wide - RIGHT };
      view.height = Math.ceil(spec.draw(view));
      svg.setAttribute("viewBox", "0 0 " + wide + " " + view.height);
      svg.setAttribute("width", wide);
      svg.setAttribute("height", view.height);
      view.line = svg.appendChild(draw("line", { y1: 0, y2: view.height, class: "cursor", visibility: "hidden" }));
      view.chosen = svg.appendChild(draw("rect", { y: 0, height: view.height, class: "chosen", visibility: "hidden" }));
      const focused = place.contains(document.activeElement);
      place.replaceChildren(svg);
      if (focused) svg.focus();
      listen(svg);
      for (const b of tools.querySelectorAll("[data-back]")) b.disabled = from <= spec.low && to >= spec.high;
    }
    function point(event) {
      const box = view.svg.getBoundingClientRect(), share = wide / box.width;
      const px = (event.clientX - box.left) * share;
      return { x: from + (px - left) / (wide - left - RIGHT) * (to - from), y: (event.clientY - box.top) * share };
    }
    function show(x, y) {
      const found = x >= from && x <= to ? spec.at(x, y, view) : null;
      if (!found) { view.line.setAttribute("visibility", "hidden"); rc.hide(); return; }
      cursor = found.x;
      const px = view.x(found.x), box = view.svg.getBoundingClientRect();
      view.line.setAttribute("x1", px);
      view.line.setAttribute("x2", px);
      view.line.setAttribute("visibility", "visible");
      rc.say(found.lines, box.left + px * box.width / wide + 14, box.top + Math.min(y === undefined ? 20 : y, view.height) + 14);
    }
    function zoom(low, high) {
      const span = Math.min(Math.max(high - low, spec.least), spec.high - spec.low);
      from = Math.min(Math.max(spec.low, (low + high - span) / 2), spec.high - span);
      to = from + span;
      Object.assign(kept, { from, to });
      rc.hide();
      paint();
    }
    function closer(factor) {
      const middle = cursor !== null && cursor > from && cursor < to ? cursor : (from + to) / 2;
      zoom(middle - (to - from) * factor / 2, middle + (to - from) * factor / 2);
    }
    function listen(svg) {
      let begin = null;
      svg.addEventListener("pointermove", (event) => {
        const p = point(event);
        if (begin !== null) {
          const a = Math.max(view.x(Math.min(begin, p.x)), left), b = Math.min(view.x(Math.max(begin, p.x)), wide - RIGHT);
          view.chosen.setAttribute("visibility", "visible");
          view.chosen.setAttribute("x", a);
          view.chosen.setAttribute("width", Math.max(0, b - a));
        }
        show(p.x, p.y);
      });
      svg.addEventListener("pointerleave", () => { begin = null; view.chosen.setAttribute("visibility", "hidden"); rc.hide(); view.line.setAttribute("visibility", "hidden"); });
      svg.addEventListener("pointerdown", (event) => { if (event.pointerType === "mouse" && spec.zooms) begin = point(event).x; });
      svg.addEventListener("pointerup", (event) => {
        const { x: end, y } = point(event), pressed = begin !== null && spec.press && spec.press(end, y, view);
        if (begin !== null && Math.abs(view.x(end) - view.x(begin)) > 8) zoom(Math.min(begin, end), Math.max(begin, end));
        else if (pressed) zoom(pressed[0], pressed[1]);
        begin = null;
        view.chosen.setAttribute("visibility", "hidden");
      });
      svg.addEventListener("dblclick", () => zoom(spec.low, spec.high));
      svg.addEventListener("blur", () => rc.hide());
      svg.addEventListener("keydown", (event) => {
        const step = spec.step || (to - from) / 50;
        if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
          let x = cursor === null ? (from + to) / 2 : cursor + (event.key === "ArrowRight" ? step : -step);
          x = Math.min(Math.max(x, spec.low), spec.high);
          if (x < from) zoom(x, x + to - from);
          if (x > to) zoom(x - to + from, x);
          show(x);
        } else if (event.key === "+" && spec.zooms) closer(1 / 2);
        else if (event.key === "-" && spec.zooms) closer(2);
        else if (event.key === "Home") zoom(spec.low, spec.high);
        else return;
        event.preventDefault();
      });
    }

    const tools = make("div", undefined, { className: "legend" });
    tools.style.maxWidth = (spec.widest || 820) + "px";
    spec.legend.forEach((entry, i) => {
      const mark = make("span", undefined, { className: "mark " + (entry.mark || "") });
      mark.style.setProperty("--mark", colour(entry.colour));
      const b = button([mark, shown(entry.name)], () => {
        on[i] = !on[i];
        b.setAttribute("aria-pressed", String(on[i]));
        paint();
      });
      b.setAttribute("aria-pressed", "true");
      b.dataset.tip = "show or hide";
      tools.append(b);
    });
    if (spec.zooms) {
      const of = (text, label, press, back) => {
        const b = button(text, press, { className: "zoom" });
        b.setAttribute("aria-label", label);
        b.dataset.tip = label + " (or draw over a part of the figure)";
        if (back) b.dataset.back = "1";
        tools.append(b);
      };
      of("+", "zoom in", () => closer(1 / 2));
      of("\u2212", "zoom out", () => closer(2), true);
      of("all", "show all", () => zoom(spec.low, spec.high), true);
    }
    if (spec.caption) figure.append(make("figcaption", spec.caption));
    figure.append(place);
    if (tools.childNodes.length) figure.append(tools);
    if (spec.numbers) figure.append(rc.fold("Values", spec.numbers));
    new ResizeObserver(() => {
      const width = Math.floor(Math.min(place.clientWidth, spec.widest || 820));
      if (width === wide || width < 40) return;
      wide = width;
      paint();
    }).observe(place);
    return figure;
  }

  function axis(view, s, top, bottom) {
    const y = (value) => bottom - s.part(value) * (bottom - top);
    for (const tick of s.ticks) {
      view.svg.append(draw("line", { x1: view.left, x2: view.right, y1: y(tick.at), y2: y(tick.at), class: "grid" }),
        draw("text", { x: view.left - 7, y: y(tick.at) + 4, "text-anchor": "end" }, tick.text));
    }
    return y;
  }

  /* Numbers on slots side by side.  spec: slots; label(i); tick(i): a short text, or
   * null; panels: [{from, to, text}]; series: [{name, colour, style: "step", "line",
   * "dots" or "band", y, y2, thin, dashed, solid, group}], those of a group are switched
   * together; bars: [{y, y2, colour}]; ordered: slots are sizes; typical: numbers that
   * choose the scale; log; say(i): lines of text beside those of the series. */
  function chart(spec) {
    const n = spec.slots, series = spec.series;
    const groups = [...new Set(series.filter((s) => s.name).map((s) => s.group || s.name))];
    const groupOf = (s) => groups.indexOf(s.group || s.name);
    const s = scale(series.flatMap((t) => t.y2 ? [t.y, t.y2] : [t.y]), spec.typical || series[0].y, spec.log);
    const longest = spec.tick ? Math.min(22, Math.max(1, ...Array.from({ length: Math.min(n, 4000) }, (_, i) => {
      const t = spec.tick(i);
      return t === null ? 0 : [...t].length;
    }))) : 0;

    function path(t, view, y) {
      const first = Math.max(0, Math.floor(view.from)), last = Math.min(n - 1, Math.ceil(view.to));
      const half = (view.x(1) - view.x(0)) / 2;
      let d = "", open = false, cell = "";
      for (let i = first; i <= last; i++) {
        const v = known(t.y[i]) ? y(t.y[i]) : NaN;
        if (Number.isNaN(v)) { open = false; continue; }
        const x = view.x(i);
        if (x < view.left - half - 1 || x > view.right + half + 1) continue;
        const Y = v.toFixed(1);
        if (t.style === "dots") {
          const here = Math.round(x / 2) + " " + Math.round(v / 2);
          if (here !== cell) d += "M" + x.toFixed(1) + " " + Y + "h.01";
          cell = here;
        } else if (t.style === "step")
          d += (open ? "V" + Y : "M" + (x - half).toFixed(1) + " " + Y) + "H" + (x + half).toFixed(1);
        else d += (open ? "L" : "M") + x.toFixed(1) + " " + Y + (open || known(t.y[i + 1]) ? "" : "h.01");
        open = true;
      }
      return d;
    }
    function band(t, view, y) {
      const first = Math.max(0, Math.floor(view.from)), last = Math.min(n - 1, Math.ceil(view.to));
      const half = (view.x(1) - view.x(0)) / 2;
      let d = "";
      for (let i = first; i <= last; i++) {
        if (!known(t.y[i]) || !known(t.y2[i])) continue;
        const low = y(t.y[i]), high = y(t.y2[i]), x = Math.max(view.x(i) - half, view.left);
        d += "M" + x.toFixed(1) + " " + low.toFixed(1) + "H" + Math.min(view.x(i) + half, view.right).toFixed(1) +
          "V" + high.toFixed(1) + "H" + x.toFixed(1) + "z";
      }
      return d;
    }
    function ticks(view, bottom) {
      const room = Math.max(1, (view.right - view.left) / 15), count = view.to - view.from;
      const step = Math.max(1, Math.ceil(count / room));
      let since = 0;
      for (let i = Math.max(0, Math.ceil(view.from)); i <= Math.min(n - 1, view.to); i++) {
        const text = spec.tick(i);
        if (text === null) { since = 0; continue; }
        if (since++ % step) continue;
        const x = view.x(i);
        view.svg.append(draw("line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, class: "axis" }),
          draw("text", { transform: "translate(" + (x + 4) + " " + (bottom + 8) + ") rotate(-90)", "text-anchor": "end" }, cut(text, 22)));
      }
    }
    function paint(view) {
      const top = spec.panels && spec.panels.length ? 24 : 8, bottom = top + (spec.tall || 190);
      const clip = "clip" + Math.random().toString(36).slice(2), low = bottom + 8 + (longest ? longest * TEXT + 4 : 12);
      view.svg.append(draw("clipPath", { id: clip }));
      view.svg.lastChild.append(draw("rect", { x: view.left, y: top - 4, width: view.right - view.left, height: bottom - top + 8 }));
      const y = axis(view, s, top, bottom), inner = draw("g", { "clip-path": "url(#" + clip + ")" });
      for (const bar of spec.bars || []) {
        const a = Math.min(bottom, Math.max(top, y(Math.min(Math.max(bar.y, s.low), s.high))));
        const b = Math.min(bottom, Math.max(top, y(Math.min(Math.max(bar.y2, s.low), s.high))));
        inner.append(bar.y === bar.y2 ? draw("line", { x1: view.left, x2: view.right, y1: a, y2: a, stroke: colour(bar.colour), "stroke-dasharray": "6 4" })
          : draw("rect", { x: view.left, width: view.right - view.left, y: b, height: Math.max(0, a - b), fill: colour(bar.colour), "fill-opacity": 0.15 }));
      }
      for (const t of series) {
        if (t.name && !view.on[groupOf(t)]) continue;
        if (t.style === "band") inner.append(draw("path", { d: band(t, view, y), fill: colour(t.colour), "fill-opacity": t.solid ? 0.85 : 0.18 }));
        else inner.append(draw("path", { d: path(t, view, y), stroke: colour(t.colour), "stroke-linejoin": "round",
          "stroke-linecap": t.style === "dots" || !t.dashed ? "round" : "butt",
          "stroke-width": t.style === "dots" ? (view.to - view.from > 80 ? 4 : 6) : t.thin ? 1 : 2,
          "stroke-dasharray": t.dashed ? "6 4" : "none" }));
      }
      view.svg.append(inner, draw("line", { x1: view.left, x2: view.right, y1: bottom, y2: bottom, class: "axis" }));
      for (const p of spec.panels || []) {
        const a = Math.max(view.x(p.from - 0.5), view.left), b = Math.min(view.x(p.to + 0.5), view.right);
        if (b - a < 8) continue;
        if (p.text.length * TEXT < b - a)
          view.svg.append(draw("text", { x: (a + b) / 2, y: 14, "text-anchor": "middle" }, shown(p.text)));
        if (p.from > 0 && p.from - 0.5 > view.from) view.svg.append(draw("line", { x1: a, x2: a, y1: 4, y2: bottom, class: "grid" }));
      }
      if (spec.tick) ticks(view, bottom);
      if (spec.axis) view.svg.append(draw("text", { x: view.right, y: low + 10, "text-anchor": "end", class: "soft" }, cut(spec.axis, 60)));
      return low + (spec.axis ? 16 : 0);
    }
    function at(x) {
      const i = Math.min(n - 1, Math.max(0, Math.round(x))), label = spec.label(i);
      if (label === null) return null;
      const lines = [label];
      for (const t of series)
        if (t.name && !t.group && t.style !== "band" && known(t.y[i])) lines.push(t.name + ": " + number(t.y[i]));
      if (spec.say) lines.push(...spec.say(i));
      return { x: i, lines: lines.map((line) => shown(cut(line, 90))) };
    }
    function numbers() {
      const columns = spec.columns || series.filter((t) => t.name && !t.group && t.style !== "band"), rows = [];
      for (let i = 0; i < n && rows.length < ROWS_MOST; i++)
        if (spec.label(i) !== null)
          rows.push([rc.name(spec.label(i)), ...columns.map((t) => known(t.y[i]) ? String(Number(t.y[i].toPrecision(9))) : "")]);
      return rc.table((spec.unit || "Per iteration of the kernel") + "; nothing: not known", ["point", ...columns.map((t) => ">" + t.name)], rows);
    }
    const marks = { step: "", line: "", dots: "dot", band: "box" };
    return frame({
      title: spec.title, caption: spec.caption, low: -0.75, high: n - 0.25, least: Math.min(n, 6), step: 1, zooms: n > 24, widest: spec.widest,
      legend: groups.length > 1 || spec.legend ? groups.map((g) => {
        const t = series.find((u) => (u.group || u.name) === g);
        return { name: g, colour: t.colour, mark: t.dashed ? "dash" : marks[t.style] };
      }) : [],
      draw: groups.length > 1 || spec.legend ? paint : (view) => { view.on = groups.map(() => true); return paint(view); },
      at, numbers: spec.numbers || numbers
    });
  }

  /* Numbers over sizes, both by their logarithm.  spec: series: [{name, colour, dashed, x: sizes,
   * y, low, high, marks: [i], dots: [[y]]}]; lines: [{at: size, text}]; size(x): a short
   * text; unit; title, caption, numbers. */
  function sizes(spec) {
    const series = spec.series, all = [...new Set(series.flatMap((t) => t.x))].sort((a, b) => a - b), at = all.map((x) => Math.log2(x));
    const y = series.flatMap((t) => [t.y, t.low, t.high, ...t.dots].flat()).filter((v) => known(v) && v > 0), low = Math.min(...y) * 0.85, high = Math.max(...y) * 1.2, ticks = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++)
      for (const m of high / low > 200 ? [1] : [1, 2, 5]) if (m * 10 ** e > low && m * 10 ** e < high) ticks.push({ at: m * 10 ** e, text: String(Number((m * 10 ** e).toPrecision(2))) });
    const s = { ticks, part: (v) => known(v) && v > 0 ? Math.log(v / low) / Math.log(high / low) : NaN };
    function paint(view) {
      const top = 24, bottom = top + 190, Y = axis(view, s, top, bottom), place = (t, i, v) => view.x(Math.log2(t.x[i])).toFixed(1) + " " + Y(v).toFixed(1);
      let free = view.right;
      for (const line of [...spec.lines].sort((a, b) => b.at - a.at)) {
        const x = view.x(Math.log2(line.at)), wide = line.text.length * TEXT;
        if (x < view.left || x > view.right) continue;
        view.svg.append(draw("line", { x1: x, x2: x, y1: top - 6, y2: bottom, class: "axis", "stroke-dasharray": "2 3" }));
        if (Math.min(x, view.right - wide / 2) + wide / 2 > free) continue;
        view.svg.append(draw("text", { x: Math.min(x, view.right - wide / 2), y: 13, "text-anchor": "middle" }, shown(line.text)));
        free = x - wide / 2;
      }
      series.forEach((t, n) => {
        if (!view.on[n]) return;
        const there = t.x.map((_, i) => i).filter((i) => known(t.y[i]) && t.y[i] > 0), banded = there.filter((i) => known(t.low[i]) && t.low[i] > 0 && known(t.high[i]));
        const path = (list, v) => list.map((i, k) => (k ? "L" : "M") + place(t, i, v[i])).join("");
        if (banded.length > 1) view.svg.append(draw("path", { d: path(banded, t.high) + path([...banded].reverse(), t.low).replace("M", "L") + "z", fill: colour(t.colour), "fill-opacity": 0.18 }));
        for (const own of t.dots) view.svg.append(draw("path", { d: t.x.map((_, i) => known(own[i]) && own[i] > 0 ? "M" + place(t, i, own[i]) + "h.01" : "").join(""), stroke: colour(t.colour), "stroke-width": 3, "stroke-linecap": "round", "stroke-opacity": 0.6 }));
        view.svg.append(draw("path", { d: path(there, t.y), stroke: colour(t.colour), "stroke-width": 2, "stroke-linejoin": "round", "stroke-dasharray": t.dashed ? "6 4" : "none" }));
        for (const i of t.marks) view.svg.append(draw("circle", { cx: view.x(Math.log2(t.x[i])), cy: Y(t.y[i]), r: 4, stroke: colour(t.colour), "stroke-width": 2, fill: "none" }));
      });
      const step = Math.max(1, Math.ceil(all.length * 15 / (view.right - view.left)));
      let end = -Infinity;
      all.forEach((x, i) => {
        const X = view.x(at[i]);
        if (X - end < 15 * step) return;
        end = X;
        view.svg.append(draw("line", { x1: X, x2: X, y1: bottom, y2: bottom + 4, class: "axis" }), draw("text", { transform: "translate(" + (X + 4) + " " + (bottom + 8) + ") rotate(-90)", "text-anchor": "end" }, spec.size(x)));
      });
      view.svg.append(draw("line", { x1: view.left, x2: view.right, y1: bottom, y2: bottom, class: "axis" }), draw("text", { x: view.left, y: 13, class: "soft", "text-anchor": "end" }, shown(cut(spec.unit, 8))));
      return bottom + 12 + Math.max(...all.map((x) => spec.size(x).length)) * TEXT;
    }
    return frame({
      title: spec.title, caption: spec.caption, low: at[0] - 0.3, high: at[at.length - 1] + 0.3, least: 2, step: 1, zooms: false, widest: spec.widest || 480, numbers: spec.numbers,
      legend: series.map((t) => ({ name: t.name, colour: t.colour, mark: t.dashed ? "dash" : "" })), draw: paint,
      at: (x) => {
        const i = at.reduce((best, v, k) => Math.abs(v - x) < Math.abs(at[best] - x) ? k : best, 0);
        return { x: at[i], lines: [spec.size(all[i]), ...series.filter((t) => t.x.includes(all[i])).map((t) => shown(t.name) + ": " + number(t.y[t.x.indexOf(all[i])]) + " " + shown(spec.unit))] };
      }
    });
  }

  const units = [[0.3, "milliseconds", 1e-3], [300, "seconds", 1], [4 * 3600, "minutes", 60], [10 * 86400, "hours", 3600], [Infinity, "days", 86400]];

  /* The axis of time of what is drawn from top to bottom; gives where it ends. */
  function timeAxis(view, top, bottom, since) {
    const [, word, unit] = units.find(([most]) => (view.to - view.from) < most);
    const ticks = steps(view.from / unit, view.to / unit, Math.max(2, Math.floor((view.right - view.left) / 70)));
    const grid = ticks.map((tick) => draw("line", { x1: view.x(tick.at * unit), x2: view.x(tick.at * unit), y1: top, y2: bottom, class: "grid" }));
    view.svg.firstChild.after(...grid); /* below all else */
    view.svg.append(...ticks.map((tick) => draw("text", { x: view.x(tick.at * unit), y: bottom + 15, "text-anchor": "middle" }, tick.text)),
      draw("line", { x1: view.left, x2: view.right, y1: bottom, y2: bottom, class: "axis" }),
      draw("text", { x: view.right, y: bottom + 30, "text-anchor": "end", class: "soft" }, word + " " + since));
    return bottom + 36;
  }

  const rectangle = ([x, x2], y, high) => "M" + x.toFixed(1) + " " + y + "H" + x2.toFixed(1) + "v" + high + "H" + x.toFixed(1) + "z";
  /* Adds the boxes of a row, [{from, to, group, bad}] in the order of time, to the path
   * of each group: what is closer than a pixel becomes one.  'apart': with a gap behind
   * each that is wide enough. */
  function boxRow(view, boxes, y, high, d, bad, apart) {
    const last = d.map(() => null);
    let marked = -9;
    for (const b of boxes) {
      if (b.to < view.from || b.from > view.to || !view.on[b.group]) continue;
      const x = Math.max(view.x(b.from), view.left), right = Math.min(Math.max(view.x(b.to), x + 1), view.right), x2 = apart && right - x > 4 ? right - 1 : right;
      const before = last[b.group];
      if (before && x - before[1] < 0.7) before[1] = Math.max(before[1], x2);
      else {
        if (before) d[b.group] += rectangle(before, y, high);
        last[b.group] = [x, x2];
      }
      if (b.bad && x - marked > 6) {
        bad.push("M" + ((x + x2) / 2 - 3).toFixed(1) + " " + (y - 1) + "l6 " + (high + 2) + "m0 -" + (high + 2) + "l-6 " + (high + 2));
        marked = x;
      }
    }
    last.forEach((box, g) => { if (box) d[g] += rectangle(box, y, high); });
  }

  /* Boxes on rows over a time.  spec: rows: [{label, boxes}] in seconds; length: of all;
   * groups: [{name, colour}]; say(box, row): lines of text. */
  function boxes(spec) {
    const ROW = spec.rows.length > 30 ? 12 : 17, top = 6, bottom = top + spec.rows.length * ROW;
    const length = Math.max(spec.length, 1e-6);
    function paint(view) {
      const d = spec.groups.map(() => ""), bad = [];
      spec.rows.forEach((r, i) => {
        view.svg.append(draw("text", { x: view.left - 6, y: top + i * ROW + ROW / 2 + 4, "text-anchor": "end" }, shown(cut(r.label, 7))));
        boxRow(view, r.boxes, top + i * ROW + 2, ROW - 4, d, bad);
      });
      d.forEach((path, g) => { if (path) view.svg.append(draw("path", { d: path, fill: colour(spec.groups[g].colour) })); });
      if (bad.length) view.svg.append(draw("path", { d: bad.join(""), stroke: "var(--ink)", "stroke-width": 1.5 }));
      return timeAxis(view, top, bottom, "since the first unit");
    }
    function at(x, y) {
      const r = y === undefined ? 0 : Math.floor((y - top) / ROW);
      if (r < 0 || r >= spec.rows.length) return null;
      const near = spec.rows[r].boxes.find((b) => b.from <= x && b.to >= x);
      return { x, lines: (near ? spec.say(near, spec.rows[r]) : [spec.rows[r].label, "waits"]).map((line) => shown(cut(line, 90))) };
    }
    return frame({ title: spec.title, caption: spec.caption, low: 0, high: length, least: length / 1e4, zooms: true, widest: 1100,
      legend: spec.groups.map((g) => ({ name: g.name, colour: g.colour, mark: "box" })), draw: paint, at });
  }

  /* 24000000 as "24M": the labels of a narrow axis. */
  function brief(y) {
    const [, letter, unit] = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [0, "", 1]].map(([most, l, u]) => [most, l, u || most]).find(([most]) => Math.abs(y) >= most);
    return Number((y / unit).toPrecision(4)) + letter;
  }
  /* Strips one below the other on one axis of time, with one zoom.  spec: length, since;
   * groups: [{name, colour}] of boxes; kept: as of frame(); strips: either {name, rows: [{label,
   * boxes, say(box)}], row: pixels, texts: boxes are named} or {name, bin: seconds, mean,
   * least, most, of: unit, colour, state: the axis need not begin at 0}: least and most
   * are missing where they are the mean. */
  function strips(spec) {
    const TITLE = 17, FLAT = 62, GAP = 8, length = Math.max(spec.length, 1e-6);
    const high = (strip) => strip.rows ? strip.rows.length * strip.row : FLAT;
    const labels = spec.strips.flatMap((s) => s.rows && s.row >= 10 ? s.rows.map((r) => r.label) : []);
    let end = 4;
    const placed = spec.strips.map((strip) => {
      const top = end + TITLE;
      end = top + high(strip) + GAP;
      return { strip, top, bottom: top + high(strip), s: strip.rows ? null : axisOf(strip) };
    });
    function axisOf(strip) {
      const seen = [strip.mean, strip.least || [], strip.most || []], all = strip.state ? seen.flat().filter(known) : [];
      const low = all.reduce((a, b) => Math.min(a, b), Infinity), most = all.reduce((a, b) => Math.max(a, b), -Infinity), span = (most - low) * 1.1;
      if (!(low > 0 && span > 0 && low > most / 2)) return scale(seen, strip.mean, false, 3);
      return { low, high: low + span, ticks: steps(low, low + span, 3), part: (y) => known(y) ? (y - low) / span : NaN };
    }
    function rows(view, { strip, top }) {
      const d = spec.groups.map(() => ""), texts = [];
      strip.rows.forEach((r, i) => {
        const y = top + i * strip.row;
        if (strip.row >= 10) view.svg.append(draw("text", { x: view.left - 6, y: y + strip.row / 2 + 4, "text-anchor": "end" }, shown(cut(r.label, Math.floor((view.left - 8) / TEXT)))));
        boxRow(view, r.boxes, y + (strip.row > 8 ? 1 : 0), strip.row - (strip.row > 8 ? 2 : 0), d, [], true);
        for (const b of strip.texts ? r.boxes : []) {
          const a = Math.max(view.x(b.from), view.left), z = Math.min(view.x(b.to), view.right);
          view.svg.append(draw("line", { x1: Math.max(a, view.left), x2: Math.max(a, view.left), y1: y, y2: y + strip.row, class: "axis" }));
          if (z > view.left && (z - a) / TEXT > 7) texts.push(draw("text", { x: a + 4, y: y + strip.row / 2 + 4 }, shown(cut(r.name(b), Math.floor((z - a - 8) / TEXT)))));
        }
      });
      d.forEach((path, g) => { if (path) view.svg.append(draw("path", { d: path, fill: colour(spec.groups[g].colour), "fill-opacity": strip.texts ? 0.3 : 1 })); });
      view.svg.append(...texts);
    }
    function levels(view, { strip, top, bottom, s }) {
      const y = (value) => bottom - s.part(value) * (bottom - top), first = Math.max(0, Math.floor(view.from / strip.bin)), last = Math.min(strip.mean.length - 1, Math.ceil(view.to / strip.bin));
      const side = (value) => Math.min(view.right, Math.max(view.left, view.x(value))).toFixed(1);
      let line = "", band = "", open = false;
      for (let i = first; i <= last; i++) {
        if (!known(strip.mean[i])) { open = false; continue; }
        const a = side(i * strip.bin), z = side((i + 1) * strip.bin), Y = y(strip.mean[i]).toFixed(1);
        line += (open ? "V" + Y : "M" + a + " " + Y) + "H" + z;
        open = true;
        if (strip.least && known(strip.least[i])) band += "M" + a + " " + y(strip.least[i]).toFixed(1) + "H" + z + "V" + y(strip.most[i]).toFixed(1) + "H" + a + "z";
      }
      for (const tick of s.ticks)
        view.svg.append(draw("line", { x1: view.left, x2: view.right, y1: y(tick.at), y2: y(tick.at), class: "grid" }), draw("text", { x: view.left - 6, y: y(tick.at) + 4, "text-anchor": "end" }, brief(tick.at)));
      view.svg.append(draw("path", { d: band, fill: colour(strip.colour), "fill-opacity": 0.22 }), draw("path", { d: line, stroke: colour(strip.colour), "stroke-width": 1.5, "stroke-linejoin": "round" }));
    }
    function paint(view) {
      for (const p of placed) {
        view.svg.append(draw("text", { x: view.left, y: p.top - 5, class: "soft" }, shown(cut(p.strip.name, Math.floor((view.right - view.left) / TEXT)))));
        (p.strip.rows ? rows : levels)(view, p);
      }
      return timeAxis(view, 4, end, spec.since);
    }
    function at(x, y) {
      const found = y === undefined ? placed[0] : placed.find((p) => y >= p.top && y < p.bottom + GAP), time = "at " + Number(x.toPrecision(6)) + " s";
      if (!found || x < 0) return null;
      const { strip, top } = found;
      let lines;
      if (strip.rows) {
        const r = strip.rows[Math.min(strip.rows.length - 1, y === undefined ? 0 : Math.floor((y - top) / strip.row))], box = r.boxes.find((b) => b.from <= x && b.to >= x);
        lines = [r.label, ...(box ? r.say(box) : [strip.none])];
      } else {
        const i = Math.min(strip.mean.length - 1, Math.floor(x / strip.bin)), of = (name, y) => name + number(y) + " " + strip.of;
        lines = [strip.name, of("", strip.mean[i]), ...(strip.least && known(strip.least[i]) ? [of("from ", strip.least[i]) + of(" to ", strip.most[i])] : [])];
      }
      return { x, lines: [time, ...lines].filter((line) => line !== "").map((line) => shown(cut(line, 90))) };
    }
    return frame({ title: spec.title, caption: spec.caption, low: 0, high: length, least: length / 1e5, zooms: true, widest: 1400, left: roomFor(labels), kept: spec.kept,
      legend: spec.groups.map((g) => ({ name: g.name, colour: g.colour, mark: "box" })), draw: paint, at, numbers: spec.numbers });
  }

  /* A tree as boxes, each as wide as its total, inside of the one that it is part of; a
   * press shows one alone.  spec: frames: [{name, parent, total, own, colour}], parents
   * first, the first is the root; size(y): in words; say(frame): more lines. */
  function flame(spec) {
    const ROW = 18, top = 4, DEEP = 80, frames = spec.frames, rows = [];
    const next = new Array(frames.length).fill(0), depth = new Array(frames.length).fill(0), from = new Array(frames.length).fill(0);
    const order = frames.map((_, i) => i).sort((a, b) => (a === 0 ? -1 : b === 0 ? 1 : frames[b].total - frames[a].total));
    const inside = frames.map(() => []);
    for (const i of order) if (i > 0) inside[frames[i].parent].push(i);
    for (const open = [0]; open.length;) {
      const i = open.pop();
      (rows[depth[i]] = rows[depth[i]] || []).push(i);
      next[i] = from[i];
      for (const c of inside[i]) {
        from[c] = next[i];
        next[i] += frames[c].total;
        depth[c] = depth[i] + 1;
        if (depth[c] < DEEP) open.push(c);
      }
    }
    for (const row of rows) row.sort((a, b) => from[a] - from[b]);
    const all = Math.max(frames[0].total, next[0], 1e-12), bottom = top + rows.length * ROW;
    const find = (x, y) => {
      const row = y === undefined ? 1 : Math.floor((y - top) / ROW);
      return row < 0 || row >= rows.length ? undefined : rows[row].find((i) => from[i] <= x && from[i] + frames[i].total >= x);
    };
    function paint(view) {
      const d = new Map(), texts = [];
      rows.forEach((row, r) => {
        const y = top + r * ROW;
        for (const i of row) {
          const f = frames[i], a = Math.max(view.x(from[i]), view.left), b = Math.min(view.x(from[i] + f.total), view.right);
          if (b - a < 0.4) continue;
          d.set(f.colour, (d.get(f.colour) || "") + rectangle([a + 0.3, Math.max(b - 0.3, a + 0.4)], y + 1, ROW - 2));
          if (b - a > 4 * TEXT) texts.push(draw("text", { x: a + 4, y: y + ROW / 2 + 4 }, shown(cut(f.name, Math.floor((b - a - 6) / TEXT)))));
        }
      });
      for (const [c, path] of d) view.svg.append(draw("path", { d: path, fill: colour(c), "fill-opacity": 0.32 }));
      view.svg.append(...texts);
      return bottom + 4;
    }
    function at(x, y) {
      const i = find(x, y);
      if (i === undefined) return null;
      const f = frames[i];
      return { x, lines: [f.name, spec.size(f.total) + ", " + number(100 * f.total / all) + " % of all", "itself " + spec.size(f.own), ...spec.say(f)].map((line) => shown(cut(line, 90))) };
    }
    return frame({ title: spec.title, caption: spec.caption, low: 0, high: all, least: all / 1e6, zooms: true, widest: 1400, left: 10, legend: [], draw: paint, at, numbers: spec.numbers,
      press: (x, y) => { const i = find(x, y); return i === undefined ? null : [from[i], from[i] + frames[i].total]; } });
  }

  /* Short texts below slots side by side, turned, as many as have room. */
  function turned(view, n, tick, bottom) {
    const step = Math.max(1, Math.ceil((view.to - view.from) / Math.max(1, (view.right - view.left) / 15)));
    for (let i = Math.max(0, Math.ceil(view.from)); i <= Math.min(n - 1, view.to); i += step) {
      const x = view.x(i);
      view.svg.append(draw("line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, class: "axis" }),
        draw("text", { transform: "translate(" + (x + 4) + " " + (bottom + 8) + ") rotate(-90)", "text-anchor": "end" }, shown(cut(tick(i), 22))));
    }
  }
  const rowLabel = (view, text, y) =>
    view.svg.append(draw("text", { x: view.left - 6, y, "text-anchor": "end" }, shown(cut(text, Math.floor((view.left - 8) / TEXT)))));
  const roomFor = (labels) => Math.min(120, Math.max(LEFT, 10 + TEXT * Math.max(0, ...labels.map((l) => [...l].length))));

  /* A map of rows by columns.  spec: rows: labels; columns: how many; tick(c); value(r, c):
   * -1 to 1, 0 is none, null: not known; marked(r, c): with a frame; say(r, c): lines. */
  function heat(spec) {
    const SHADES = 5, rows = spec.rows.length, ROW = rows > 40 ? 11 : 17, top = 6, bottom = top + rows * ROW;
    const longest = Math.min(22, Math.max(1, ...Array.from({ length: spec.columns }, (_, c) => [...spec.tick(c)].length)));
    function paint(view) {
      const d = new Map(), marks = [], half = (view.x(1) - view.x(0)) / 2, low = bottom + 12 + longest * TEXT;
      const add = (key, text) => d.set(key, (d.get(key) || "") + text);
      for (let r = 0; r < rows; r++) {
        const y = top + r * ROW;
        rowLabel(view, spec.rows[r], y + ROW / 2 + 4);
        for (let c = Math.max(0, Math.floor(view.from)); c <= Math.min(spec.columns - 1, Math.ceil(view.to)); c++) {
          const a = Math.max(view.x(c) - half, view.left), b = Math.min(view.x(c) + half, view.right), v = spec.value(r, c);
          if (!(b > a)) continue;
          const box = "M" + (a + 0.5).toFixed(1) + " " + (y + 0.5) + "H" + (b - 0.5).toFixed(1) + "v" + (ROW - 1) + "H" + (a + 0.5).toFixed(1) + "z";
          if (v === null) continue;
          const shade = Math.min(SHADES, Math.ceil(Math.abs(v) * SHADES - 1e-9));
          add(shade === 0 ? 0 : v < 0 ? -shade : shade, box);
          if (spec.marked(r, c)) marks.push(box);
        }
      }
      for (const [shade, path] of d)
        view.svg.append(draw("path", { d: path, fill: shade === 0 ? "var(--grid)" : colour(shade < 0 ? 0 : 1), "fill-opacity": shade === 0 ? 0.6 : Math.abs(shade) / SHADES }));
      if (marks.length) view.svg.append(draw("path", { d: marks.join(""), stroke: "var(--ink)", "stroke-width": 1.5 }));
      turned(view, spec.columns, spec.tick, bottom);
      return low;
    }
    function at(x, y) {
      const c = Math.min(spec.columns - 1, Math.max(0, Math.round(x)));
      let r = y === undefined ? spec.rows.findIndex((_, n) => spec.marked(n, c)) : Math.floor((y - top) / ROW);
      if (y === undefined && r < 0) r = 0;
      return r < 0 || r >= rows ? null : { x: c, lines: spec.say(r, c).map((line) => shown(cut(line, 90))) };
    }
    return frame({ title: spec.title, caption: spec.caption, low: -0.5, high: spec.columns - 0.5, least: Math.min(spec.columns, 6), step: 1, zooms: spec.columns > 24,
      left: roomFor(spec.rows), widest: Math.min(1100, 160 + spec.columns * 34), legend: [], draw: paint, at, numbers: spec.numbers });
  }

  /* Points in lanes over a time, in each lane the higher the larger.  spec: rows: [{label,
   * points: [{at, size, group}]}], at in seconds, size above 0; groups: [{name, colour}];
   * length: seconds; size(y): in words. */
  function lanes(spec) {
    const ROW = spec.rows.length > 12 ? 24 : 40, top = 6, bottom = top + spec.rows.length * ROW, length = Math.max(spec.length, 1e-6);
    let least = Infinity, most = 0;
    for (const row of spec.rows) for (const p of row.points) { least = Math.min(least, p.size); most = Math.max(most, p.size); }
    const span = Math.log(Math.max(most / least, 1.01)), part = (size) => Math.log(size / least) / span;
    function paint(view) {
      const d = spec.groups.map(() => "");
      spec.rows.forEach((row, r) => {
        const foot = top + (r + 1) * ROW - 3;
        rowLabel(view, row.label, foot - ROW / 2 + 6);
        view.svg.append(draw("line", { x1: view.left, x2: view.right, y1: foot + 2, y2: foot + 2, class: "grid" }));
        for (const p of row.points)
          if (p.at >= view.from && p.at <= view.to && view.on[p.group])
            d[p.group] += "M" + view.x(p.at).toFixed(1) + " " + (foot - part(p.size) * (ROW - 8)).toFixed(1) + "h.01";
      });
      d.forEach((path, g) => { if (path) view.svg.append(draw("path", { d: path, stroke: colour(spec.groups[g].colour), "stroke-width": 3.5, "stroke-linecap": "round" })); });
      return timeAxis(view, top, bottom, "since the core's measurement began");
    }
    function at(x, y, view) {
      const r = y === undefined ? 0 : Math.floor((y - top) / ROW), row = spec.rows[r];
      if (!row) return null;
      let near = null;
      for (const p of row.points) if (view.on[p.group] && (!near || Math.abs(p.at - x) < Math.abs(near.at - x))) near = p;
      if (!near || (y !== undefined && Math.abs(view.x(near.at) - view.x(x)) > 6)) return { x, lines: [shown(row.label)] };
      return { x: near.at, lines: [row.label, spec.size(near.size), "at " + Number(near.at.toPrecision(7)) + " s", spec.groups[near.group].name].map((line) => shown(cut(line, 90))) };
    }
    return frame({ title: spec.title, caption: spec.caption, low: 0, high: length, least: length / 1e5, zooms: true, widest: 1100, left: roomFor(spec.rows.map((r) => r.label)),
      legend: spec.groups.map((g) => ({ name: g.name, colour: g.colour, mark: "dot" })), draw: paint, at, numbers: spec.numbers });
  }

  return { chart, sizes, boxes, heat, lanes, strips, flame, scale, steps, cut };
})();
