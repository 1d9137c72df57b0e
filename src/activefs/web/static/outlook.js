// Charts of what is to come, and of how many features are enough; drawn when their part of the page has arrived.
"use strict";
(() => {
  const charts = [];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const whole = [1, 2, 5].flatMap((n) => [1, 10, 100, 1e3, 1e4, 1e5].map((p) => n * p)).sort((a, b) => a - b);
  const axis = () => ({ stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } });
  const brackets = (unit) => (unit ? ` (${unit})` : "");
  let points = [];

  const plot = (box, options, data) => {
    charts.push(new uPlot({ width: box.clientWidth, cursor: { y: false }, legend: { live: false }, ...options }, data, box));
  };

  // Which lines have an entry in the legend.
  const name = (box, shown) => box.querySelectorAll(".u-legend .u-series").forEach((row, i) => { row.hidden = !shown[i]; });

  const drawGap = (box) => {
    const ahead = JSON.parse(box.dataset.forecast);
    const known = points.filter((p) => p.expected_gap !== null);
    const x = [...new Set([...known.map((p) => p.labels), ...ahead.line.map((p) => p.labels)])].sort((a, b) => a - b);
    if (x.length === 0) return;
    const at = (list, key) => { const found = new Map(list.map((p) => [p.labels, p[key]])); return x.map((n) => found.get(n) ?? null); };
    const most = Math.max(ahead.target || 0, ...known.map((p) => p.expected_gap));
    plot(box, {
      height: 220,
      scales: { x: { time: false, range: [0, Math.max(...x)] }, y: { range: [0, most * 1.05 || 1] } },
      axes: [
        { ...axis(), label: "labels", labelSize: 22, incrs: whole },
        { ...axis(), label: `expected gap${brackets(ahead.unit)}`, labelSize: 22, size: 56 },
      ],
      series: [
        { label: "labels" },
        { label: "expected gap", stroke: colour("--blue"), width: 2, spanGaps: true },
        { label: "foreseen", stroke: colour("--blue"), width: 2, dash: [5, 4], spanGaps: true, points: { show: false } },
        { label: "little enough", stroke: colour("--orange"), width: 1.5, dash: [2, 3], points: { show: false } },
      ],
    }, [x, at(known, "expected_gap"), at(ahead.line, "gap"), x.map(() => ahead.target)]);
    name(box, [true, ahead.line.length > 0, true]);
  };

  const drawCurve = (box) => {
    const found = JSON.parse(box.dataset.curve);
    const column = (key) => found.points.map((p) => p[key]);
    const most = Math.max(found.all_columns || 0, ...column("together_upper"), 1e-6) * 1.05;
    const all = found.all_columns;
    const alone = found.unit === "nats";
    const bars = uPlot.paths.bars({ size: [0.6, 40] });
    plot(box, {
      height: 260,
      scales: {
        x: { time: false, range: [0.4, found.points.length + 0.6] },
        y: { range: [0, Math.max(most, alone ? Math.max(...column("alone")) * 1.05 : 0)] },
      },
      axes: [
        { ...axis(), label: "features, in the order of the choice", labelSize: 22, incrs: whole, grid: { show: false } },
        { ...axis(), label: "nats", labelSize: 22, size: 52 },
        ...(all ? [{ ...axis(), side: 1, label: "% of all columns", labelSize: 22, size: 48, grid: { show: false },
          splits: (u) => [0, 25, 50, 75, 100].map((p) => (p * all) / 100).filter((v) => v <= u.scales.y.max),
          values: (u, ticks) => ticks.map((v) => Math.round((100 * v) / all)) }] : []),
      ],
      series: [
        { label: "features" },
        { label: "upper", stroke: "transparent", points: { show: false } },
        { label: "lower", stroke: "transparent", points: { show: false } },
        { label: "each alone", show: alone, stroke: colour("--soft"), fill: colour("--bar-chance"), paths: bars, points: { show: false } },
        { label: "together", stroke: colour("--blue"), width: 2, points: { show: true, size: 6 } },
        { label: "all columns", show: Boolean(all), stroke: colour("--orange"), width: 1.5, dash: [5, 4], points: { show: false } },
      ],
      bands: [{ series: [1, 2], fill: colour("--band") }],
    }, [column("n_features"), column("together_upper"), column("together_lower"), column("alone"), column("together"), column("n_features").map(() => all)]);
    name(box, [false, false, alone, true, Boolean(all)]); // the edges of the band have no name
  };

  const draw = () => {
    while (charts.length) charts.pop().destroy();
    const gap = document.getElementById("gap-chart");
    const curve = document.getElementById("curve-chart");
    if (gap) drawGap(gap);
    if (curve) drawCurve(curve);
  };

  // study.js has just fetched the history: the same points are drawn here.
  document.addEventListener("history", (event) => { points = event.detail; draw(); });

  let labels = null;
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id === "outlook") { draw(); return; }
    // What follows from the labels takes a while to compute: not after each of them, while somebody looks on.
    const now = Number(document.getElementById("now").dataset.labels);
    if (labels === null || now < labels || now - labels >= Math.max(3, labels / 20)) {
      labels = now;
      htmx.trigger("#outlook", "moved");
    }
  });
  labels = Number(document.getElementById("now").dataset.labels);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const box = document.getElementById("outlook");
  let width = box.clientWidth;
  new ResizeObserver(() => { if (box.clientWidth !== width) { width = box.clientWidth; draw(); } }).observe(box);
})();
