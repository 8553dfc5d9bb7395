// What the page knows: the JSON block, and columns that are decoded when they are first drawn.
"use strict";
const saltus = (() => {
  const data = JSON.parse(document.getElementById("saltus-data").textContent);
  const parsed = (id) => {
    const text = document.getElementById(id).textContent.trim();
    return text ? JSON.parse(text) : null;
  };
  data.report = parsed("saltus-report");

  const decode = (id) => {
    const text = atob(document.getElementById(id).textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return new Float64Array(bytes.buffer);
  };

  // A table: columns by number, times that never fall (a run backward in time is turned round).
  class Table {
    constructor(about) {
      Object.assign(this, about);
      this.time = decode(this.id + "-time");
      this.turned = this.time.length > 1 && this.time[0] > this.time[this.time.length - 1];
      if (this.turned) this.time.reverse();
      this.cache = new Map();
      this.ranges = new Map();
    }
    // Numbers with null where the variable does not exist: what uPlot leaves out.
    column(i) {
      if (!this.cache.has(i)) {
        let values = decode(this.id + "-" + i);
        if (this.turned) values.reverse();
        if (this.columns[i].absent) values = Array.from(values, (v) => (Number.isNaN(v) ? null : v));
        this.cache.set(i, values);
      }
      return this.cache.get(i);
    }
    // Asked for by whatever draws or groups, so it is found once.
    range(i) {
      if (!this.ranges.has(i)) {
        let low = Infinity, high = -Infinity;
        for (const v of this.column(i)) {
          if (v === null) continue;
          if (v < low) low = v;
          if (v > high) high = v;
        }
        this.ranges.set(i, [low, high]);
      }
      return this.ranges.get(i);
    }
    label(i) {
      const { name, unit } = this.columns[i];
      return unit ? `${name} [${unit}]` : name;
    }
  }

  data.table = new Table(data.table);
  data.derivatives = data.derivatives ? new Table(data.derivatives) : null;

  // Stretches of one mode on the same surfaces, joined: what bands show.
  const label = (s) =>
    s.sliding.length === 0 ? s.mode
      : (s.mode ? s.mode + ", " : "") + "sliding on " + s.sliding.join(" and ");
  data.bands = [];
  for (const s of data.table.segments) {
    const from = Math.min(s.t_begin, s.t_end), to = Math.max(s.t_begin, s.t_end);
    if (from === to) continue;
    const last = data.bands[data.bands.length - 1];
    if (last && last.label === label(s)) {
      last.from = Math.min(last.from, from);
      last.to = Math.max(last.to, to);
    } else {
      data.bands.push({ label: label(s), sliding: s.sliding.length > 0, from, to });
    }
  }
  data.modes = [...new Set(data.bands.map((b) => b.label))];
  data.bands.sort((a, b) => a.from - b.from);
  if (data.modes.length < 2) data.bands = [];
  for (const b of data.bands) b.mode = data.modes.indexOf(b.label);

  // Instants in order of time, each with its events.
  data.markers = data.instants
    .map((instant, k) => ({
      t: instant.t,
      instant: k,
      events: data.events.slice(instant.first_event, instant.first_event + instant.n_events),
    }))
    .sort((a, b) => a.t - b.t);
  for (const m of data.markers) m.quiet = m.events.every((e) => e.kind === "lock");

  const colors = ["#0b62a4", "#d1495b", "#2a9d8f", "#8e5ea2", "#e08e0b", "#3d405b", "#4f9dd9", "#7a9e3b"];
  const tints = ["#3d7ea6", "#e9a23b", "#5aa469", "#b0609f", "#c65b4e", "#4b5d8f", "#8c8c3e", "#4aa7a7"];
  const text = (value) => {
    if (value === null || value === undefined) return "–";
    if (!Number.isFinite(value)) return String(value);
    const size = Math.abs(value);
    return size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(5)
      : String(Number(value.toPrecision(7)));
  };
  // element("td.number", "text") or with children; texts are never taken for HTML.
  const element = (kind, ...content) => {
    const [tag, ...classes] = kind.split(".");
    const made = document.createElement(tag);
    made.className = classes.join(" ");
    for (const c of content) made.append(c);
    return made;
  };
  return {
    data, colors, text, element,
    color: (i) => colors[i % colors.length],
    tint: (i) => tints[i % tints.length],
    counts: { plots: 0, traces: 0, bands: 0, markers: 0, planes: 0, surfaces: 0 },
  };
})();
