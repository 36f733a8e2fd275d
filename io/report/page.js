"use strict";
/* What every page has: data, tables that sort, words that explain, light and dark.  Names
 * and texts come from anywhere: they are only ever put into the page as text. */
const rc = (function () {
  const root = document.documentElement;

  /* What rc_html_data() wrote under that id; rejected where there is none, or
   * where the browser cannot unpack it. */
  async function bytes(id) {
    const held = document.getElementById(id);
    if (!held) throw new Error("this page holds no data '" + id + "'");
    const letters = atob(held.textContent.trim());
    const packed = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
  }
  const data = async (id) => (await bytes(id)).text();
  const kept = new Map(); /* of json, by its id */
  function json(id) {
    if (!kept.has(id)) kept.set(id, data(id).then(JSON.parse));
    return kept.get(id);
  }

  /* Fills a panel's element with what 'draw' returns, or promises, of the panel's data
   * (null: the page has none), unless it is filled anew in the meantime. */
  async function panel(id, draw, ...more) {
    const place = document.getElementById(id + "-all"), turn = {}, data = id + "-data";
    if (!place) return;
    place.turn = turn;
    try {
      const parts = [await draw(document.getElementById(data) ? await json(data) : null, ...more)].flat();
      if (place.turn === turn) place.replaceChildren(...parts);
    } catch (e) { place.textContent = "cannot be shown: " + e.message; }
  }

  /* As rc_html_put() does: what nobody would see is shown. */
  function shown(text) {
    return text.replace(/[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Noncharacter_Code_Point}]/gu,
      (c) => c === "\n" ? "\\n" : c === "\t" ? "\\t"
        : c < "\u0100" ? "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0")
        : "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
  }
  function make(tag, content, more) {
    const e = document.createElement(tag);
    if (Array.isArray(content)) e.append(...content);
    else if (content !== undefined && content !== null) e.append(content);
    return Object.assign(e, more);
  }
  function name(text) {
    const code = make("code", shown(text));
    if (text.length > 160) { code.className = "long"; code.tabIndex = 0; }
    return code;
  }
  function button(text, press, more) {
    const b = make("button", text, { type: "button", ...more });
    b.addEventListener("click", press);
    return b;
  }

  const plural = (n, word) => n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s");
  /* The class of a verdict's mark in page.css. */
  const marks = { "not on this machine": "absent", approximate: "approximate", defined: "defined", "by reference": "reference", rejected: "rejected", contradicted: "rejected", "not known": "unknown" };

  /* A table of rows of texts, numbers or elements.  Heads: ">noise" is of numbers. */
  function table(caption, heads, rows) {
    const head = make("tr"), body = make("tbody"), t = make("table");
    for (const h of heads)
      head.append(make("th", h.replace(/^>/, ""), { scope: "col", className: h[0] === ">" ? "r" : "" }));
    for (const row of rows) {
      const tr = make("tr");
      row.forEach((cell, i) => {
        const td = make("td", typeof cell === "string" ? shown(cell) : cell, { className: heads[i][0] === ">" ? "r" : "" });
        td.dataset.head = heads[i].replace(/^>/, "");
        tr.append(td);
      });
      body.append(tr);
    }
    t.append(make("caption", caption), make("thead", head), body);
    sortable(t);
    return make("div", t, { className: "t" });
  }
  function facts(pairs) {
    const list = make("dl", undefined, { className: "facts" });
    for (const [term, value] of pairs)
      if (value !== "" && value !== null && value !== undefined)
        list.append(make("dt", term), make("dd", typeof value === "string" ? shown(value) : value));
    return list;
  }
  /* What is folded up is made when it is opened. */
  function fold(title, fill, more) {
    const d = make("details", make("summary", title), more);
    d.addEventListener("toggle", () => {
      if (!d.open || d.dataset.made) return;
      d.dataset.made = "1";
      d.append(...[fill()].flat());
    });
    return d;
  }

  let stored = null;
  try { stored = localStorage.getItem("rollcall-theme"); } catch (e) { /* from a file: none */ }
  if (stored === "light" || stored === "dark") root.dataset.theme = stored;
  for (const b of document.querySelectorAll("button.theme"))
    b.addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem("rollcall-theme", root.dataset.theme); } catch (e) { /* likewise */ }
    });

  /* Tables sort by the column whose head is pressed: numbers where all are numbers,
   * what is empty last. */
  function worth(cell) {
    const text = cell ? cell.dataset.sort || cell.textContent.trim() : "";
    const number = text === "" ? NaN : Number(text.replace(/ %$/, ""));
    return { text, number };
  }
  function order(a, b, numbers) {
    if (a.text === "" || b.text === "") return (a.text === "") - (b.text === "");
    return numbers ? a.number - b.number : a.text.localeCompare(b.text, "en", { numeric: true });
  }
  function sort(table, column, head) {
    const body = table.tBodies[0], down = head.getAttribute("aria-sort") === "ascending";
    const rows = [...body.rows].map((row) => ({ row, key: worth(row.cells[column]) }));
    const numbers = rows.every((r) => r.key.text === "" || !Number.isNaN(r.key.number));
    rows.sort((a, b) => order(a.key, b.key, numbers) * (down && a.key.text && b.key.text ? -1 : 1));
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...rows.map((r) => r.row));
  }
  function sortable(table) {
    if (!table.tHead || !table.tBodies[0] || table.tBodies[0].rows.length < 2 || table.dataset.own) return;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const b = button([...head.childNodes], () => sort(table, column, head));
      head.append(b);
    });
  }

  /* What has data-tip explains itself, to the pointer and to the keyboard. */
  let tip = null;
  function hide() { if (tip) tip.remove(); tip = null; }
  /* Lines of text beside a place in the window. */
  function say(lines, left, top) {
    hide();
    tip = make("div", lines.map((line) => make("div", line)), { className: "tip" });
    tip.setAttribute("role", "tooltip");
    document.body.append(tip);
    left = Math.min(left, root.clientWidth - tip.offsetWidth - 8);
    if (top + tip.offsetHeight > innerHeight) top = Math.max(0, top - tip.offsetHeight - 28);
    tip.style.left = Math.max(8, left) + scrollX + "px";
    tip.style.top = top + scrollY + "px";
  }
  function show(target) {
    const at = target.getBoundingClientRect();
    say([target.dataset.tip], at.left, at.bottom + 6);
  }
  const told = (event) => event.target.closest && event.target.closest("[data-tip]");
  for (const kind of ["pointerover", "focusin"])
    document.addEventListener(kind, (event) => {
      const t = told(event);
      if (t) show(t); else if (!event.target.closest || !event.target.closest("figure")) hide();
    });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  addEventListener("resize", hide);

  return { bytes, data, json, panel, shown, make, name, button, plural, marks, table, facts, fold, say, hide };
})();
