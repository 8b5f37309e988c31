/** Pages of operators and auditors: the home, its lists of parts, approvals and decisions. */
export const desk = `
.approval{max-width:44rem}
.approval .about{display:flex;flex-wrap:wrap;gap:var(--s1) var(--s3);align-items:center}
.approval .about .choice{margin:0 -.5rem 0 -.6rem}
.approval h3{margin:0;font-size:.9375rem}
.approval h3 a{color:inherit;text-decoration:none}
.approval h3 a:hover{text-decoration:underline}
.approval .change dl{margin:var(--s2) 0 0}
.approval .change{margin:var(--s2) 0 var(--s3);font-size:1.0625rem;overflow-wrap:anywhere}
.approval dl{font-size:.875rem;margin:0 0 var(--s3)}
.approval form{margin:0}
.approval .field{margin:0}
.marks{display:flex;flex-wrap:wrap;gap:var(--s2)}
.split h2:first-child{margin-top:0}
.decisions .option{margin:0 0 var(--s3)}
.decisions label{display:flex;gap:var(--s2);align-items:center;min-height:var(--height);margin:0;font-weight:500}
.decisions p{margin:0 0 0 1.75rem}
.decisions .field p{margin-left:0}
.decisions .posts{margin:var(--s2) 0 0 1.75rem}
.decisions .posts dl{margin:0;font-size:.875rem}
.decisions .posts dd:last-child{font-weight:600}
.decisions .with{margin:var(--s2) 0 0 1.75rem}
@supports selector(:has(*)){.decisions .option:has(.with):not(:has(input[type=radio]:checked)) .with{display:none}}
.timeline summary{min-height:0;font-size:.8125rem;color:var(--soft)}
.timeline div{overflow-wrap:anywhere}
.row .field select{max-width:22rem}
.dialog dl{grid-template-columns:minmax(5rem,8rem) minmax(0,1fr);margin-bottom:var(--s3)}
.decisions legend{padding:0}
.well{display:flex;flex-wrap:wrap;gap:var(--s2);align-items:center}
.todo{max-width:80rem}
.decided{margin:0 0 var(--s4);padding:0;list-style:none}
.decided li{display:flex;flex-wrap:wrap;gap:0 var(--s3);justify-content:space-between;margin:0;padding:var(--s2) 0;border-top:1px solid var(--line)}
.decided p{flex:0 0 100%;margin:0;font-size:.875rem;overflow-wrap:anywhere}
.todo ol{margin:0;padding:0 0 0 var(--s5)}
.todo li+li{margin-top:var(--s3)}
.todo p{margin:0}
.fold>summary,.todo summary,.fact summary,.tile summary{min-height:0;font-size:.8125rem;color:var(--soft)}
.queues{grid-template-columns:repeat(auto-fit,minmax(min(100%,9rem),1fr));gap:var(--s3)}
.tile h3{margin:0}
#processes th[scope=row]{white-space:nowrap}
#processes caption{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.tile dl{grid-template-columns:minmax(0,1fr);gap:0;margin:var(--s1) 0 0;font-size:.8125rem}
.lines{padding:0 var(--s4);max-width:60rem}
.lines section{display:grid;grid-template-columns:11rem 9rem minmax(0,1fr);gap:var(--s1) var(--s4);align-items:baseline;padding:var(--s3) 0;border-top:1px solid var(--line);font-size:.875rem}
.lines>section:first-child,.lines>.fold:first-child>section:first-of-type{border-top:0}
.lines h3{margin:0;font-size:.875rem;font-weight:500}
.lines .badge{justify-self:start}
.fact{min-width:0;color:var(--soft);overflow-wrap:anywhere}
.fact dl{margin:var(--s1) 0}
.reviews .ref{white-space:nowrap}
.reviews .pick,.reviews .over{position:relative;z-index:1}
.reviews .pick{width:1%;padding:0 0 0 var(--s2)}
.reviews .pick .choice{min-height:2.25rem}
.reviews .asked{font-weight:400}
@media (max-width:39.99rem){
.reviews tbody tr{grid-template-columns:auto minmax(0,1fr) auto;gap:0 var(--s2)}
.reviews .pick{grid-area:1/1/3/2;align-self:center;padding:0;margin-left:calc(-1*var(--s3))}
.reviews .pick .choice{min-height:var(--height)}
.reviews .ref{grid-area:1/2}
.reviews .amount-cell{grid-area:1/3}
.reviews tbody tr:has(.arrived .money) .asked{display:none}
.reviews .arrived:empty{display:none}
.reviews .status{grid-area:2/2;color:var(--soft)}
.reviews .when{grid-area:2/3}
.reviews .proposed{grid-area:3/2/4/4;font-size:.8125rem;color:var(--soft)}
.reviews .proposed:empty{display:none}
}
@media (max-width:39.99rem){
#processes tr{display:flex;flex-wrap:wrap;gap:var(--s1) var(--s2);align-items:baseline;padding:var(--s2) var(--s3)}
#processes tbody th{flex:1 0 auto;margin:0}
#processes td[data-head]{display:block}
#processes tbody th small,#processes td:nth-child(3),#processes td:nth-child(4){display:none}
#processes td::before{display:none}
.lines>.fold{margin:0;padding:var(--s2) 0}
}
.manage{max-width:22rem}
.manage>summary{min-height:0;padding:0;font-weight:500}
.manage dl{margin:var(--s2) 0}
td .id>summary{white-space:nowrap}
.fold.chip>summary{min-height:var(--height)}
.queues .badge{padding:.05rem .35rem;font-size:.75rem}
.entries legend{padding:0}
.entries{max-width:48rem}
.entries .hint{margin:0 0 var(--s2);font-size:.8125rem;color:var(--soft)}
.entries .wrong{margin:0 0 var(--s2);font-weight:500;color:var(--bad)}
.entry{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,1fr) minmax(0,1fr);gap:var(--s2);margin:0 0 var(--s2)}
.entry.heads{font-size:.8125rem;color:var(--soft)}
.entry label{min-width:0}
.entry input{text-align:right;font-variant-numeric:tabular-nums}
@media (min-width:40rem){.entry .word{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}}
@media (max-width:39.99rem){.cards tfoot{display:block;width:100%}.entry.heads{display:none}.entry{grid-template-columns:1fr 1fr;padding:var(--s2) 0;border-top:1px solid var(--line)}.entry label:first-child{grid-column:1/-1}.entry .word{font-size:.8125rem;color:var(--soft)}}
@media (max-width:40rem){.lines section{grid-template-columns:minmax(0,1fr) auto}.lines .fact{grid-column:1/-1}}
`;
