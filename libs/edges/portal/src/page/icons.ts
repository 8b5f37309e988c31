import { html, type Html } from '#shared/html';

/** Each icon as the paths of a 24 by 24 drawing, stroked two wide. */
const drawings = {
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  transactions: 'M4 8h13l-3-3M20 16H7l3 3',
  payouts: 'M5 19L19 5M9 5h10v10',
  incoming: 'M19 5L5 19M15 19H5V9',
  reconciliation: 'M12 4v16M6 20h12M5 8h14M5 8l-2 6h5zM19 8l-3 6h5z',
  statements: 'M6 3h9l4 4v14H6zM9 11h7M9 15h7',
  keys: 'M8 15a4 4 0 1 1 3-3l9-9M17 6l3 3',
  webhooks: 'M5 12h14M14 7l5 5-5 5M5 5v14',
  errors: 'M12 4L2 20h20zM12 10v4M12 17v.5',
  debugger: 'M9 4L4 12l5 8M15 4l5 8-5 8',
  migration: 'M4 7h10a5 5 0 0 1 0 10H8M11 13l-4 4 4 4',
  docs: 'M4 5h7a2 2 0 0 1 2 2v13a2 2 0 0 0-2-1H4zM20 5h-7M20 5v14h-7',
  approvals: 'M4 12l5 5L20 6',
  reviews: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zM12 9a3 3 0 1 0 .01 0',
  corrections: 'M4 20l1-5L16 4l4 4L9 19z',
  merchants: 'M4 10h16v10H4zM3 10l3-6h12l3 6M10 20v-6h4v6',
  access: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z',
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  history: 'M12 4a8 8 0 1 1-7 4M5 3v5h5M12 8v5l3 2',
  seals: 'M12 3a6 6 0 1 0 .01 0M8 14l-1 7 5-3 5 3-1-7',
  verify: 'M5 3h14v18H5zM9 12l2 2 4-5',
  evidence: 'M6 11h12v10H6zM8 11V8a4 4 0 0 1 8 0v3',
  team: 'M9 11a4 4 0 1 0-.01 0M2 21c0-5 3-7 7-7s7 2 7 7M16 4a4 4 0 0 1 0 7M18 14c3 1 4 4 4 7',
  search: 'M11 4a7 7 0 1 0 .01 0M16 16l5 5',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M5 5l14 14M19 5L5 19',
  back: 'M20 12H5M11 5l-7 7 7 7',
  next: 'M4 12h15M13 5l7 7-7 7',
  down: 'M6 9l6 6 6-6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  export: 'M12 4v11M7 10l5 5 5-5M4 20h16',
  good: 'M5 13l5 5L19 7',
  bad: 'M6 6l12 12M18 6L6 18',
  waiting: 'M12 4a8 8 0 1 0 .01 0M12 8v5l3 2',
  neutral: 'M12 10a2 2 0 1 0 .01 0',
  info: 'M12 4a8 8 0 1 0 .01 0M12 11v5M12 8v.5',
} as const;

export type Icon = keyof typeof drawings;

/** An icon in the colour of its text. It is never alone: words beside it say the same. */
export function icon(name: Icon): Html {
  return html`<span class="icon i-${name}" aria-hidden="true"></span>`;
}

/** The rules that draw the icons. Each is a mask, so that it takes the colour of its text. */
export const iconStyle = Object.entries(drawings)
  .map(([name, paths]) => `.i-${name}{--icon:url("data:image/svg+xml,${svg(paths)}")}`)
  .join('\n');

function svg(paths: string): string {
  const attributes = [
    "xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='black'",
    "stroke-width='2' stroke-linecap='round' stroke-linejoin='round'",
  ].join(' ');
  return `<svg ${attributes}><path d='${paths}'/></svg>`
    .replaceAll('<', '%3C')
    .replaceAll('>', '%3E');
}
