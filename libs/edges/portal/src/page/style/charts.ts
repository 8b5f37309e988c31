/** Charts, drawn as SVG without a style of their own. The drawing stretches with the page, but its text does not. */
export const chartStyle = `
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));gap:var(--s4);align-items:start;max-width:80rem;margin:0 0 var(--s5)}
.chart{margin:0}
.chart .drawing{width:100%;overflow:visible}
.chart .plot{x:48px;width:calc(100% - 64px);overflow:visible}
.chart>details{margin:0}
.chart .scroll{margin:var(--s2) 0 0}
.chart dl{grid-template-columns:auto minmax(0,1fr);gap:var(--s1) var(--s4);margin:0}
.chart summary{font-size:.8125rem;color:var(--soft)}
svg text{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
svg .last{fill:var(--ink);font-weight:600;stroke:var(--surface);stroke-width:4px;paint-order:stroke}
svg .grid{stroke:var(--line);fill:none}
svg .zero{stroke:var(--control);fill:none}
svg .completed,.key.completed{fill:var(--plot);background:var(--plot)}
svg .failed,.key.failed{fill:var(--plot-failed);background:var(--plot-failed)}
svg .pending,.key.pending{fill:var(--plot-pending);background:var(--plot-pending)}
svg .line{fill:none;vector-effect:non-scaling-stroke;stroke-width:2;stroke-linejoin:round}
svg .line.completed{stroke:var(--plot)}
svg .line.failed{stroke:var(--plot-failed)}
svg .line.pending{stroke:var(--plot-pending)}
svg .target{fill:transparent}
svg .target:hover{fill:var(--ink);fill-opacity:.06}
.legend{display:flex;flex-wrap:wrap;gap:0 var(--s4);margin:0 0 var(--s2);font-size:.8125rem;color:var(--soft)}
.key{display:inline-block;width:.75rem;height:.75rem;border-radius:2px;vertical-align:-.1em}
.spark{width:6rem;height:1.5rem}
.day-spark{display:flex;flex-wrap:wrap;align-items:center;gap:0 var(--s3)}
.ranking{margin:0;padding:0;list-style:none}
.ranking li{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.1rem var(--s3);margin:0 0 var(--s3);font-size:.875rem}
.ranking svg{grid-column:1/-1;width:100%;height:.5rem}
`;
