/**
 * Colours, sizes and spaces of the pages. Each colour has a light and a dark value; the scheme is the system's unless
 * the person chose one. Text has a contrast of 4.5 or more with its background, and borders of controls 3 or more.
 */
export const tokens = `
:root{color-scheme:light dark;
--canvas:light-dark(#f6f7f6,#0e1311);--surface:light-dark(#fff,#161d1a);--sunken:light-dark(#eef1ef,#212b26);
--line:light-dark(#e2e7e4,#2b3731);--control:light-dark(#7b8882,#75847c);
--ink:light-dark(#14201a,#e9efeb);--soft:light-dark(#55635c,#a3b2aa);
--accent:light-dark(#0a7a45,#5fd39b);--on-accent:light-dark(#fff,#06170f);--accent-tint:light-dark(#e5f3eb,#123024);
--good:light-dark(#0b6138,#86dcb0);--good-tint:light-dark(#e5f3eb,#12291e);
--bad:light-dark(#a01c15,#ffa79f);--bad-tint:light-dark(#fdecea,#3a1d1a);
--wait:light-dark(#7a4a00,#f4c36b);--wait-tint:light-dark(#fff1d6,#33270f);
--info:light-dark(#1d4f91,#9cc2ff);--info-tint:light-dark(#e8f0fb,#16263d);
--focus:light-dark(#1457c8,#8ab4ff);
--plot:var(--accent);--plot-failed:light-dark(#c8453c,#f08a80);--plot-pending:light-dark(#b97a10,#d9a24a);
--s1:.25rem;--s2:.5rem;--s3:.75rem;--s4:1rem;--s5:1.5rem;--s6:2rem;--s7:3rem;
--r-control:.375rem;--r-card:.625rem;--r-badge:99px;--height:2.25rem;
--shadow:0 4px 16px light-dark(rgb(20 32 26/.16),rgb(0 0 0/.5))}
body[data-theme=light]{color-scheme:light}
body[data-theme=dark]{color-scheme:dark}
@media (max-width:63.99rem){:root{--height:2.75rem}}
@media (min-width:120rem){html{font-size:112.5%}}
`;
