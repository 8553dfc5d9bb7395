// Everything that is words: warnings first, then events, modes, work, what was chosen, the analysis.
"use strict";
saltus.tables = (() => {
  const { data, element, text, tint, table, section } = saltus;
  const report = data.report || {};

  const header = () => {
    document.title = `${data.model || "result"} – Saltus`;
    const outcome = report.outcome;
    const good = outcome === "finished" || outcome === "terminal_event";
    const bad = outcome === "failed" || outcome === "not_started";
    const badge = outcome ? element(`span.badge.${good ? "good" : bad ? "bad" : "partial"}`,
                                    outcome.replaceAll("_", " ")) : "";
    const facts = [];
    const t = data.table.time;
    if (t.length) facts.push(["time", `${text(t[0])} … ${text(t[t.length - 1])} s`]);
    if (report.total_work) facts.push(["steps", text(report.total_work.n_steps)]);
    facts.push(["events", text(data.events.length + (data.n_not_kept || 0))]);
    facts.push(["modes", text(data.modes.length)]);
    const engines = [...new Set((report.work || []).map((w) => w.engine))].filter(Boolean);
    if (engines.length) facts.push(["engine", engines.join(", ")]);
    if (report.wall_time_s !== undefined) facts.push(["computed in", `${text(Number(report.wall_time_s.toPrecision(3)))} s`]);
    document.getElementById("head").append(
      element("h1", data.model || "Result", " ", badge),
      element("dl", ...facts.map(([k, v]) => element("div", element("dt", k), element("dd", v)))));
  };

  const warnings = () => {
    const list = [...(report.warnings || []), ...(data.notices || [])];
    const good = !report.outcome || report.outcome === "finished";
    if (!list.length && good && !report.message) return;
    const box = element("section.warnings");
    box.id = "warnings";
    if (!good || report.message)
      box.append(element("p", element("b", good ? "Note. " : `The run ended as “${report.outcome.replaceAll("_", " ")}”. `),
                         report.message || ""));
    if (list.length) box.append(element("ul", ...list.map((w) => element("li", w))));
    document.getElementById("page").prepend(box);
  };

  const events = () => {
    if (!data.events.length) return;
    const host = element("div");
    const arrow = { 1: "↑", "-1": "↓", 0: "" };
    const fill = (n) => {
      const made = table(["#", "time [s]", "kind", "name", "", "guarantee", "what changed"],
        data.events.slice(0, n).map((e, k) => [String(k + 1), e.t, e.kind.replaceAll("_", " "), e.name,
          arrow[e.direction], e.guarantee, e.changes]), "events");
      made.querySelectorAll("tbody tr").forEach((row, k) => {
        const e = data.events[k];
        row.classList.add("kind-" + e.kind);
        row.title = "show why, and zoom there";
        row.addEventListener("click", () => {
          const open = row.nextSibling && row.nextSibling.classList.contains("why");
          if (open) { row.nextSibling.remove(); return; }
          const cell = element("td", element("pre", e.explanation));
          cell.colSpan = 7;
          const go = element("button", "zoom to this event");
          go.addEventListener("click", () => {
            const t = data.table.time, width = (t[t.length - 1] - t[0]) / 25;
            saltus.plots.zoom(e.t - width, e.t + width);
            document.getElementById("plots").scrollIntoView();
          });
          cell.append(go);
          row.after(element("tr.why", cell));
        });
      });
      host.replaceChildren(made);
      if (data.events.length > n) {
        const more = element("button", `show all ${data.events.length} events`);
        more.addEventListener("click", () => fill(data.events.length));
        host.append(more);
      }
    };
    fill(100);
    section("events", "Events", element("p.note", "Click a line to read why it happened."), host);
  };

  const modes = () => {
    if (!report.modes || report.modes.length < 2) return;
    const name = (m) => {
      const label = m.sliding.length ? (m.mode ? m.mode + ", " : "") + "sliding on " + m.sliding.join(" and ") : m.mode;
      const at = data.modes.indexOf(label);
      const dot = element("span.dot");
      if (at >= 0) dot.style.background = tint(at);
      return element("span", dot, label);
    };
    const values = report.modes.some((m) => m.values);
    section("modes", "Modes", table(["mode", "stays", "time in it [s]", "tried, not taken", ...(values ? ["μ, d, a, v, u"] : [])],
      report.modes.map((m) => [name(m), m.n_stays, m.duration, m.n_tentative, ...(values ? [m.values] : [])])));
  };

  const statistics = () => {
    if (!report.work) return;
    const rows = [["steps", "n_steps"], ["steps repeated: error", "n_error_failures"],
      ["steps repeated: convergence", "n_convergence_failures"], ["evaluations", "n_evaluations"],
      ["Jacobians", "n_jacobians"], ["factorisations", "n_factorizations"],
      ["Newton iterations", "n_newton_iterations"], ["starts", "n_starts"]]
      .filter(([, key]) => report.total_work[key] > 0);
    const heads = report.work.map((w) =>
      (w.sliding.length ? (w.mode ? w.mode + ", " : "") + "sliding on " + w.sliding.join(" and ") : w.mode || "all") +
      ` (${w.engine}, ${w.n_unknowns} unknowns)`);
    const made = section("statistics", "Statistics",
      table(["", ...heads, ...(heads.length > 1 ? ["total"] : [])], rows.map(([label, key]) =>
        [label, ...report.work.map((w) => w.counts[key]), ...(heads.length > 1 ? [report.total_work[key]] : [])])));
    if (report.switches && report.switches.length)
      made.append(element("h3", "Relations"), table(
        ["relation", "events", "flips", "steps watched", "proven", "heuristic", "marginal"],
        report.switches.slice(0, 200).map((s) => [s.name, s.n_events, s.n_flips, s.n_steps, s.n_proven,
          s.n_heuristic, s.n_marginal])));
    if (report.events && report.events.smoothness) made.append(element("p", report.events.smoothness));
    if (report.invariants && report.invariants.length)
      made.append(element("h3", "Invariants"), table(["name", "initial", "last", "largest deviation", "at [s]"],
        report.invariants.map((i) => [i.name, i.initial, i.last, i.largest_deviation, i.t_largest])));
    if (report.choices && report.choices.length)
      made.append(element("h3", "What the solver chose"), table(["", "given", "used", "why"],
        report.choices.map((c) => [c.name, c.given, c.used, c.reason])));
    const changed = (report.options || []).filter((o) => o.changed);
    if (changed.length)
      made.append(element("h3", "Options that were given"), table(["option", "given", "default"],
        changed.map((o) => [o.name, o.given, o.default])));
    if (data.parameters.length)
      made.append(element("h3", "Parameters"), table(["name", "value", "unit", ""],
        data.parameters.map((p) => [p.name, p.value, p.unit, p.description])));
  };

  const texts = () => {
    if (data.analysis_text) section("analysis", "Analysis of the model", element("pre.block", data.analysis_text));
    if (data.report_text) {
      const details = element("details", element("summary", "as the command line prints it"),
                              element("pre.block", data.report_text));
      section("text", "Report as text", details);
    }
  };

  const derivatives = (host) => {
    const d = data.event_time_derivatives;
    if (!d || !d.length) return;
    host.append(element("h3", "How event times move"), table(["t [s]", "relation", ...data.derivative_parameters.map((p) => `per ${p}`)],
      d.map((e) => [e.t, e.relation, ...e.derivatives])));
    if (data.derivatives_end)
      host.append(element("p", `Derivatives end at t = ${text(data.derivatives_end.t)} s: ${data.derivatives_end.why}`));
  };
  return { header, warnings, events, modes, statistics, texts, derivatives };
})();
