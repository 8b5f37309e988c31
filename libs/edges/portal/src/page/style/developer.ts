/** Pages of developers: cards of endpoints and keys, the signature debugger, and long technical texts. */
export const developer = `
.card-head{display:flex;flex-wrap:wrap;gap:var(--s1) var(--s3);align-items:center;justify-content:space-between;margin:0 0 var(--s3)}
.card-head h2{margin:0;min-width:0}
.card-head code{font-size:.875rem;font-weight:600}
.resource{display:flex;flex-direction:column}
.resource>.buttons{margin-top:auto;padding-top:var(--s2)}
.resource dl{margin-bottom:var(--s2)}
.resource summary,.technical>summary{font-size:.875rem;color:var(--soft)}
.resource details dl{grid-template-columns:1fr;gap:0}
.resource details dd{margin-bottom:var(--s2)}
.filters{margin:0 0 var(--s3);font-size:.875rem}
.filters>.fold[open]>summary{margin-bottom:var(--s3)}
.filters .field{margin-bottom:var(--s2)}
.filters label{color:var(--soft)}
.status-note{display:block;margin-top:.15rem}
.deliveries .item a{position:relative;overflow-wrap:anywhere}
.deliveries .item a,.deliveries .more{color:var(--soft)}
.beside{display:grid;gap:var(--s5)}
.beside>*{min-width:0;margin:0}
@media (min-width:64rem){.beside{grid-template-columns:minmax(0,max-content) minmax(20rem,28rem);align-items:start}}
.chip[aria-current]{color:var(--accent);background:var(--accent-tint);border-color:transparent}
.span{display:grid;grid-template-columns:repeat(2,minmax(0,11rem));gap:0 var(--s4)}
.danger-zone{max-width:48rem}
.danger-zone>summary{min-height:0;padding:0;font-weight:500;color:var(--bad)}
.danger-zone[open]>summary{margin-bottom:var(--s3)}
.danger-zone .danger{color:var(--bad);background:var(--surface);border-color:var(--bad)}
.result .badge{white-space:normal}
.debug{display:grid;gap:var(--s4);max-width:96rem}
.debug>*{min-width:0;margin:0}
.debug form{max-width:none}
.debug textarea{font:.8125rem/1.5 ui-monospace,"Cascadia Mono",Menlo,monospace}
.raw textarea{min-height:14rem}
.debug details{margin:0 0 var(--s4)}
.debug details>summary{color:var(--soft)}
.pair{display:grid;grid-template-columns:7rem minmax(0,1fr);gap:0 var(--s4)}
.signed{margin:0 0 var(--s4);padding:0;list-style:none;border:1px solid var(--line);border-radius:var(--r-control);overflow-wrap:anywhere}
.signed li{padding:var(--s2) var(--s3);border-top:1px solid var(--line)}
.signed li:first-child{border-top:0}
.signed p{margin:0;max-width:none}
.signed .name{display:flex;flex-wrap:wrap;gap:0 var(--s2);align-items:center;font-size:.8125rem;color:var(--soft)}
.signed .differs{background:var(--bad-tint)}
.signed .differs dl{grid-template-columns:minmax(5rem,6rem) minmax(0,1fr);margin:var(--s1) 0 0}
.signed .theirs{color:var(--bad)}
@media (max-width:39.99rem){
.calls .ref{grid-area:1/1/2/3}
.calls .ref{white-space:normal}
.calls .status{grid-area:1/3}
.calls .when{grid-area:2/1}
.calls .code,.calls .code:empty+.took{grid-area:2/2;min-width:0;overflow:hidden;text-overflow:ellipsis;text-align:left;color:var(--soft)}
.calls .code:empty,.calls .code:not(:empty)+.took,.calls .client{display:none}
.calls .request{grid-area:2/3;margin-left:auto}
.calls .request:has(details[open]){grid-area:3/1/4/4;margin:0}
.calls tfoot th{grid-area:1/1/2/4}
.deliveries .ref{grid-area:1/1/2/3}
.deliveries .status{grid-area:2/1}
.deliveries .when{grid-area:1/3}
.deliveries .item{grid-area:2/2;overflow:hidden;white-space:nowrap;text-overflow:ellipsis;font-size:.875rem}
.deliveries .attempts{grid-area:2/3;font-size:.8125rem;color:var(--soft)}
.deliveries .status-note,.deliveries .once{display:none}
.tab-row:has(+.deliveries),.tab-row:has(+.empty){display:flex;border-bottom:1px solid var(--line)}
.tab-row:has(+.deliveries) .tabs,.tab-row:has(+.empty) .tabs{margin:0 0 -1px;border:0}
.tab-row:has(+.deliveries)>.chip>div,.tab-row:has(+.empty)>.chip>div{left:auto;right:0}
.aside{order:-1}
}
@media (max-width:63.99rem){.filters{gap:0 var(--s3)}.filters .field,.filters .field select{flex:1 1 8rem;width:100%}}
@media (min-width:64rem){.debug{grid-template-columns:minmax(0,1fr) minmax(0,1fr);align-items:start}.debug .pasted{grid-column:1;grid-row:1}.debug .result{grid-column:2;grid-row:1;position:sticky;top:4.5rem}}
@media (min-width:40rem){.error-code{white-space:nowrap}}
`;
