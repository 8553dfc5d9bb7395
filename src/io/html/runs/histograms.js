// How each quantity is distributed over all runs.
"use strict";
saltus.histograms = (() => {
  const { data, element, text, color, counts } = saltus;

  const facts = (c) => {
    const said = [];
    if (c.n > 0 && c.differs) said.push(`${text(c.low)} … ${text(c.high)}, mean ${text(c.mean)}`);
    if (c.n_absent > 0) said.push(`${c.n_absent} runs without a value`);
    if (c.n_infinite > 0) said.push(`${c.n_infinite} infinite`);
    return said.join(" · ");
  };

  // Bars by hand: widths are those of ranges, or equal for single values, whose labels stand below.
  const draw = (c, canvas) => {
    const ratio = devicePixelRatio, width = canvas.parentElement.clientWidth, height = 130;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    ctx.font = "11px system-ui, sans-serif";
    const left = 4, right = width - 4, bottom = height - 18, top = 14;
    const most = Math.max(...c.bars), n = c.bars.length, single = c.values.length > 0;
    const scale = c.logarithmic ? Math.log : (v) => v;
    const low = single ? 0 : scale(c.edges[0]), size = (single ? n : scale(c.edges[n])) - low;
    const at = (k) => left + (right - left) * ((single ? k : scale(c.edges[k])) - low) / size;
    const gap = n > 60 ? 0 : single ? Math.min(0.35 * (right - left) / n, 24) : 1;
    ctx.fillStyle = color(c.varied ? 6 : 0);
    for (let k = 0; k < n; k++) {
      // What is there can be seen.
      const h = c.bars[k] > 0 ? Math.max(1.5, (bottom - top) * c.bars[k] / most) : 0;
      ctx.fillRect(at(k) + gap / 2, bottom - h, Math.max(1, at(k + 1) - at(k) - gap), h);
    }
    ctx.fillStyle = "#5b6472";
    ctx.fillRect(left, bottom, right - left, 1);
    ctx.textBaseline = "top";
    if (single) {
      ctx.textAlign = "center";
      let last = -Infinity;
      for (let k = 0; k < n; k++) {
        const label = text(c.values[k]), middle = (at(k) + at(k + 1)) / 2, half = ctx.measureText(label).width / 2;
        if (middle - half < last + 6 || middle - half < 0 || middle + half > width) continue;
        ctx.fillText(label, middle, bottom + 4);
        last = middle + half;
        if (n <= 8) ctx.fillText(String(c.bars[k]), middle, bottom - (bottom - top) * c.bars[k] / most - 13);
      }
    } else {
      ctx.textAlign = "left";
      ctx.fillText(text(c.edges[0]), left, bottom + 4);
      ctx.textAlign = "right";
      ctx.fillText(text(c.edges[n]) + (c.logarithmic ? " (log)" : ""), right, bottom + 4);
      ctx.fillText(`${most}`, right, 0);
    }
  };

  const add = (c, host) => {
    const box = element("div.histogram", element("h3", c.name));
    host.append(box);
    if (c.n === 0) box.append(element("p.note", data.n_complete > 0 || c.varied ? "No run has this value." : "No run is complete."));
    else if (!c.differs) box.append(element("p.note", `Always ${text(c.low)}, in ${c.n} runs.`));
    else {
      const canvas = element("canvas");
      box.append(canvas);
      draw(c, canvas);
      counts.histograms++;
    }
    const said = facts(c);
    if (said) box.append(element("p.note", said));
  };
  const all = (host, columns) => { for (const c of columns) add(c, host); };
  return { all };
})();
