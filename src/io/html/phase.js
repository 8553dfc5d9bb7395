// One variable over another: the curve by modes, where events happened, surfaces as far as they are known.
"use strict";
saltus.phase = (() => {
  const { data, element, axis, tint, color, counts } = saltus;
  const table = data.table;

  // Small dense least squares by normal equations; null if singular.
  const solve = (a, b) => {
    const n = b.length;
    for (let i = 0; i < n; i++) {
      let p = i;
      for (let r = i + 1; r < n; r++) if (Math.abs(a[r][i]) > Math.abs(a[p][i])) p = r;
      if (Math.abs(a[p][i]) < 1e-13) return null;
      [a[i], a[p]] = [a[p], a[i]];
      [b[i], b[p]] = [b[p], b[i]];
      for (let r = i + 1; r < n; r++) {
        const f = a[r][i] / a[i][i];
        for (let c = i; c < n; c++) a[r][c] -= f * a[i][c];
        b[r] -= f * b[i];
      }
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let c = i + 1; c < n; c++) b[i] -= a[i][c] * b[c];
      b[i] /= a[i][i];
    }
    return b;
  };

  // A switching function that was recorded is a function of these two variables alone if a polynomial of
  // degree one or two gives all its values to eight digits; then its zeros can be drawn in the plane.
  const surface = (g, x, y, rangeX, rangeY) => {
    const sx = (rangeX[1] - rangeX[0]) / 2 || 1, mx = (rangeX[0] + rangeX[1]) / 2;
    const sy = (rangeY[1] - rangeY[0]) / 2 || 1, my = (rangeY[0] + rangeY[1]) / 2;
    const basis = (px, py, n) => {
      const u = (px - mx) / sx, v = (py - my) / sy;
      return n === 3 ? [1, u, v] : [1, u, v, u * u, u * v, v * v];
    };
    const step = Math.max(1, Math.floor(g.length / 2000));
    for (const n of [3, 6]) {
      const a = Array.from({ length: n }, () => new Array(n).fill(0)), b = new Array(n).fill(0);
      let used = 0, largest = 0;
      for (let r = 0; r < g.length; r += step) {
        if (g[r] === null || x[r] === null || y[r] === null) continue;
        const f = basis(x[r], y[r], n);
        for (let i = 0; i < n; i++) {
          b[i] += f[i] * g[r];
          for (let j = 0; j < n; j++) a[i][j] += f[i] * f[j];
        }
        largest = Math.max(largest, Math.abs(g[r]));
        used++;
      }
      if (used < 3 * n) return null;
      const c = solve(a, b);
      if (!c) continue;
      const value = (px, py) => basis(px, py, n).reduce((sum, f, i) => sum + f * c[i], 0);
      let worst = 0;
      for (let r = 0; r < g.length; r += step)
        if (g[r] !== null && x[r] !== null && y[r] !== null)
          worst = Math.max(worst, Math.abs(value(x[r], y[r]) - g[r]));
      if (worst <= 1e-8 * largest) return value;
    }
    return null;
  };

  // Zeros of a function over the visible part of the plane, by triangles of a grid.
  const zeroPath = (u, value) => {
    const path = new Path2D();
    const n = 60, { min: x0, max: x1 } = u.scales.x, { min: y0, max: y1 } = u.scales.y;
    const X = (i) => x0 + (x1 - x0) * i / n, Y = (j) => y0 + (y1 - y0) * j / n;
    const at = (i, j) => ({ x: X(i), y: Y(j), g: value(X(i), Y(j)) });
    const cross = (p, q) => {
      const s = p.g / (p.g - q.g);
      return [u.valToPos(p.x + s * (q.x - p.x), "x", true), u.valToPos(p.y + s * (q.y - p.y), "y", true)];
    };
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
      const corner = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
      for (const three of [[0, 1, 2], [0, 2, 3]]) {
        const p = three.map((k) => corner[k]);
        const ends = [];
        for (const [k, l] of [[0, 1], [1, 2], [2, 0]])
          if ((p[k].g > 0) !== (p[l].g > 0)) ends.push(cross(p[k], p[l]));
        if (ends.length === 2) { path.moveTo(...ends[0]); path.lineTo(...ends[1]); }
      }
    }
    return path;
  };

  const linePath = (u, seriesIndex) => {
    const [xs, ys] = u.data[seriesIndex];
    const stroke = new Path2D();
    // Both scales are linear; points within half a pixel of the last one do not show.
    const x0 = u.valToPos(0, "x", true), y0 = u.valToPos(0, "y", true);
    const dx = u.valToPos(1, "x", true) - x0, dy = u.valToPos(1, "y", true) - y0;
    let open = false, lastX = 0, lastY = 0;
    for (let i = 0; i < xs.length; i++) {
      if (xs[i] === null || ys[i] === null) { open = false; continue; }
      const px = x0 + dx * xs[i], py = y0 + dy * ys[i];
      if (open && Math.abs(px - lastX) < 0.5 && Math.abs(py - lastY) < 0.5) continue;
      if (open) stroke.lineTo(px, py); else stroke.moveTo(px, py);
      open = true;
      lastX = px;
      lastY = py;
    }
    return { stroke, fill: null, clip: null, flags: 1 };
  };
  const dotPath = (u, seriesIndex) => {
    const [xs, ys] = u.data[seriesIndex];
    const fill = new Path2D(), radius = 3.6 * devicePixelRatio;
    for (let i = 0; i < xs.length; i++) {
      const px = u.valToPos(xs[i], "x", true), py = u.valToPos(ys[i], "y", true);
      fill.moveTo(px + radius, py);
      fill.arc(px, py, radius, 0, 2 * Math.PI);
    }
    return { stroke: null, fill, clip: null, flags: 1 };
  };

  const label = (s) =>
    s.sliding.length === 0 ? s.mode
      : (s.mode ? s.mode + ", " : "") + "sliding on " + s.sliding.join(" and ");

  // Rows of each mode, with a break wherever another one comes between.
  const parts = (x, y) => {
    const out = new Map();
    const rows = x.length;
    for (const s of table.segments) {
      const key = data.modes.length > 1 ? label(s) : "";
      if (!out.has(key)) out.set(key, { sliding: s.sliding.length > 0, xs: [], ys: [] });
      const part = out.get(key);
      for (let r = s.first_row; r < s.first_row + s.n_rows; r++) {
        const at = table.turned ? rows - 1 - r : r;
        part.xs.push(x[at]);
        part.ys.push(y[at]);
      }
      part.xs.push(null);
      part.ys.push(null);
    }
    return out;
  };

  const draw = (host, i, j) => {
    host.replaceChildren();
    const x = table.column(i), y = table.column(j);
    const rangeX = table.range(i), rangeY = table.range(j);
    const series = [{}], columns = [null];
    for (const [name, part] of parts(x, y)) {
      const mode = data.modes.indexOf(name);
      series.push({ label: name || "solution", stroke: mode < 0 ? color(0) : tint(mode),
                    width: part.sliding ? 4 : 1.7, paths: linePath, value: () => "", points: { show: false } });
      columns.push([part.xs, part.ys]);
    }
    const dots = new Map();
    for (const m of data.markers) {
      if (m.quiet) continue;
      const limits = data.instants[m.instant];
      const name = m.events[0] ? m.events[0].name : "";
      for (const side of ["x_minus", "x_plus"]) {
        const px = limits[side][i], py = limits[side][j];
        if (px === null || py === null || px === undefined) continue;
        if (!dots.has(name)) dots.set(name, [[], []]);
        dots.get(name)[0].push(px);
        dots.get(name)[1].push(py);
      }
    }
    let k = 1;
    for (const [name, values] of [...dots].slice(0, 6)) {
      series.push({ label: "event: " + name, fill: color(k), stroke: color(k), paths: dotPath, value: () => "",
                    points: { show: false } });
      columns.push(values);
      k++;
    }
    const surfaces = [];
    table.columns.forEach((c, at) => {
      if (!c.switching || at === i || at === j) return;
      const value = surface(table.column(at), x, y, rangeX, rangeY);
      if (value) surfaces.push({ name: c.name, value });
    });
    counts.surfaces = surfaces.length;
    const pad = (u, min, max) => {
      const d = (max - min || Math.abs(max) || 1) * 0.06;
      return [min - d, max + d];
    };
    const u = new uPlot({
      mode: 2,
      width: host.clientWidth || 700,
      height: 440,
      cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false } },
      legend: { live: false },
      scales: { x: { time: false, range: () => pad(null, ...rangeX) }, y: { range: () => pad(null, ...rangeY) } },
      axes: [{ ...axis, scale: "x", label: table.label(i), size: 34, labelSize: 18, labelGap: 0 },
             { ...axis, scale: "y", label: table.label(j), labelSize: 20, size: 72 }],
      series: series.map((s) => (s.label ? { ...s, facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }] } : s)),
      hooks: {
        drawAxes: [(p) => {
          const { left, top, width, height } = p.bbox, ratio = devicePixelRatio;
          p.ctx.save();
          p.ctx.beginPath();
          p.ctx.rect(left, top, width, height);
          p.ctx.clip();
          p.ctx.strokeStyle = "#b3261e";
          p.ctx.lineWidth = 1.2 * ratio;
          for (const s of surfaces) p.ctx.stroke(zeroPath(p, s.value));
          p.ctx.restore();
        }],
      },
    }, columns, host);
    saltus.phase.plot = u;
    for (const s of surfaces)
      host.append(element("p.note", element("span.surface"), `surface of ${s.name}`));
    counts.planes = 1;
    return u;
  };
  return { draw };
})();
