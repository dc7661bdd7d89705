// The queue while somebody reads it: rows change where they stand, and what is new is offered, never moved under the cursor.
(() => {
  "use strict";

  // On a narrow screen the rows come first.
  if (window.innerWidth <= 1000) document.querySelector(".facets details")?.removeAttribute("open");

  const rows = document.getElementById("rows");
  const newer = document.getElementById("newer");
  if (!rows || !newer) return;
  let fresh = null;

  const lines = (root) => new Map([...root.querySelectorAll("tr[data-row-of]")].map((row) => [row.dataset.rowOf, row]));
  const parsed = (text) => new DOMParser().parseFromString(text, "text/html").body;
  const loaded = (node) => node.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true }));
  const heading = (row) => row.closest("tbody").dataset.group;

  // A line takes the place of its older self; ticks, and where the reader is, stay.
  const replace = (old, now) => {
    const changed = old.dataset.revision !== now.dataset.revision;
    const at = old.contains(document.activeElement) ? document.activeElement.id : "";
    const line = document.importNode(now, true);
    const tick = old.querySelector("input[type=checkbox]");
    line.querySelector("input[type=checkbox]").checked = tick.checked && !changed;
    line.classList.toggle("changed", changed || old.classList.contains("changed"));
    old.replaceWith(line);
    if (at) document.getElementById(at)?.focus({ preventScroll: true });
    loaded(line);
  };

  const offer = (came, moved, gone) => {
    const parts = [];
    if (came) parts.push(`${came} new`);
    if (moved) parts.push(`${moved} in another place`);
    if (gone) parts.push(`${gone} no longer here`);
    newer.hidden = !parts.length;
    newer.querySelector("span").textContent = `${parts.join(", ")}.`;
  };

  const merge = (text) => {
    fresh = parsed(text);
    const [old, now] = [lines(rows), lines(fresh)];
    let moved = 0;
    let gone = 0;
    for (const [number, line] of old) {
      const other = now.get(number);
      line.classList.toggle("gone", !other);
      if (!other) { gone += 1; continue; }
      if (heading(line) !== heading(other)) moved += 1;
      replace(line, other);
    }
    const came = [...now.keys()].filter((number) => !old.has(number)).length;
    const asOf = fresh.querySelector(".asof");
    if (asOf) rows.querySelector(".asof")?.replaceWith(document.importNode(asOf, true));
    offer(came, moved, gone);
    // An empty page has nothing under the cursor.
    if (!old.size && came) show();
  };

  const show = () => {
    if (!fresh) return;
    const before = lines(rows);
    const ticked = new Set([...rows.querySelectorAll("input:checked")].map((tick) => tick.value));
    const at = rows.contains(document.activeElement) ? document.activeElement.id : "";
    rows.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
    for (const tick of rows.querySelectorAll("input[type=checkbox]")) tick.checked = ticked.has(tick.value);
    for (const [number, line] of lines(rows)) {
      const old = before.get(number);
      line.classList.toggle("changed", !old || old.classList.contains("changed"));
    }
    fresh = null;
    offer(0, 0, 0);
    if (at) document.getElementById(at)?.focus();
    loaded(rows);
  };

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target !== rows || !event.detail.shouldSwap) return;
    event.detail.shouldSwap = false;
    merge(event.detail.serverResponse);
  });
  newer.querySelector("button").addEventListener("click", show);
})();
