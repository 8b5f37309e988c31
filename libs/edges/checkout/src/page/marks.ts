import { Html } from '#shared/html';

/** Draws a mark beside a text that says the same. It is hidden from screen readers. */
function mark(name: string, drawing: string): Html {
  return new Html(
    `<svg class="mark mark-${name}" viewBox="0 0 64 64" aria-hidden="true" focusable="false">${drawing}</svg>`,
  );
}

const stroke = 'fill="none" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"';

export const marks = {
  phone: mark(
    'phone',
    `<circle class="disc" cx="32" cy="32" r="32" fill="#e3f2ea"/><rect class="line" x="21" y="11" width="22" height="42" rx="4" fill="#fff" stroke="#0a7a45" stroke-width="3"/><path class="line" d="M29 48h6" stroke="#0a7a45" stroke-width="3" stroke-linecap="round"/><g class="spot" fill="#0a7a45"><circle class="dot" cx="26.5" cy="29" r="2"/><circle class="dot" cx="32" cy="29" r="2"/><circle class="dot" cx="37.5" cy="29" r="2"/></g>`,
  ),
  paid: mark(
    'paid',
    `<circle class="disc" cx="32" cy="32" r="32" fill="#0a7a45"/><path class="line" d="M19 33l9 9 18-19" ${stroke} stroke="#fff"/>`,
  ),
  failed: mark(
    'failed',
    `<circle class="disc" cx="32" cy="32" r="32" fill="#fbe4e2"/><path class="line" d="M23 23l18 18M41 23L23 41" ${stroke} stroke="#b3261e"/>`,
  ),
  attention: mark(
    'attention',
    `<circle class="disc" cx="32" cy="32" r="32" fill="#fdf0d9"/><path class="line" d="M32 17v19" ${stroke} stroke="#8a5300"/><circle class="spot" cx="32" cy="46" r="3.5" fill="#8a5300"/>`,
  ),
} as const;
