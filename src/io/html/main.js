// Puts the page together.
"use strict";
(() => {
  const { data, element, section, plots, phase, tables, tint, counts } = saltus;
  const table = data.table;
  tables.header();

  // More than can be seen: numbers that tolerances move are constant to the eye.
  const varies = (i) => {
    const [low, high] = table.range(i);
    return high - low > 1e-7 * Math.max(Math.abs(low), Math.abs(high));
  };
  const ordinary = table.columns.map((c, i) => i).filter((i) => !table.columns[i].switching);
  // Not every column is decoded before the first picture.
  const choose = () => {
    const wanted = data.show.map((name) => table.columns.findIndex((c) => c.name === name)).filter((i) => i >= 0);
    if (wanted.length) return wanted;
    const out = [];
    for (const i of ordinary) {
      if (out.length === 12) break;
      if (varies(i)) out.push(i);
    }
    return out.length ? out : ordinary.slice(0, 6);
  };
  const chosen = new Set(choose());

  const drawPlots = (host) => {
    plots.clear(host);
    const list = table.columns.map((c, i) => i).filter((i) => chosen.has(i));
    for (const group of plots.group(table, list)) {
      const box = element("div.plot");
      host.append(box);
      plots.add(table, group, box);
    }
  };

  const modeLegend = () => element("p.modes", ...(data.bands.length ? data.modes : []).map((label, i) => {
    const dot = element("span.dot");
    dot.style.background = tint(i);
    return element("span.mode", dot, label || "no surface");
  }));

  const toggle = (label, key) => {
    const box = element("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => { plots.show[key] = box.checked; plots.redraw(); });
    return element("label.toggle", box, label);
  };

  const picker = (redraw) => {
    const list = element("div.list");
    const search = element("input");
    search.type = "search";
    search.placeholder = "find a variable";
    const fill = () => {
      const word = search.value.toLowerCase();
      const names = table.columns.map((c, i) => ({ c, i })).filter(({ c }) => c.name.toLowerCase().includes(word));
      list.replaceChildren(...names.slice(0, 300).map(({ c, i }) => {
        const box = element("input");
        box.type = "checkbox";
        box.checked = chosen.has(i);
        box.addEventListener("change", () => {
          if (box.checked) chosen.add(i); else chosen.delete(i);
          redraw();
        });
        const line = element("label", box, table.label(i));
        if (c.description) line.title = c.description;
        return line;
      }));
      if (names.length > 300) list.append(element("i", `and ${names.length - 300} more`));
    };
    search.addEventListener("input", fill);
    fill();
    return element("details.picker", element("summary", `Variables (${table.columns.length})`), search, list);
  };

  if (table.time.length) {
    const host = element("div");
    const reset = element("button", "whole run");
    reset.addEventListener("click", plots.reset);
    const tools = element("div.tools", reset, data.bands.length ? toggle("modes", "bands") : "",
                          data.markers.length ? toggle("events", "events") : "",
                          element("span.note", "drag: zoom · double click: whole run · Shift + wheel: zoom here"));
    section("plots", "Plots", tools, modeLegend(), picker(() => { drawPlots(host); plots.count(); }), host);
    drawPlots(host);
  }

  const plane = () => {
    const usable = ordinary.slice(0, 500).filter((i) => varies(i));
    if (usable.length < 2) return;
    const select = (start) => {
      const made = element("select", ...usable.map((i) => {
        const option = element("option", table.columns[i].name);
        option.value = i;
        return option;
      }));
      made.value = start;
      return made;
    };
    const named = (name) => usable.find((i) => table.columns[i].name === name);
    const a = select(named(data.plane[0]) ?? usable[0]), b = select(named(data.plane[1]) ?? usable[1]);
    const host = element("div.plane");
    const draw = () => phase.draw(host, Number(a.value), Number(b.value));
    a.addEventListener("change", draw);
    b.addEventListener("change", draw);
    section("plane", "Phase plane",
                   element("div.tools", element("label", "across ", a), element("label", "up ", b)), host);
    // Long runs: curves over time come first, this one when somebody looks at it.
    if (table.time.length < 200000) {
      draw();
    } else {
      host.style.minHeight = "440px";
      new IntersectionObserver((seen, watcher) => {
        if (!seen.some((s) => s.isIntersecting)) return;
        watcher.disconnect();
        draw();
      }).observe(host);
    }
  };
  if (table.time.length) plane();

  if (data.derivatives) {
    const d = data.derivatives, host = element("div");
    const made = section("derivatives", "Derivatives", host);
    const list = d.columns.map((c, i) => i).filter((i) => { const [l, h] = d.range(i); return h > l; }).slice(0, 12);
    const groups = new Map();
    for (const i of list) {
      const by = d.columns[i].name.split(")/d(").pop();
      if (!groups.has(by)) groups.set(by, []);
      groups.get(by).push(i);
    }
    for (const group of groups.values()) {
      const box = element("div.plot");
      host.append(box);
      plots.add(d, group.slice(0, 6), box);
    }
    tables.derivatives(made);
  }
  tables.events();
  tables.modes();
  tables.statistics();
  tables.texts();
  tables.warnings();
  // uPlot draws after this task.
  setTimeout(() => { plots.count(); saltus.ready = true; document.body.dataset.ready = "yes"; }, 0);
})();
