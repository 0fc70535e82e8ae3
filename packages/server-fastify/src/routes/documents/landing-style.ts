/** The style of the landing page, light or dark as the system is. */
export const landingStyle = `
:root{--ink:#0f2530;--soft:#55707d;--line:#d6e2e7;--card:#fff;--page:#f3f8fa;--accent:#0e7490;--code:#e8f1f4;--wait:#b45309;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e3eff4;--soft:#8fa9b5;--line:#1f3a47;--card:#0f222c;--page:#0a1920;--accent:#4cc3e0;--code:#142d39;--wait:#f0b35e;--bad:#ff8a80}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0 auto;max-width:64rem;padding:3rem 1.5rem 5rem;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
header{display:flex;gap:1.1rem;align-items:center}
header svg{width:3.6rem;height:3.6rem;fill:var(--accent)}
h1{margin:0;font-size:2.3rem;letter-spacing:-.02em;line-height:1.1}
header p,.facts,.none{color:var(--soft)}
header p{margin:.2rem 0 0}
nav{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem;margin:2rem 0 2.6rem}
nav .page{display:flex;flex-direction:column;padding:1rem 1.2rem;border:1px solid var(--accent);border-radius:.8rem;background:var(--accent);color:var(--card);text-decoration:none}
nav .page b{font-size:1.1rem}
nav .page span{opacity:.9;font-size:.92rem}
nav .page:hover{filter:brightness(1.08)}
nav p{grid-column:1/-1;display:flex;flex-wrap:wrap;gap:.6rem;margin:0}
nav p a,.actions a,.open,button{padding:.45rem .9rem;border:1px solid var(--line);border-radius:.6rem;background:var(--card);color:var(--ink);font:inherit;font-size:.94rem;text-decoration:none;cursor:pointer}
nav p a:hover,.actions a:hover,.open:hover,button:hover{border-color:var(--accent)}
.actions a.open,li>a.open,button{border-color:var(--accent);color:var(--accent);font-weight:600}
section{margin-bottom:2.6rem}
[hidden]{display:none!important}
h2{margin:0 0 .9rem;font-size:1.15rem}
h2 small{margin-left:.3rem;color:var(--soft);font-weight:400}
ul{margin:0;padding:0;list-style:none}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(20rem,100%),1fr));gap:1rem}
.cards>li{display:flex;flex-direction:column;padding:1.1rem 1.2rem;border:1px solid var(--line);border-radius:.8rem;background:var(--card)}
li:target{border-color:var(--accent)!important;box-shadow:0 0 0 1px var(--accent)}
h3{margin:0;font-size:1.02rem}
.cards p{margin:.5rem 0 0;overflow-wrap:anywhere}
.cards .actions{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:auto;padding-top:1rem}
.facts,.about{font-size:.88rem}
.chips{display:flex;flex-wrap:wrap;gap:.35rem;align-items:center;font-size:.88rem}
.chips span{color:var(--soft)}
.chips a{padding:.05rem .5rem;border-radius:1rem;background:var(--code);text-decoration:none}
.chips a:hover{text-decoration:underline}
.steps,.steps ol{margin:.7rem 0 0;padding-left:1.4rem;font-size:.92rem}
.steps ol{margin:.1rem 0 .2rem;list-style:circle}
.steps li::marker{color:var(--soft)}
.steps b{font-weight:500}
.steps code{color:var(--soft);background:none;padding:0 .2rem}
code{padding:.1rem .35rem;border-radius:.3rem;background:var(--code);font:.86em ui-monospace,monospace}
h3 code{font-weight:400}
.rows{border:1px solid var(--line);border-radius:.8rem;background:var(--card);overflow:hidden}
.rows:empty{display:none}
.rows>*+*{border-top:1px solid var(--line)}
.rows>li{display:flex;flex-wrap:wrap;gap:.3rem .8rem;align-items:center;padding:.75rem 1.2rem}
#tools li span{flex:1 1 18rem}
#tools li small{color:var(--soft)}
#tools li em{padding:.05rem .5rem;border-radius:1rem;border:1px solid var(--wait);color:var(--wait);font-size:.82rem;font-style:normal}
#waiting li{flex-wrap:nowrap;align-items:flex-start}
#waiting li>div{flex:1;min-width:0}
#waiting b{display:block;overflow-wrap:anywhere}
.dot{flex:none;width:.6rem;height:.6rem;margin:.5rem 0;border-radius:50%;background:var(--accent)}
[data-status=error]>summary .dot,[data-status=error] .track i{background:var(--bad)}
[data-status=suspended] .dot,[data-status=running]>summary .dot{background:var(--wait)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.1rem .8rem;margin:.4rem 0 0;font-size:.88rem}
dl:empty{display:none}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}
summary{display:flex;gap:.3rem .8rem;align-items:baseline;padding:.6rem 1.2rem;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary:hover{background:var(--code)}
summary:focus-visible{outline-offset:-2px}
summary .dot{align-self:center;margin:0}
.about{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
#runs>.rows>details>summary>.facts{white-space:nowrap}
.trace{padding:.2rem 0 .8rem;border-top:1px solid var(--line);background:var(--page)}
.trace summary{padding:.25rem 1.2rem;font-size:.88rem}
.trace summary>:first-child{flex:0 1 20rem;min-width:0;overflow-wrap:anywhere}
.trace summary>.facts{flex:0 0 4rem;text-align:right;white-space:nowrap}
.track{position:relative;flex:1;min-width:3rem;height:.5rem;border-radius:.25rem;background:var(--line)}
.track i{position:absolute;min-width:3px;height:100%;border-radius:.25rem;background:var(--accent)}
.trace dl{grid-template-columns:minmax(6rem,14rem) minmax(0,1fr);max-height:24rem;overflow:auto;margin:.2rem 1.2rem .6rem;padding:.8rem 1rem;border-radius:.6rem;background:var(--card);font:.8rem/1.5 ui-monospace,monospace}
.trace dt{overflow-wrap:anywhere}
#unlock{display:flex;flex-wrap:wrap;gap:.7rem;align-items:center;margin-bottom:2.6rem;padding:1.1rem 1.2rem;border:1px solid var(--line);border-radius:.8rem;background:var(--card)}
#unlock p{flex:1 1 100%;margin:0}
.problem{color:var(--bad)}
.problem:empty{display:none}
input{padding:.45rem .8rem;border:1px solid var(--line);border-radius:.6rem;background:var(--page);color:inherit;font:inherit}
pre{overflow:auto;margin:.6rem 0 0;padding:1.1rem 1.2rem;border-radius:.8rem;background:#0c2531}
pre code{padding:0;background:none;color:#d7eef6;font-size:.9rem}
@media (max-width:40rem){
body{padding:1.5rem 1rem 3rem}
header svg{width:2.8rem;height:2.8rem}
h1{font-size:1.9rem}
summary{flex-wrap:wrap;padding:.6rem 1rem}
.about{order:9;flex-basis:100%;white-space:normal}
.about:empty,#runs [data-field=spans]{display:none}
.trace summary>:first-child{flex-basis:100%}
#waiting li{flex-wrap:wrap}
#waiting li>div{flex-basis:calc(100% - 2rem)}
.trace dl{grid-template-columns:1fr}
}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
`;
