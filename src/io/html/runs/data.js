// What the page knows of the runs: columns with their distributions, and values of those runs that are drawn.
"use strict";
saltus.data = (() => {
  const { parsed, decode } = saltus;
  const data = parsed("saltus-data");
  data.runs = decode("point-run");
  data.failed = decode("point-failed");
  const cache = new Map();
  data.columns.forEach((column, i) => {
    column.number = i;
    // Something to see: more than one value.
    column.differs = column.n > 0 && column.high > column.low;
    column.points = () => {
      if (!cache.has(i)) cache.set(i, decode("point-" + i));
      return cache.get(i);
    };
    // From 0 (lowest) to 1; NaN where there is no value.
    const scale = column.logarithmic ? Math.log : (v) => v;
    const low = scale(column.low), size = scale(column.high) - low;
    column.part = (v) => (size > 0 ? (scale(v) - low) / size : Number.isNaN(v) ? NaN : 0.5);
  });
  data.command_of = (run) => data.command + run;
  saltus.counts = { histograms: 0, points: 0, failed: 0, lines: 0, axes: 0, selected: 0 };
  return data;
})();

// Colours of a column: few values have one each, many a scale (viridis).
saltus.coloring = (column) => {
  const stops = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137],
                 [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]];
  const shade = (part) => {
    const at = Math.max(0, Math.min(1, part)) * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(at));
    const mixed = stops[k].map((c, i) => Math.round(c + (at - k) * (stops[k + 1][i] - c)));
    return `rgb(${mixed.join(",")})`;
  };
  const none = "#b9c0c9";
  if (!column) return { of: () => saltus.color(0), legend: [] };
  const { text, element } = saltus;
  const dot = (fill, label) => {
    const made = element("span.dot");
    made.style.background = fill;
    return element("span.mode", made, label);
  };
  const absent = column.n_absent > 0 ? [dot(none, "no value")] : [];
  if (column.values.length > 0 && column.values.length <= 8) {
    const place = new Map(column.values.map((v, i) => [v, i]));
    const fill = (v) => (column.values.length <= 2 ? saltus.colors[[0, 4][place.get(v)]]
      : shade(place.get(v) / (column.values.length - 1)));
    return { of: (v) => (place.has(v) ? fill(v) : none),
             legend: [...column.values.map((v) => dot(fill(v), text(v))), ...absent] };
  }
  const bar = element("span.shades");
  bar.style.background = `linear-gradient(to right, ${stops.map((s) => `rgb(${s.join(",")})`).join(",")})`;
  return { of: (v) => (Number.isNaN(v) ? none : shade(column.part(v))),
           legend: [element("span.mode", text(column.low), bar, text(column.high),
                            column.logarithmic ? " (logarithmic)" : ""), ...absent] };
};
