// All quantities side by side, a line per run; a range of an axis chooses lines.
"use strict";
saltus.parallel = (() => {
  const { data, element, text, counts } = saltus;

  const make = (host, columns, colored) => {
    const canvas = element("canvas"), said = element("p.note");
    host.append(canvas, said);
    const ratio = devicePixelRatio, width = host.clientWidth || 1000, height = 340;
    const top = 46, bottom = height - 24, side = 60;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const ctx = canvas.getContext("2d");
    const at = (k) => side + (width - 2 * side) * k / (columns.length - 1);
    const up = (part) => bottom - (bottom - top) * part;
    // Complete runs; a value that a run does not have breaks its line.
    const rows = [];
    for (let i = 0; i < data.runs.length; i++) if (!data.failed[i]) rows.push(i);
    const parts = columns.map((c) => Float64Array.from(c.points(), (v) => (Number.isFinite(v) ? c.part(v) : NaN)));
    const paint = saltus.coloring(colored), shade = colored ? colored.points() : null;
    const chosen = new Map();  // axis: [low, high] as parts
    const fits = (i) => {
      for (const [k, [low, high]] of chosen) if (!(parts[k][i] >= low && parts[k][i] <= high)) return false;
      return true;
    };
    const line = (i) => {
      ctx.beginPath();
      let open = false;
      for (let k = 0; k < columns.length; k++) {
        if (Number.isNaN(parts[k][i])) { open = false; continue; }
        if (open) ctx.lineTo(at(k), up(parts[k][i])); else ctx.moveTo(at(k), up(parts[k][i]));
        open = true;
      }
      ctx.stroke();
    };
    const draw = () => {
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, width, height);
      const inside = rows.filter(fits);
      ctx.lineWidth = 1;
      if (chosen.size) {
        ctx.globalAlpha = Math.max(0.03, Math.min(0.3, 150 / rows.length));
        ctx.strokeStyle = "#9aa3ae";
        for (const i of rows) line(i);
      }
      ctx.globalAlpha = Math.max(0.06, Math.min(0.8, 250 / Math.max(1, inside.length)));
      for (const i of inside) {
        ctx.strokeStyle = paint.of(shade ? shade[i] : 0);
        line(i);
      }
      ctx.globalAlpha = 1;
      columns.forEach((c, k) => {
        ctx.fillStyle = "#5b6472";
        ctx.fillRect(at(k) - 0.5, top, 1, bottom - top);
        ctx.font = "600 12px system-ui, sans-serif";
        ctx.textAlign = k === 0 ? "left" : k === columns.length - 1 ? "right" : "center";
        const x = k === 0 ? 8 : k === columns.length - 1 ? width - 8 : at(k);
        const room = (width - 2 * side) / (columns.length - 1) - 8;
        let name = c.name;
        while (name.length > 4 && ctx.measureText(name).width > room) name = name.slice(0, -2) + "…";
        ctx.fillStyle = "#1d2430";
        ctx.fillText(name, x, 16);
        ctx.font = "11px system-ui, sans-serif";
        ctx.fillStyle = "#5b6472";
        ctx.fillText(text(c.high), x, top - 10);
        ctx.fillText(text(c.low), x, bottom + 16);
        if (chosen.has(k)) {
          const [low, high] = chosen.get(k);
          ctx.fillStyle = "rgba(11,98,164,.25)";
          ctx.fillRect(at(k) - 8, up(high), 16, up(low) - up(high));
        }
      });
      said.textContent = chosen.size
        ? `${inside.length} of ${rows.length} runs: ${inside.slice(0, 12).map((i) => data.runs[i]).join(", ")}${inside.length > 12 ? ", …" : ""}`
        : "Drag along an axis to choose runs; click it to take that back.";
      Object.assign(counts, { lines: rows.length, axes: columns.length, selected: inside.length });
    };
    let from = null;
    const part = (e) =>
      Math.max(0, Math.min(1, (bottom - (e.clientY - canvas.getBoundingClientRect().top)) / (bottom - top)));
    canvas.addEventListener("pointerdown", (e) => {
      const x = e.clientX - canvas.getBoundingClientRect().left;
      const k = columns.findIndex((c, n) => Math.abs(at(n) - x) < 16);
      if (k < 0) return;
      from = { k, part: part(e) };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointerup", (e) => {
      if (!from) return;
      const to = part(e), { k } = from;
      if (Math.abs(to - from.part) < 0.01) chosen.delete(k);
      else chosen.set(k, [Math.min(to, from.part), Math.max(to, from.part)]);
      from = null;
      draw();
    });
    draw();
  };
  return { make };
})();
