"use strict";
/* What every page has: tables that sort, words that explain, light and dark. */

/* The text that rc_html_data() wrote under that id; rejected where there is none, or
 * where the browser cannot unpack it. */
async function rcData(id) {
  const held = document.getElementById(id);
  if (!held) throw new Error("this page holds no data '" + id + "'");
  const letters = atob(held.textContent.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

(function () {
  const root = document.documentElement;
  let kept = null;
  try { kept = localStorage.getItem("rollcall-theme"); } catch (e) { /* from a file: none */ }
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  for (const button of document.querySelectorAll("button.theme"))
    button.addEventListener("click", () => {
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
  for (const table of document.querySelectorAll("main table"))
    if (table.tHead && table.tBodies[0] && table.tBodies[0].rows.length > 1 && !table.dataset.own)
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        if ("fixed" in head.dataset) return;
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        button.addEventListener("click", () => sort(table, column, head));
        head.append(button);
      });

  /* What has data-tip explains itself, to the pointer and to the keyboard. */
  let tip = null;
  function hide() { if (tip) tip.remove(); tip = null; }
  function show(target) {
    hide();
    tip = document.createElement("div");
    tip.className = "tip";
    tip.setAttribute("role", "tooltip");
    tip.textContent = target.dataset.tip;
    document.body.append(tip);
    const at = target.getBoundingClientRect();
    const left = Math.min(at.left, innerWidth - tip.offsetWidth - 8);
    tip.style.left = Math.max(8, left) + scrollX + "px";
    tip.style.top = at.bottom + scrollY + 6 + "px";
  }
  const told = (event) => event.target.closest && event.target.closest("[data-tip]");
  for (const kind of ["pointerover", "focusin"])
    document.addEventListener(kind, (event) => { const t = told(event); if (t) show(t); else hide(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
})();
