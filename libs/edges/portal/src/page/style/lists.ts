/**
 * Lists of money: the balance line, filters as chips, and tables whose rows become cards on a phone. Beside them the
 * parts of the pages that a row leads to.
 */
export const lists = `
.tiles.days{grid-template-columns:repeat(3,minmax(0,1fr));gap:var(--s3);margin:0 0 var(--s4)}
@media (max-width:39.99rem){.tiles.days{grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--s2);margin:0 0 var(--s3)}}
a.tile{color:inherit;text-decoration:none}
a.tile:hover{border-color:var(--control)}
.period{margin-top:var(--s5);font-size:.9375rem}
.balances{display:flex;flex-wrap:wrap;gap:var(--s3) var(--s6);max-width:80rem;margin:0 0 var(--s4);padding:0;list-style:none}
.balances li{min-width:0}
.balances p{margin:0}
.balances .label{font-size:.8125rem;color:var(--soft)}
.balances .value{font-size:1.5rem;line-height:1.25;font-weight:600;overflow-wrap:anywhere}
.balances .value .money{white-space:normal}
.balances .rest{display:flex;flex-wrap:wrap;gap:0 var(--s4);font-size:.8125rem;color:var(--soft)}
.tab-row{display:flex;gap:var(--s3);align-items:flex-end;justify-content:space-between;max-width:80rem;margin:0 0 var(--s4);border-bottom:1px solid var(--line)}
.tab-row .tabs{min-width:0;margin:0 0 -1px;border:0}
.filters{position:relative}
.empty .do{display:block;margin-top:var(--s4)}
.way-back{margin:0 0 var(--s1);font-size:.875rem}
.way-back a{display:inline-flex;gap:var(--s1);align-items:center;min-height:2rem;color:var(--soft);text-decoration:none}
.way-back a:hover{text-decoration:underline}
.way-back .icon{width:1rem;height:1rem}
.chip>summary .icon{width:.75rem;height:.75rem}
.chip form{max-width:none}
.chip .field{margin:0 0 var(--s3)}
.chip .presets{display:flex;flex-wrap:wrap;gap:0 var(--s3);margin:0 0 var(--s2);padding:0;list-style:none}
.chip .presets a,.chip .views a{display:inline-flex;align-items:center;min-height:var(--height)}
.chip .views{margin:0 0 var(--s3);padding:0;list-style:none}
.chip .views li{display:flex;gap:var(--s3);align-items:center;justify-content:space-between}
.chip .views form,.chip .views .field{margin:0}
.chip-set{display:inline-flex;align-items:center}
.chip-set .clear{display:inline-flex;align-items:center;justify-content:center;min-width:2rem;min-height:2rem;color:var(--soft)}
.chip-set .clear .icon{width:.75rem;height:.75rem}
.fold{margin:0 0 var(--s4)}
@supports selector(::details-content){@media (min-width:40rem){.fold>summary{display:none}.fold::details-content{display:block;content-visibility:visible;height:auto}}}
.list .amount-cell{text-align:right;font-weight:600;white-space:nowrap;font-variant-numeric:tabular-nums}
.list tbody tr{position:relative}
.list .ref a::after{content:"";position:absolute;inset:0}
.list .ref{min-width:11.25rem;font-weight:500;overflow-wrap:anywhere}
.list tbody th{font-weight:500}
.list thead .amount-cell{font-weight:500}
.list .unit{display:none}
.list .badge:has(+.badge){margin-right:var(--s1)}
.list .type{white-space:nowrap}
.list .type .icon{width:.875rem;height:.875rem;color:var(--soft)}
.list .customer{white-space:nowrap;font-variant-numeric:tabular-nums}
.list .reason{color:var(--soft)}
.list tfoot td,.list tfoot th{font-weight:400}
.list tfoot .amount-cell{color:var(--ink);font-weight:600}
.after{display:flex;flex-wrap:wrap;gap:0 var(--s5);max-width:80rem;font-size:.8125rem;color:var(--soft)}
.after p{margin:0 0 var(--s2)}
@media (max-width:39.99rem){
.list{width:100%;overflow:visible}
.list>table,.list tbody,.list tfoot{display:block;width:100%;min-width:0}
.list caption{display:block}
.list thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.list tr{display:flex;flex-wrap:wrap;gap:var(--s1) var(--s3);align-items:baseline;padding:var(--s3) var(--s4);border-top:1px solid var(--line)}
.list td,.list th{display:block;flex:none;max-width:100%;padding:0;border:0}
.list tbody tr:first-child{border-top:0}
.list .unit{display:inline}
.list .type{order:1}
.list .type span:last-child{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.list .ref{order:2;flex:1 1 0;min-width:0;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
.list .ref a{display:block;overflow:hidden;text-overflow:ellipsis}
.list .amount-cell{order:3}
.list tbody tr::after{content:"";order:4;flex:0 0 100%;height:0}
.list .status{order:5}
.list .customer{order:6;color:var(--soft);font-size:.875rem}
.list .customer:empty{display:none}
.list .when{order:7;margin-left:auto;color:var(--soft);font-size:.875rem}
.list .more{display:none}
.list .more:has(.reason){display:block;order:8;flex:0 0 100%;font-size:.875rem}
.list tfoot th{order:1;flex:1 1 0;min-width:0}
.list tfoot .amount-cell{order:2}
.tab-row{display:block;border:0;margin-bottom:var(--s2)}
.tab-row .tabs{flex-wrap:nowrap;overflow-x:auto;margin:0 0 var(--s2);padding-right:2.5rem;border-bottom:1px solid var(--line);-webkit-mask-image:linear-gradient(to right,#000 calc(100% - 2.5rem),transparent);mask-image:linear-gradient(to right,#000 calc(100% - 2.5rem),transparent)}
.tab-row .tabs a{white-space:nowrap}
.tab-row .tabs li:has([aria-current]){order:-1}
.filters>.chips{margin-bottom:var(--s2)}
.filters>.chips>a{white-space:nowrap}
.filters .chip{position:static}
.filters .chip>div{top:100%;left:0;right:0;width:auto;max-width:none}
.tiles.days>.tile{padding:var(--s2) var(--s3)}
.tiles.days>.tile>.value{font-size:1rem}
.tiles.days>.tile.wide{display:flex;flex-wrap:wrap;gap:0 var(--s3);align-items:baseline;grid-column:1/-1}
.tiles.days>.wide>.label{flex:1 1 calc(100% - 11rem)}
.tiles.days>.wide>.value{flex:0 0 10.25rem;margin:0;text-align:right}
.period{margin:var(--s4) 0 var(--s2)}
}
@media (min-width:40rem) and (max-width:79.99rem){
.list td,.list th{padding-left:var(--s2);padding-right:var(--s2)}
.list .type span:last-child{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.list thead .more{white-space:normal}
.list .ref{min-width:10.25rem}
}
@media (scripting:none){.copy,.print{display:none}}
.copyable{display:inline-flex;gap:var(--s1);align-items:center;min-width:0;overflow-wrap:anywhere}
.copy.is-done{color:var(--good)}
.amount-line{display:flex;flex-wrap:wrap;gap:var(--s2) var(--s3);align-items:center;margin:0 0 var(--s2)}
.amount-line .amount{margin:0}
h1 .amount-line{margin:0}
.head+.named{margin-top:calc(-1*var(--s3))}
.named{display:flex;flex-wrap:wrap;gap:0 var(--s2);align-items:center;margin:0 0 var(--s4)}
h2 small{font-weight:400}
.split>.card{margin:0}
.split{margin-bottom:var(--s4)}
.split>.card dl{grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:var(--s1) var(--s3)}
.split .timeline{margin-bottom:0}
.technical{max-width:80rem;margin:var(--s4) 0}
.split>section>h2{margin-top:0}
.card dl{margin-bottom:0}
.card dl+form{margin-top:var(--s4)}
.steps{counter-reset:step;margin:0;padding:0;list-style:none}
.steps>li{counter-increment:step;margin:0 0 var(--s5)}
.steps>li>h2{display:flex;gap:var(--s2);align-items:center}
.steps>li>h2::before{content:counter(step);display:inline-flex;align-items:center;justify-content:center;width:1.75rem;height:1.75rem;flex:none;border-radius:99px;font-size:.875rem;color:var(--accent);background:var(--accent-tint)}
.equation{width:fit-content;min-width:min(100%,22rem);max-width:28rem}
.equation table{width:100%}
.equation th,.equation td{padding-left:0;padding-right:0}
.equation .number{padding-left:var(--s4)}
.equation .sign{display:inline-block;width:1.25rem;color:var(--soft)}
.equation tbody tr:last-child>*{font-weight:600;border-top:2px solid var(--line)}
.days .act a{position:relative;color:var(--accent)}
@media (max-width:39.99rem){
.list:is(.days,.deliveries,.calls) tr,.reviews tbody tr{display:grid;grid-template-columns:auto minmax(0,1fr) auto}
.list:is(.days,.deliveries,.reviews,.calls) tbody tr::after{display:none}
.days .ref{grid-area:1/1}
.days .amount-cell{grid-area:1/2/2/4}
.days .status{grid-area:2/1}
.days .out{grid-area:2/2/3/4;font-size:.8125rem;color:var(--soft);white-space:normal}
.days .act{grid-area:3/1/4/4}
.days .act:empty{display:none}
.days tfoot .ref{grid-area:1/1}
.days tfoot .amount-cell{grid-area:1/2}
.days tfoot .out{grid-area:2/1/3/3}
}
.refunds{margin:0;padding:0;list-style:none}
.balance-line{margin:0 0 var(--s1)}
.summary form{margin-top:var(--s4)}
.summary form .field{margin:0}
@media (max-width:63.99rem){.empty-summary{display:none}.ask>.summary{order:-1}}
.approvals{display:grid;gap:var(--s3);max-width:60rem;margin:0 0 var(--s4);padding:0;list-style:none}
.approvals>li{display:flex;flex-wrap:wrap;gap:var(--s3) var(--s5);align-items:center;justify-content:space-between;margin:0}
.approvals p{margin:0}
.approvals .value{font-size:1.25rem;font-weight:600}
.paper{max-width:30rem;padding:var(--s5)}
.paper header p,.paper>p{margin:0 0 var(--s1)}
.paper .shop{font-size:1.25rem;font-weight:600;overflow-wrap:anywhere}
.paper .amount{margin:var(--s4) 0 var(--s2)}
.paper dl{grid-template-columns:minmax(6rem,9rem) minmax(0,1fr);gap:var(--s2) var(--s4);margin:var(--s5) 0;padding-top:var(--s4);border-top:1px solid var(--line)}
.paper footer{display:flex;gap:var(--s2);align-items:center;font-size:.8125rem}
.paper .tick{fill:none;stroke:var(--on-accent);stroke-width:2.4}
.paper footer svg{flex:none;width:1.5rem;height:1.5rem}
@media (max-width:30rem){.paper{padding:var(--s4)}.paper dl{grid-template-columns:minmax(5rem,7rem) minmax(0,1fr);gap:var(--s2) var(--s3)}}
.export{display:flex;flex-wrap:wrap;gap:var(--s2) var(--s3);align-items:center;margin:0 0 var(--s4)}
.export[hidden]{display:none}
.export p{margin:0}
.export progress{width:min(16rem,40vw);accent-color:var(--accent)}
`;
