/** The building blocks of pages (`page/parts.ts`). */
export const components = `
.icon{display:inline-block;flex:none;width:1.125rem;height:1.125rem;vertical-align:-.2em;background:currentColor;-webkit-mask:var(--icon) center/contain no-repeat;mask:var(--icon) center/contain no-repeat}
.away{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.scroll{width:fit-content;max-width:100%;margin:0 0 var(--s4);overflow-x:auto;border:1px solid var(--line);border-radius:var(--r-card);background:var(--surface)}
caption span{display:inline-block;position:sticky;left:var(--s3);max-width:calc(100vw - 4rem)}
@media (max-width:39.99rem){
.cards{width:100%}
.cards>table,.cards tbody,.cards caption{display:block;width:100%}
.cards thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.cards tr{display:block;padding:var(--s3);border-top:1px solid var(--line)}
.cards th,.cards td{display:block;padding:0;border:0;text-align:left;overflow-wrap:anywhere}
.cards tbody th{margin-bottom:var(--s1)}
.cards td[data-head]{display:grid;grid-template-columns:minmax(6rem,2fr) 3fr;gap:var(--s3)}
.cards td[data-head]>div{min-width:0}
.cards .choice{justify-content:start}
.cards td[data-head]::before{content:attr(data-head);color:var(--soft)}
.cards td:not([data-head]){display:none}
}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.money,time{font-variant-numeric:tabular-nums;white-space:nowrap}
dd time{white-space:normal}
.amount{margin:0 0 var(--s2);font-size:2rem;line-height:1.2;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.amount .money{white-space:normal}
.soft{color:var(--soft)}
.badge{display:inline-flex;gap:.3rem;align-items:center;padding:.05rem .5rem;border-radius:var(--r-badge);font-size:.8125rem;font-weight:500;white-space:nowrap;color:var(--soft);background:var(--sunken)}
dd .badge{white-space:normal}
.badge .icon{width:.875rem;height:.875rem}
.badge.good{color:var(--good);background:var(--good-tint)}
.badge.bad{color:var(--bad);background:var(--bad-tint)}
.badge.waiting{color:var(--wait);background:var(--wait-tint)}
.badge.info{color:var(--info);background:var(--info-tint)}
.notice{display:flex;gap:var(--s3);max-width:80rem;overflow-wrap:anywhere;margin:0 0 var(--s4);padding:var(--s3) var(--s4);border-radius:var(--r-card)}
.notice>.icon{margin-top:.15rem}
.notice>div{min-width:0}
.notice p:last-child,.notice ul:last-child{margin-bottom:0}
.notice ul{margin-top:0;padding-left:1.1rem}
.notice a{color:inherit}
.notice-done{color:var(--good);background:var(--good-tint)}
.notice-error{color:var(--bad);background:var(--bad-tint)}
.notice-warning{color:var(--wait);background:var(--wait-tint)}
.notice-info{color:var(--info);background:var(--info-tint)}
.empty{max-width:40rem;margin:0 0 var(--s4);padding:var(--s5) var(--s4);text-align:center;color:var(--soft);border:1px dashed var(--line);border-radius:var(--r-card);background:var(--surface)}
.empty .icon{width:2rem;height:2rem}
.empty p{max-width:none;margin:var(--s2) 0 0}
.empty strong{color:var(--ink)}
form{max-width:40rem}
.field{margin:0 0 var(--s4)}
.field label,legend{display:block;margin-bottom:.2rem;font-weight:500}
.field .hint{margin:0 0 var(--s1);font-size:.8125rem;color:var(--soft)}
.field .wrong{margin:0 0 var(--s1);font-weight:500;color:var(--bad)}
.field [type=date]{max-width:11rem}
.field [type=number]{max-width:10rem}
.field select{width:auto;max-width:100%}
.field.medium input{max-width:24rem}
.field.short input{max-width:10rem}
.prefixed{display:flex;gap:var(--s2);align-items:center}
.prefixed>span{color:var(--soft)}
.tick{display:flex;gap:.6rem;align-items:center;min-height:var(--height)}
.tick label{margin:0;font-weight:400}
.plain{color:var(--accent);background:none;border-color:transparent;padding:.3rem .25rem;font-weight:400;text-decoration:underline}
.secondary{color:var(--ink);background:var(--surface);border-color:var(--control)}
.danger{color:light-dark(#fff,#2a0a08);background:var(--bad);border-color:var(--bad)}
.choice{display:inline-flex;min-width:var(--height);min-height:var(--height);align-items:center;justify-content:center}
.card{min-width:0;max-width:80rem;margin:0 0 var(--s4);padding:var(--s4);border:1px solid var(--line);border-radius:var(--r-card);background:var(--surface)}
.card>:first-child,.card>:first-child>:first-child{margin-top:0}
.card>:last-child{margin-bottom:0}
.card h2{margin-top:0;font-size:.9375rem}
.card .choice{margin-left:-.6rem;vertical-align:middle}
.parts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:var(--s4);max-width:80rem;margin:0 0 var(--s5)}
.parts>*{margin:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,13rem),1fr));gap:var(--s4);max-width:80rem;margin:0 0 var(--s5)}
.tile{min-width:0;margin:0;padding:var(--s4);border:1px solid var(--line);border-radius:var(--r-card);background:var(--surface)}
.tile dt,.tile .label{font-size:.8125rem;font-weight:500;color:var(--soft)}
.tile>.value{margin:var(--s1) 0;font-size:1.5rem;line-height:1.25;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.tile .value .money{white-space:normal}
.tile p{margin:0}
.tile .note{font-size:.8125rem;color:var(--soft)}
@media (max-width:40rem){.tiles{grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:var(--s2)}.tile{padding:var(--s3)}.tile>.value{font-size:1.125rem}}
.split{display:grid;gap:var(--s5);max-width:80rem}
.split>*{min-width:0}
@media (min-width:64rem){.split{grid-template-columns:minmax(0,1fr) 24rem;align-items:start}}
.row{display:flex;flex-wrap:wrap;gap:0 var(--s4);align-items:flex-end;max-width:none}
.row .field{flex:0 1 auto}
@media (max-width:30rem){.row .field{flex:1 1 100%}.row .field select{width:100%}}
.buttons{display:flex;flex-wrap:wrap;gap:var(--s2);align-items:center}
.buttons form{margin:0}
.buttons .field{margin:0}
.tabs{display:flex;flex-wrap:wrap;gap:0 var(--s4);max-width:80rem;margin:0 0 var(--s4);padding:0;list-style:none;border-bottom:1px solid var(--line)}
.tabs a{display:inline-flex;align-items:center;min-height:var(--height);color:var(--soft);font-weight:500;text-decoration:none;border-bottom:2px solid transparent}
.tabs a[aria-current]{color:var(--ink);border-color:var(--accent)}
.chips{display:flex;flex-wrap:wrap;gap:var(--s2);align-items:center;max-width:80rem;margin:0 0 var(--s4)}
.chip{position:relative}
.chip>summary,.chip>a,a.chip{display:inline-flex;gap:var(--s1);align-items:center;min-height:2rem;padding:0 var(--s3);font-size:.875rem;color:var(--ink);text-decoration:none;list-style:none;border:1px solid var(--line);border-radius:99px;background:var(--surface)}
@media (max-width:63.99rem){.chip>summary,.chip>a,a.chip{min-height:var(--height)}}
.chip>summary::-webkit-details-marker{display:none}
.chip.is-set>summary{color:var(--accent);background:var(--accent-tint);border-color:transparent}
.chip>div{position:absolute;z-index:1;width:max-content;min-width:13rem;max-width:min(20rem,calc(100vw - 2rem));margin-top:var(--s1);padding:var(--s3);background:var(--surface);border:1px solid var(--line);border-radius:var(--r-card);box-shadow:var(--shadow)}
.id{display:inline-block}
.id>summary{display:inline;min-height:0;padding:0;list-style:none;font:.8125rem/1.5 ui-monospace,"Cascadia Mono",Menlo,monospace;color:var(--soft);text-decoration:underline dotted}
.id>summary::-webkit-details-marker{display:none}
.copy{min-height:0;padding:0 var(--s1);color:var(--soft);background:none;border-color:transparent}
.timeline{position:relative;max-width:48rem;margin:0 0 var(--s5);padding:0;list-style:none}
.timeline li{position:relative;padding:0 0 var(--s4) var(--s6)}
.timeline li::before{content:"";position:absolute;left:.56rem;top:1.4rem;bottom:0;width:2px;background:var(--line)}
.timeline li:last-child::before{display:none}
.timeline .dot{position:absolute;left:0;top:.15rem;display:inline-flex;align-items:center;justify-content:center;width:1.25rem;height:1.25rem;border-radius:99px;color:var(--soft);background:var(--sunken)}
.timeline .dot .icon{width:.75rem;height:.75rem}
.timeline .dot.good{color:var(--good);background:var(--good-tint)}
.timeline .dot.bad{color:var(--bad);background:var(--bad-tint)}
.timeline .dot.waiting{color:var(--wait);background:var(--wait-tint)}
.timeline .day{padding:0 0 var(--s2);font-size:.8125rem;font-weight:500;color:var(--soft)}
.timeline .day::before{display:none}
.timeline p{margin:0}
.dialog{max-width:30rem;margin:var(--s6) auto;padding:var(--s5)}
.dialog .buttons{margin-top:var(--s5)}
`;
