// One quantity over another, with a third as colour; what failed is crossed.
"use strict";
saltus.scatter = (() => {
  const { data, element, text, axis, tip, showTip, counts } = saltus;

  // Cells of a grid, if every one of them has about one run: edges in the middle between values.
  const grid = (x, y) => {
    const edges = (values) => {
      const found = [...new Set(values)].sort((a, b) => a - b);
      const middle = found.slice(1).map((v, i) => (v + found[i]) / 2);
      return { found, low: (v) => { const i = found.indexOf(v); return i > 0 ? middle[i - 1] : v - (middle[0] - v); },
               high: (v) => { const i = found.indexOf(v); return i < middle.length ? middle[i] : v + (v - middle[i - 1]); } };
    };
    const a = edges(x), b = edges(y);
    if (a.found.length < 3 || b.found.length < 3 || a.found.length > 300 || b.found.length > 300) return null;
    return a.found.length * b.found.length <= 1.3 * x.length && x.length <= 1.3 * a.found.length * b.found.length
      ? [a, b] : null;
  };

  const draw = (host, cx, cy, cc) => {
    host.replaceChildren();
    const x = cx.points(), y = cy.points(), c = cc ? cc.points() : null;
    const paint = saltus.coloring(cc);
    const shown = [];
    let n_failed = 0, n_without = 0;
    for (let i = 0; i < x.length; i++) {
      if (!Number.isFinite(x[i]) || !Number.isFinite(y[i])) { n_without++; continue; }
      shown.push(i);
      if (data.failed[i]) n_failed++;
    }
    const cells = cx.logarithmic || cy.logarithmic ? null : grid(shown.map((i) => x[i]), shown.map((i) => y[i]));
    const radius = shown.length > 8000 ? 1.5 : shown.length > 2000 ? 2.2 : shown.length > 400 ? 3 : 4.5;
    const marks = (u) => {
      const { left, top, width, height } = u.bbox, ratio = devicePixelRatio, ctx = u.ctx;
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, width, height);
      ctx.clip();
      const px = (v) => u.valToPos(v, "x", true), py = (v) => u.valToPos(v, "y", true);
      for (const i of shown) {
        if (data.failed[i]) continue;
        ctx.fillStyle = paint.of(c ? c[i] : 0);
        if (cells) {
          const a = px(cells[0].low(x[i])), b = px(cells[0].high(x[i])), d = py(cells[1].high(y[i])), e = py(cells[1].low(y[i]));
          ctx.fillRect(a, d, b - a + 0.5, e - d + 0.5);
        } else {
          ctx.beginPath();
          ctx.arc(px(x[i]), py(y[i]), radius * ratio, 0, 2 * Math.PI);
          ctx.fill();
        }
      }
      ctx.strokeStyle = "#c83a32";
      ctx.lineWidth = (radius < 3 ? 1 : 1.6) * ratio;
      const r = Math.max(1.5, 0.8 * radius) * ratio;
      for (const i of shown) {
        if (!data.failed[i]) continue;
        const a = px(x[i]), b = py(y[i]);
        ctx.beginPath();
        ctx.moveTo(a - r, b - r); ctx.lineTo(a + r, b + r);
        ctx.moveTo(a - r, b + r); ctx.lineTo(a + r, b - r);
        ctx.stroke();
      }
      ctx.restore();
    };
    const hover = (u) => {
      const { left, top } = u.cursor;
      tip.hidden = true;
      if (left < 0) return;
      let best = -1, distance = cells ? 1e9 : 144;
      for (const i of shown) {
        const d = (u.valToPos(x[i], "x") - left) ** 2 + (u.valToPos(y[i], "y") - top) ** 2;
        if (d < distance) { best = i; distance = d; }
      }
      if (best < 0) return;
      const box = u.over.getBoundingClientRect();
      const lines = data.columns.slice(0, 16).map((q) => `${q.name} = ${text(Number.isNaN(q.points()[best]) ? null : q.points()[best])}`);
      showTip(box.left + left, box.top + top, element("b", `run ${data.runs[best]}${data.failed[best] ? ", failed" : ""}`),
              element("pre", lines.join("\n")));
    };
    const range = (q, edges) => () => {
      if (edges) return [edges.low(edges.found[0]), edges.high(edges.found[edges.found.length - 1])];
      if (q.logarithmic) return [q.low / 1.2, q.high * 1.2];
      const d = (q.high - q.low || Math.abs(q.high) || 1) * 0.03;
      return [q.low - d, q.high + d];
    };
    const scale = (q, edges) => ({ time: false, range: range(q, edges), ...(q.logarithmic ? { distr: 3 } : {}) });
    const u = new uPlot({
      mode: 2, width: host.clientWidth || 800, height: 460,
      cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false } },
      legend: { show: false },
      scales: { x: scale(cx, cells && cells[0]), y: scale(cy, cells && cells[1]) },
      axes: [{ ...axis, scale: "x", label: cx.name, size: 34, labelSize: 18, labelGap: 0 },
             { ...axis, scale: "y", label: cy.name, labelSize: 20, size: 72 }],
      series: [{}, { facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }], paths: () => null, points: { show: false } }],
      hooks: { draw: [marks], setCursor: [hover],
               init: [(p) => p.over.addEventListener("mouseleave", () => { tip.hidden = true; })] },
    }, [null, [[cx.low, cx.high], [cy.low, cy.high]]], host);
    const cross = element("span.cross", "×");
    host.append(element("p.modes", cc ? element("b", cc.name) : "", ...paint.legend,
                        n_failed ? element("span.mode", cross, `failed (${n_failed})`) : ""));
    if (n_without) host.append(element("p.note", `${n_without} runs have no value here.`));
    Object.assign(counts, { points: shown.length, failed: n_failed, cells: cells ? 1 : 0 });
    saltus.scatter.plot = u;
  };
  return { draw };
})();
