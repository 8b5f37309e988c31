/** Pages of operators and auditors: the home, its lists of parts, approvals and decisions. */
export const desk = `
.well{display:flex;flex-wrap:wrap;gap:var(--s2);align-items:center}
.todo{max-width:60rem}
.todo ol{margin:0;padding:0 0 0 var(--s5)}
.todo li+li{margin-top:var(--s3)}
.todo p{margin:0}
.todo summary,.fact summary,.tile summary{min-height:0;font-size:.8125rem;color:var(--soft)}
.tile h3{margin:0}
.tile dl{margin:var(--s1) 0 0;font-size:.8125rem}
.lines{padding:0 var(--s4);max-width:60rem}
.lines>section{display:grid;grid-template-columns:11rem 9rem minmax(0,1fr);gap:var(--s1) var(--s4);align-items:baseline;padding:var(--s3) 0;border-top:1px solid var(--line);font-size:.875rem}
.lines>section:first-child{border-top:0}
.lines h3{margin:0;font-size:.875rem;font-weight:500}
.lines .badge{justify-self:start}
.fact{min-width:0;color:var(--soft);overflow-wrap:anywhere}
.fact dl{margin:var(--s1) 0}
@media (max-width:40rem){.lines>section{grid-template-columns:minmax(0,1fr) auto}.lines .fact{grid-column:1/-1}}
`;
