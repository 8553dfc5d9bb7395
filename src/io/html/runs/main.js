// Puts the page of many runs together.
"use strict";
(() => {
  const { data, element, text, table, section, scatter, histograms, parallel } = saltus;
  const n_missing = data.n_runs - data.n_complete - data.n_failed;
  const varied = data.columns.filter((c) => c.varied), kept = data.columns.filter((c) => !c.varied);
  const many = (n, one, more) => `${n} ${n === 1 ? one : more}`;
  const command = (run) => element("code", data.command_of(run));

  document.title = `${data.model || "runs"} – Saltus`;
  const badge = n_missing ? element("span.badge.partial", `${n_missing} missing`)
    : data.n_failed ? element("span.badge.partial", `${data.n_failed} failed`) : element("span.badge.good", "complete");
  const facts = [["runs", data.n_runs], ["complete", data.n_complete], ["failed", data.n_failed], ["missing", n_missing],
                 ["varied", varied.map((c) => c.name).join(", ")], ["kept", kept.length]];
  document.getElementById("head").append(
    element("h1", data.model || "Runs", " ", badge),
    element("dl", ...facts.map(([k, v]) => element("div", element("dt", k), element("dd", String(v))))));

  const warnings = [...data.warnings];
  if (data.n_failed) warnings.unshift(`${many(data.n_failed, "run", "runs")} failed; what they have in common is below.`);
  const empty = kept.filter((c) => c.n === 0 && data.n_complete > 0);
  if (empty.length) warnings.push(`No run has a value of ${empty.map((c) => c.name).join(", ")}.`);
  if (warnings.length) {
    const box = element("section.warnings", element("ul", ...warnings.map((w) => element("li", w))));
    box.id = "warnings";
    document.getElementById("page").append(box);
  }

  const known = data.n_complete + data.n_failed;
  const thinned = data.n_points < known
    ? [element("p.note.thinned", `${data.n_points} of ${known} runs are drawn, chosen by their numbers; distributions and extremes are those of all.`)] : [];

  const drawn = data.columns.filter((c) => c.differs);
  if (drawn.length >= 2 && data.n_points) {
    const select = (start, none) => {
      const made = element("select", ...(none ? [Object.assign(element("option", "–"), { value: -1 })] : []),
        ...drawn.map((c) => Object.assign(element("option", c.name), { value: c.number })));
      made.value = start ? start.number : -1;
      return made;
    };
    const v = varied.filter((c) => c.differs), k = kept.filter((c) => c.differs);
    const across = v[0] ?? drawn[0], up = v[1] ?? k[0] ?? drawn[1];
    const third = k.find((c) => c !== up && c !== across) ?? null;
    const a = select(across), b = select(up), c = select(third, true);
    [a.id, b.id, c.id] = ["across", "up", "colour"];
    const host = element("div.plane");
    const draw = () => scatter.draw(host, data.columns[a.value], data.columns[b.value], data.columns[c.value] ?? null);
    for (const s of [a, b, c]) s.addEventListener("change", draw);
    const tools = element("div.tools", element("label", "across ", a), element("label", "up ", b), element("label", "colour ", c),
                          element("span.note", "drag: zoom · double click: all"));
    section("plane", "One over another", tools, ...thinned, host);
    draw();
  }

  const grid = element("div.histograms");
  section("distributions", "Distributions", grid);
  histograms.all(grid, data.columns);

  if (drawn.length >= 3 && data.n_points) {
    const axes = drawn.slice(0, 14), host = element("div.parallel");
    const rest = drawn.length > axes.length ? [element("p.note", `The first ${axes.length} of ${drawn.length}.`)] : [];
    section("parallel", "All of them", ...thinned.map((e) => e.cloneNode(true)), ...rest, host);
    parallel.make(host, axes, kept.find((c) => c.differs) ?? null);
  }

  if (data.failures.length)
    section("failures", "What failed", table(["runs", "why (# is a number)", "one of them"],
      data.failures.map((f) => [f.n_runs, f.reason, command(f.example_run)])));

  const extreme = data.columns.filter((c) => c.differs);
  if (extreme.length)
    section("extremes", "Extremes", table(["", "smallest", "run", "largest", "run"],
      extreme.map((c) => [c.name, c.low, command(c.low_run), c.high, command(c.high_run)])));

  for (const t of data.texts)
    section("text-" + t.name, t.name[0].toUpperCase() + t.name.slice(1), element("details", element("summary", "as it was"), element("pre.block", t.text)));
  setTimeout(() => { saltus.ready = true; document.body.dataset.ready = "yes"; }, 0);
})();
