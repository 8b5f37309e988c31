/** Charts, drawn as SVG without a style of their own. */
export const chartStyle = `
svg text{font-size:12px;fill:var(--soft)}
svg .axis{stroke:var(--line);fill:none}
svg .bar{fill:var(--plot)}
svg .line{stroke:var(--plot);stroke-width:2;fill:none}
svg .dot{fill:var(--plot)}
`;
