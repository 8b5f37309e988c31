import { html } from './html.js';

/**
 * The mark of PesaPost: a postage stamp with a tick. A page's style gives the size and the colours: `.stamp` is the
 * stamp, `.tick` is a stroke.
 */
export const brandMark = html`<svg class="mark" viewBox="0 0 28 28" aria-hidden="true">
  <path
    class="stamp"
    d="M3 6a3 3 0 0 1 3-3h16a3 3 0 0 1 3 3 2.2 2.2 0 0 0 0 4.4v7.2a2.2 2.2 0 0 0 0 4.4 3 3 0 0 1-3 3H6a3 3 0 0 1-3-3 2.2 2.2 0 0 0 0-4.4v-7.2A2.2 2.2 0 0 0 3 6z"
  />
  <path class="tick" d="M8.5 14.5l4 4 7-8" />
</svg>`;
