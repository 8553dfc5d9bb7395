// What the page knows: the JSON block, and columns that are decoded when they are first drawn.
"use strict";
saltus.data = (() => {
  const { parsed, decode } = saltus;
  const data = parsed("saltus-data");
  data.report = parsed("saltus-report");

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

  saltus.counts = { plots: 0, traces: 0, bands: 0, markers: 0, planes: 0, surfaces: 0 };
  return data;
})();
