// Curves over time: bands of modes behind, events in front, one time axis for all plots.
"use strict";
saltus.plots = (() => {
  const { data, element, text, color, tint, counts, axis, tip, showTip } = saltus;
  const all = [];
  const show = { bands: true, events: true };
  let zooming = false;

  const first = (list, t) => {  // the first entry with time >= t
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].t < t) low = middle + 1; else high = middle;
    }
    return low;
  };

  const drawBands = (u) => {
    if (!show.bands) return;
    const { left, top, width, height } = u.bbox;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(left, top, width, height);
    u.ctx.clip();
    let n = 0;
    for (const band of data.bands) {
      if (band.to < u.scales.x.min || band.from > u.scales.x.max) continue;
      const a = u.valToPos(band.from, "x", true), b = u.valToPos(band.to, "x", true);
      u.ctx.globalAlpha = 0.13;
      u.ctx.fillStyle = tint(band.mode);
      u.ctx.fillRect(a, top, Math.max(b - a, 1), height);
      u.ctx.globalAlpha = 0.9;
      u.ctx.fillRect(a, top, Math.max(b - a, 1), 4 * devicePixelRatio);
      n++;
    }
    u.ctx.restore();
    u.saltus.bands = n;
  };

  const drawMarkers = (u) => {
    if (!show.events) return;
    const { left, top, width, height } = u.bbox;
    const ratio = devicePixelRatio;
    let n = 0, last = -Infinity, lastQuiet = false;
    u.ctx.save();
    for (let k = first(data.markers, u.scales.x.min); k < data.markers.length; k++) {
      const marker = data.markers[k];
      if (marker.t > u.scales.x.max) break;
      n++;
      const x = Math.round(u.valToPos(marker.t, "x", true)) + 0.5;
      if (x < left || x > left + width) continue;
      // Two in one pixel look like one; a quiet one must not hide another.
      if (x - last < 1 && (marker.quiet || !lastQuiet)) continue;
      last = x;
      lastQuiet = marker.quiet;
      u.ctx.strokeStyle = marker.quiet ? "rgba(120,120,120,.35)" : "rgba(40,40,60,.55)";
      u.ctx.lineWidth = ratio;
      u.ctx.setLineDash(marker.quiet ? [2 * ratio, 4 * ratio] : [4 * ratio, 3 * ratio]);
      u.ctx.beginPath();
      u.ctx.moveTo(x, top);
      u.ctx.lineTo(x, top + height);
      u.ctx.stroke();
      if (!marker.quiet) {
        u.ctx.fillStyle = "#28283c";
        u.ctx.beginPath();
        u.ctx.moveTo(x - 4 * ratio, top);
        u.ctx.lineTo(x + 4 * ratio, top);
        u.ctx.lineTo(x, top + 7 * ratio);
        u.ctx.fill();
      }
    }
    u.ctx.restore();
    u.saltus.markers = n;
  };

  const hover = (u) => {
    tip.hidden = true;
    const { left, top } = u.cursor;
    if (!show.events || left < 0 || !data.markers.length) return;
    if (u.saltus !== all.hovered) return;
    const t = u.posToVal(left, "x");
    const at = first(data.markers, t);
    let best = null, distance = 7;
    for (const k of [at - 1, at]) {
      if (k < 0 || k >= data.markers.length) continue;
      const d = Math.abs(u.valToPos(data.markers[k].t, "x") - left);
      if (d < distance) { best = data.markers[k]; distance = d; }
    }
    if (!best) return;
    const box = u.over.getBoundingClientRect();
    showTip(box.left + left, box.top + top, element("b", `t = ${text(best.t)} s`),
            ...best.events.slice(0, 4).map((e) => element("pre", e.explanation || e.name)),
            best.events.length > 4 ? element("i", `and ${best.events.length - 4} more at this time`) : "");
  };

  const zoom = (min, max) => {
    zooming = true;
    for (const u of all) u.setScale("x", { min, max });
    zooming = false;
  };
  const reset = () => {
    const t = data.table.time;
    if (t.length) zoom(t[0], t[t.length - 1]);
  };

  const wheel = (u, event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const at = u.posToVal(event.clientX - u.over.getBoundingClientRect().left, "x");
    const factor = (event.deltaY || event.deltaX) < 0 ? 0.75 : 1 / 0.75;
    zoom(at - (at - u.scales.x.min) * factor, at + (u.scales.x.max - at) * factor);
  };

  const legendValue = (u, v) => (v === null || v === undefined ? "–" : text(v));

  const add = (table, columns, host) => {
    const unit = table.columns[columns[0]].unit;
    const about = { bands: 0, markers: 0 };
    const options = {
      width: host.clientWidth || 900,
      height: 250,
      cursor: { sync: { key: "time" }, drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
      legend: { live: true },
      scales: { x: { time: false } },
      axes: [
        { ...axis, label: "time [s]", size: 34, labelSize: 18, labelGap: 0 },
        { ...axis, label: columns.length === 1 ? table.label(columns[0]) : unit || " ", labelSize: 20, size: 72 },
      ],
      series: [
        { label: "time", value: legendValue },
        ...columns.map((c, k) => ({
          label: table.columns[c].name, stroke: color(k), width: 1.6, value: legendValue,
          points: { show: false }, spanGaps: false,
        })),
      ],
      hooks: {
        init: [(u) => {
          u.saltus = about;
          u.over.addEventListener("mouseenter", () => { all.hovered = about; });
          u.over.addEventListener("mouseleave", () => { tip.hidden = true; });
          u.over.addEventListener("wheel", (e) => wheel(u, e), { passive: false });
          u.over.addEventListener("dblclick", () => setTimeout(reset));
        }],
        drawAxes: [drawBands],
        draw: [drawMarkers],
        setCursor: [hover],
        setScale: [(u, key) => {
          if (key === "x" && !zooming && all.includes(u)) zoom(u.scales.x.min, u.scales.x.max);
        }],
      },
    };
    const made = new uPlot(options, [table.time, ...columns.map((c) => table.column(c))], host);
    all.push(made);
    return made;
  };

  // Variables of one unit share a plot, unless a curve would be a flat line beside the others.
  const group = (table, chosen) => {
    const groups = [];
    for (const c of chosen) {
      const [low, high] = table.range(c);
      const size = Math.max(high - low, 1e-300);
      const unit = table.columns[c].unit;
      const fits = groups.find((g) => g.unit === unit && g.columns.length < 6 &&
        size < 25 * g.size && g.size < 25 * size && Math.min(low, g.low) + 12 * Math.max(size, g.size) >
        Math.max(high, g.high));
      if (fits) {
        fits.columns.push(c);
        fits.low = Math.min(low, fits.low);
        fits.high = Math.max(high, fits.high);
      } else {
        groups.push({ unit, size, low, high, columns: [c] });
      }
    }
    return groups.map((g) => g.columns);
  };

  const count = () => {
    counts.plots = all.length;
    counts.traces = all.reduce((n, u) => n + u.series.length - 1, 0);
    counts.bands = Math.max(0, ...all.map((u) => u.saltus.bands));
    counts.markers = Math.max(0, ...all.map((u) => u.saltus.markers));
  };
  const redraw = () => { for (const u of all) u.redraw(false); };
  addEventListener("resize", () => {
    for (const u of all) u.setSize({ width: u.root.parentElement.clientWidth, height: u.height });
  });
  return {
    all, show, add, group, zoom, reset, redraw, count,
    clear(host) {
      for (let k = all.length - 1; k >= 0; k--) {
        if (!host.contains(all[k].root)) continue;
        all[k].destroy();
        all.splice(k, 1);
      }
      host.replaceChildren();
    },
  };
})();
