/** Plain elements, without classes. */
export const base = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;font:.9375rem/1.5 system-ui,-apple-system,Roboto,"Segoe UI",sans-serif;color:var(--ink);background:var(--canvas)}
@media (max-width:63.99rem){body{font-size:1rem}}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.15em}
h1{margin:0;font-size:1.5rem;line-height:1.25;font-weight:600;overflow-wrap:anywhere}
h2{margin:var(--s6) 0 var(--s3);font-size:1.25rem;line-height:1.3;font-weight:600;overflow-wrap:anywhere}
h3{margin:var(--s5) 0 var(--s2);font-size:.9375rem;font-weight:600;overflow-wrap:anywhere}
p{max-width:42rem;margin:0 0 var(--s3)}
b,strong{font-weight:600}
small{font-size:.8125rem}
code{font:.8125rem/1.5 ui-monospace,"Cascadia Mono",Menlo,monospace;overflow-wrap:anywhere}
pre{max-width:60rem;margin:0 0 var(--s4);padding:var(--s3);overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:var(--r-control);background:var(--sunken)}
ul,ol{overflow-wrap:anywhere}
table{border-collapse:collapse;font-size:.875rem}
::placeholder{color:var(--soft);opacity:1}
th,td{padding:var(--s2) var(--s3);text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th,thead td{border-top:0}
thead th{font-size:.8125rem;font-weight:500;color:var(--soft);white-space:nowrap}
tbody th{font-weight:500}
tbody th a,td a{color:inherit;font-weight:500;text-decoration:none}
tbody th a:hover,td a:hover{text-decoration:underline}
tbody tr:hover{background:var(--sunken)}
tfoot td,tfoot th{font-weight:600;border-top:2px solid var(--line)}
td small{color:var(--soft);overflow-wrap:anywhere}
caption{padding:var(--s3);text-align:left;font-weight:600}
dl{display:grid;grid-template-columns:minmax(7rem,10rem) minmax(0,1fr);gap:var(--s1) var(--s4);margin:0 0 var(--s4)}
dt{color:var(--soft)}
dd{margin:0;min-width:0;overflow-wrap:anywhere}
@media (max-width:30rem){dl{grid-template-columns:minmax(6rem,8rem) minmax(0,1fr);gap:var(--s1) var(--s3)}}
fieldset{margin:0 0 var(--s4);padding:0;border:0;min-width:0}
input,select,textarea{width:100%;min-height:var(--height);padding:.35rem .6rem;font:inherit;color:inherit;background:var(--surface);border:1px solid var(--control);border-radius:var(--r-control)}
@media (max-width:63.99rem){input,select,textarea{font-size:1rem}}
input[type=checkbox],input[type=radio]{width:1.25rem;min-height:1.25rem;flex:none;margin:0;accent-color:var(--accent)}
input[type=file]{padding:.35rem}
[aria-invalid=true]{border:2px solid var(--bad)}
button,.button{display:inline-flex;align-items:center;justify-content:center;gap:var(--s2);min-height:var(--height);padding:.3rem .9rem;font:inherit;font-weight:500;text-decoration:none;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:var(--r-control);cursor:pointer}
button:hover,.button:hover{filter:brightness(1.08)}
summary{cursor:pointer;min-height:var(--height);padding:.35rem 0}
html{scroll-padding-top:4.5rem}
figure{margin:0;min-width:0}
figcaption{font-weight:600;margin-bottom:var(--s2)}
svg{display:block;max-width:100%}
:focus-visible,input:focus-within{outline:3px solid var(--focus);outline-offset:2px}
@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
`;
