// What a page does besides being read: one poll, keys, the reader's own clock. Every page works without it.
(() => {
  "use strict";

  const POLL = 4000;
  const JITTER = 2000;

  // One cheap question a page: has anything changed? Not while nobody looks.
  const ask = () => {
    const live = document.querySelector("[data-poll]");
    if (live && !document.hidden && window.htmx) window.htmx.trigger(live, "poll");
  };
  const next = () => setTimeout(() => { ask(); next(); }, POLL + Math.random() * JITTER);

  // A part that can't be refreshed says since when, rather than looking fresh.
  let fresh = new Date();
  const clock = (at) => at.toISOString().slice(11, 16);
  const stale = (why) => {
    const line = document.getElementById("stale");
    line.hidden = !why;
    line.textContent = why ? `${why} What you see is as of ${clock(fresh)} UTC.` : "";
  };
  const SILENT = "The desk does not answer.";
  // A question that was answered from another address was answered by the sign-in page.
  const sentAway = ({ xhr, pathInfo }) =>
    new URL(xhr.responseURL).pathname !== new URL(pathInfo.requestPath, location.href).pathname;
  document.addEventListener("htmx:sendError", () => stale(SILENT));
  document.addEventListener("htmx:responseError", () => stale(SILENT));
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.successful) return;
    if (sentAway(event.detail)) { stale("You are signed out: reload to sign in."); return; }
    fresh = new Date();
    stale("");
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 200 && sentAway(event.detail)) event.detail.shouldSwap = false;
  });

  // The reader's own time beside UTC, where it differs.
  const here = (root) => {
    if (!new Date().getTimezoneOffset()) return;
    for (const time of root.querySelectorAll("time:not([data-told])")) {
      time.dataset.told = "";
      const local = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
      if ("here" in time.dataset) time.append(` (${local} here)`);
      else time.title += ` · ${local} here`;
    }
  };
  document.addEventListener("htmx:load", (event) => here(event.target));

  // What the reader has opened stays open when a part is refreshed.
  let opened = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    opened = [...event.detail.target.querySelectorAll("details[open][id]")].map((one) => one.id);
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  });

  const help = () => document.getElementById("keys")?.showModal();
  const rows = () => [...document.querySelectorAll("a[data-row]")];
  const move = (by) => {
    const all = rows();
    const at = all.indexOf(document.activeElement);
    const to = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1);
    all[to]?.focus();
  };
  const KEYS = {
    "?": help,
    "/": () => document.getElementById("find")?.focus(),
    j: () => move(1),
    k: () => move(-1),
  };
  let went = 0;
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]), textarea, select, dialog[open]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "q" && Date.now() - went < 1000) {
      location.assign(document.querySelector("header .brand").href);
      return;
    }
    went = event.key === "g" ? Date.now() : 0;
    const act = KEYS[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  document.addEventListener("visibilitychange", ask);
  for (const button of document.querySelectorAll("[data-help]")) {
    button.hidden = false;
    button.addEventListener("click", help);
  }
  here(document);
  next();
})();
