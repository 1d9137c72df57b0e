// The chart of how the choice settles; it is drawn anew when the study has moved on.
"use strict";
(() => {
  const box = document.getElementById("chart");
  const said = document.getElementById("chart-said");
  const k = Number(box.dataset.k);
  const whole = [1, 2, 5].flatMap((n) => [1, 10, 100, 1e3, 1e4, 1e5].map((p) => n * p)).sort((a, b) => a - b);
  let chart = null;
  let points = [];

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const draw = () => {
    if (chart) chart.destroy();
    chart = null;
    if (points.length === 0) return;
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
    const most = Math.max(2, ...points.map((p) => p.contested));
    chart = new uPlot({
      width: box.clientWidth,
      height: 260,
      cursor: { y: false },
      legend: { live: false },
      scales: { x: { time: false }, y: { range: [0, k * 1.05] }, c: { range: [0, most * 1.05] } },
      axes: [
        { ...axis, label: "labels", labelSize: 22, incrs: whole },
        { ...axis, label: "features", labelSize: 22, size: 44, incrs: whole },
        { ...axis, scale: "c", side: 1, label: "contested", labelSize: 22, size: 48, grid: { show: false }, incrs: whole },
      ],
      series: [
        { label: "labels" },
        { label: `of today's top ${k}`, stroke: colour("--blue"), width: 2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: points.length < 3 } },
        { label: "contested", scale: "c", stroke: colour("--orange"), width: 1.5, dash: [5, 4], points: { show: points.length < 3 } },
      ],
    }, [points.map((p) => p.labels), points.map((p) => p.settled), points.map((p) => p.contested)], box);
    const last = points[points.length - 1];
    let since = last.labels;
    for (let i = points.length - 1; i >= 0 && points[i].settled === k; i--) since = points[i].labels;
    said.textContent = `The same ${k === 1 ? "feature has" : `${k} features have`} been on top since label ${since}; ${last.contested || "no"} feature${last.contested > 1 ? "s are" : " is"} contested now${last.contested ? `: ${last.contested / 2} chosen, ${last.contested / 2} not` : ""}.`;
  };

  const load = async () => {
    const answer = await fetch(`${document.body.dataset.root}/api/v1/history`, { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(60000) }).catch(() => null);
    if (!answer || !answer.ok) return;
    points = await answer.json();
    draw();
    document.dispatchEvent(new CustomEvent("history", { detail: points }));
  };

  document.addEventListener("htmx:afterSwap", (event) => { if (event.target.id !== "outlook") load(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let width = box.clientWidth;
  new ResizeObserver(() => { if (box.clientWidth !== width) { width = box.clientWidth; draw(); } }).observe(box);
  document.addEventListener("connected", load);
  load();
})();
