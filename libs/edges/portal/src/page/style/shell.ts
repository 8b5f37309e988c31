/**
 * The frame around each page: the top bar, the sidebar and the content. From 64rem the sidebar is always shown. On a
 * narrower screen it is a drawer that a button opens (popover).
 */
export const shell = `
.skip{position:absolute;left:-100vw;top:0;padding:var(--s3) var(--s4);background:var(--surface);z-index:3}
.skip:focus{left:0}
.top{display:flex;gap:var(--s3);align-items:center;height:3.5rem;padding:0 var(--s4);background:var(--surface);border-bottom:1px solid var(--line)}
.is-demo .top{border-top:3px solid var(--plot-pending)}
.brand{display:inline-flex;gap:var(--s2);align-items:center;min-height:var(--height);font-weight:600;font-size:1rem;text-decoration:none;color:inherit}
.brand svg{width:1.75rem;height:1.75rem}
.stamp{fill:var(--accent)}
.brand .tick{fill:none;stroke:var(--on-accent);stroke-width:2.4}
.search:popover-open{display:flex;gap:var(--s2);align-items:center}
.search input{width:100%}
.open-side,.open-search,.close{padding:0;min-width:var(--height);color:inherit;background:none;border-color:transparent}
.mode{display:inline-flex;gap:2px;align-items:center;padding:2px;border-radius:var(--r-badge);background:var(--sunken);font-size:.8125rem;font-weight:500}
.mode>*{display:inline-flex;align-items:center;min-height:calc(var(--height) - .5rem);padding:0 var(--s3);border-radius:var(--r-badge);color:var(--soft);text-decoration:none;white-space:nowrap}
.mode>[aria-current]{color:var(--good);background:var(--surface)}
.mode-demo>[aria-current]{color:var(--wait);background:var(--wait-tint)}
.menu{position:relative}
.menu>summary{display:inline-flex;gap:var(--s2);align-items:center;padding:0 var(--s1);list-style:none;border-radius:var(--r-control)}
.menu>summary::-webkit-details-marker{display:none}
.menu>div{position:absolute;right:0;z-index:2;width:max-content;min-width:14rem;max-width:min(22rem,calc(100vw - 2rem));margin-top:var(--s1);padding:var(--s2);background:var(--surface);border:1px solid var(--line);border-radius:var(--r-card);box-shadow:var(--shadow)}
.menu>div p{margin:var(--s2);overflow-wrap:anywhere}
.menu form{margin:0}
.menu form .soft{margin:var(--s2) var(--s2) var(--s1);font-size:.75rem}
.menu button .icon{margin-left:auto}
.menu>div a,.menu>div button{display:flex;width:100%;justify-content:flex-start;gap:var(--s2);align-items:center;min-height:var(--height);padding:0 var(--s2);font-weight:400;color:inherit;text-decoration:none;background:none;border-color:transparent;border-radius:var(--r-control)}
.menu>div a:hover,.menu>div button:hover{background:var(--sunken);filter:none}
.menu hr{margin:var(--s2) 0;border:0;border-top:1px solid var(--line)}
.menu [aria-pressed=true]{font-weight:600}
.avatar{display:inline-flex;align-items:center;justify-content:center;width:2rem;height:2rem;border-radius:99px;font-size:.8125rem;font-weight:600;color:var(--accent);background:var(--accent-tint)}
.who{margin-left:auto}
.who b{max-width:14rem;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
.side{background:var(--surface);color:inherit;border:0}
.side-head{display:flex;flex-direction:column;padding:var(--s3) var(--s3) var(--s2);overflow-wrap:anywhere}
.side-head small{color:var(--soft)}
.side-head a{display:flex;gap:var(--s2);align-items:center;min-height:var(--height);color:var(--soft);text-decoration:none}
.side-head .menu>summary{width:100%}
.side-head .menu>summary>:last-child{margin-left:auto}
.side-head .menu>div{position:static;min-width:0;width:auto;max-width:none;box-shadow:none}
.side-head .menu code{font-size:.75rem;overflow-wrap:anywhere}
.nav h2{margin:var(--s4) var(--s3) var(--s1);font-size:.75rem;font-weight:500;color:var(--soft)}
.nav ul{margin:0;padding:0;list-style:none}
.nav a{display:flex;gap:var(--s3);align-items:center;min-height:var(--height);padding:0 var(--s3);color:inherit;text-decoration:none;border-radius:var(--r-control)}
.nav a:hover{background:var(--sunken)}
.nav a[aria-current]{font-weight:500;color:var(--accent);background:var(--accent-tint)}
.nav .count{margin-left:auto;padding:0 .45rem;border-radius:99px;font-size:.75rem;font-weight:500;color:var(--wait);background:var(--wait-tint)}
.body{min-width:0}
main{display:block;max-width:96rem;padding:var(--s5) var(--s4) var(--s7)}
main:focus{outline:0}
.head{display:flex;flex-wrap:wrap;gap:var(--s2) var(--s4);align-items:center;justify-content:space-between;max-width:80rem;margin:0 0 var(--s4)}
.head .actions{display:flex;flex-wrap:wrap;gap:var(--s2)}
.foot{padding:var(--s4);font-size:.8125rem;color:var(--soft)}
.foot form{display:flex;gap:var(--s3);margin:0}
@media (min-width:64rem){
.shell{display:grid;grid-template:auto 1fr/15rem minmax(0,1fr);min-height:100vh;background-image:linear-gradient(to right,var(--surface) 15rem,var(--canvas) 15rem)}
.top{grid-column:1/-1;position:sticky;top:0;z-index:2}
.brand{width:calc(15rem - var(--s4) - var(--s3))}
.open-side,.open-search,.close{display:none}
.side{display:block;position:sticky;top:3.5rem;inset-inline:auto;width:15rem;height:calc(100vh - 3.5rem);max-height:none;margin:0;padding:var(--s3) var(--s2);overflow-y:auto;border-right:1px solid var(--line)}
.search{position:static;display:flex;align-items:center;width:min(26rem,40vw);padding:0;border:0;background:none;color:inherit;overflow:visible;margin:0}
.search button{display:none}
main{padding:var(--s5) var(--s6) var(--s7)}
}
@media (max-width:63.99rem){
.search:not(:popover-open){display:none}
.top{gap:var(--s1);padding:0 var(--s2)}
.brand .word{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.who b{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.mode{margin-left:auto}.mode>*{padding:0 var(--s2)}
.mode+.who{margin-left:0}
.open-search{order:1}.who{order:2}
.side:popover-open{position:fixed;inset:0 auto 0 0;width:min(20rem,85vw);height:100%;max-height:none;margin:0;padding:var(--s2);overflow-y:auto;border-right:1px solid var(--line)}
.side::backdrop,.search::backdrop{background:rgb(0 0 0/.4)}
.search:popover-open{position:fixed;inset:0 0 auto 0;width:100%;max-width:none;margin:0;padding:var(--s3);border:0;color:inherit;background:var(--surface)}
}
@media (max-width:30rem){.mode-word{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}main{padding:var(--s4) var(--s4) var(--s7)}}
@media print{
:root,body[data-theme]{color-scheme:light}
.top,.side,.foot,.skip,.way-back,.head .actions,.body>main>.notice{display:none}
body{background:none}
.shell{display:block;min-height:0;background-image:none}
main{padding:0}
.card{break-inside:avoid}
}
`;
