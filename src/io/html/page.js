// What all pages share: words, colours, tables, columns that are decoded when they are asked for.
"use strict";
const saltus = (() => {
  const parsed = (id) => {
    const text = document.getElementById(id).textContent.trim();
    return text ? JSON.parse(text) : null;
  };
  const decode = (id) => {
    const text = atob(document.getElementById(id).textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return new Float64Array(bytes.buffer);
  };

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
  const table = (heads, rows, ...classes) => {
    const head = element("tr", ...heads.map((h) => element("th", h)));
    const body = rows.map((row) => element("tr", ...row.map((cell) =>
      cell instanceof Node ? element("td", cell)
        : typeof cell === "number" ? element("td.number", text(cell)) : element("td", cell ?? ""))));
    const made = element(["table", ...classes].join("."), element("thead", head), element("tbody", ...body));
    return element("div.scroll", made);
  };
  const section = (id, title, ...content) => {
    const made = element("section", element("h2", title), ...content);
    made.id = id;
    document.getElementById("page").append(made);
    const link = element("a", title);
    link.href = "#" + id;
    document.getElementById("links").append(link);
    return made;
  };
  // Of plots.
  const axis = { stroke: "#5b6472", font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
                 grid: { stroke: "#e7eaee", width: 1 }, ticks: { stroke: "#d5dae0", width: 1, size: 5 },
                 values: (u, ticks) => ticks.map((v) => (v === null ? "" : text(v))) };
  const tip = document.getElementById("tip");
  // Beside a point of the window.
  const showTip = (x, y, ...content) => {
    tip.replaceChildren(...content);
    tip.hidden = false;
    tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - tip.offsetWidth - 12)) + scrollX + "px";
    tip.style.top = Math.max(8, Math.min(y + 14, innerHeight - tip.offsetHeight - 12)) + scrollY + "px";
  };
  return {
    parsed, decode, colors, text, element, table, section, axis, tip, showTip,
    color: (i) => colors[i % colors.length],
    tint: (i) => tints[i % tints.length],
    counts: {},
  };
})();
