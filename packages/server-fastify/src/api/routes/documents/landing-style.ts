/** The style of the landing page, light or dark as the system is. */
export const landingStyle = `
:root{--ink:#0f2530;--soft:#55707d;--line:#d6e2e7;--card:#fff;--page:#f3f8fa;--accent:#0e7490;--code:#e8f1f4;--wrong:#b42318}
@media (prefers-color-scheme:dark){:root{--ink:#e3eff4;--soft:#8fa9b5;--line:#1f3a47;--card:#0f222c;--page:#0a1920;--accent:#4cc3e0;--code:#142d39;--wrong:#ffa198}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:3rem 1.5rem 5rem;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
header{display:flex;gap:1.1rem;align-items:center}
header svg{width:3.6rem;height:3.6rem;fill:var(--accent)}
h1{margin:0;font-size:2.3rem;letter-spacing:-.02em;line-height:1.1}
header p,.none{color:var(--soft)}
header p{margin:.2rem 0 0}
nav{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem;margin:2rem 0 2.6rem}
nav .page{display:flex;flex-direction:column;padding:1rem 1.2rem;border:1px solid var(--accent);border-radius:.8rem;background:var(--accent);color:var(--card);text-decoration:none}
nav .page b{font-size:1.1rem}
nav .page span{opacity:.9;font-size:.92rem}
nav .page:hover{filter:brightness(1.08)}
nav p{grid-column:1/-1;display:flex;flex-wrap:wrap;gap:.6rem;margin:0}
nav p a,.actions a{padding:.45rem .9rem;border:1px solid var(--line);border-radius:.6rem;background:var(--card);color:var(--ink);font:inherit;font-size:.94rem;text-decoration:none}
nav p a:hover,.actions a:hover{border-color:var(--accent)}
.actions a:first-child{border-color:var(--accent);color:var(--accent);font-weight:600}
.notice{margin-top:2.2rem;max-width:38rem}
label{display:block;margin-bottom:.35rem;font-weight:600}
form div{display:flex;flex-wrap:wrap;gap:.6rem}
input{flex:1 1 14rem;min-width:0;padding:.6rem .8rem;border:1px solid var(--soft);border-radius:.6rem;background:var(--card);color:var(--ink);font:inherit}
button{padding:.6rem 1.3rem;border:1px solid var(--accent);border-radius:.6rem;background:var(--accent);color:var(--card);font:inherit;font-weight:600;cursor:pointer}
button:hover{filter:brightness(1.08)}
.answer div{justify-content:flex-start;margin-top:1rem}
.answer button{flex:0 1 auto;min-width:8rem}
.answer button.decline{border-color:var(--wrong);background:var(--card);color:var(--wrong)}
textarea,.answer input,.answer select{width:100%;padding:.6rem .8rem;border:1px solid var(--soft);border-radius:.6rem;background:var(--card);color:var(--ink);font:inherit;resize:vertical}
label small{color:var(--soft);font-weight:400}
.ask{font-size:1.08rem;overflow-wrap:anywhere}
dl{margin:0}
dl div{display:grid;grid-template-columns:9rem 1fr;gap:0 1rem;padding:.45rem 0;border-top:1px solid var(--line)}
dt{color:var(--soft);overflow-wrap:anywhere}
dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}
.details,.notice details{margin:1.4rem 0;padding:1rem 1.2rem;border:1px solid var(--line);border-radius:.8rem;background:var(--card)}
.details{max-height:60vh;overflow:auto}
.details h3{margin-bottom:.5rem}
.json{display:block;padding:.5rem .7rem;white-space:pre-wrap;overflow-wrap:anywhere}
summary{cursor:pointer;font-weight:600}
blockquote{margin:1rem 0;padding:.2rem 0 .2rem 1rem;border-left:3px solid var(--line);white-space:pre-wrap;overflow-wrap:anywhere}
.wrong{padding:.6rem .9rem;border:1px solid var(--wrong);border-radius:.6rem;color:var(--wrong)}
section{margin-bottom:2.6rem}
h2{margin:0 0 .9rem;font-size:1.15rem}
h2 small{margin-left:.3rem;color:var(--soft);font-weight:400}
ul{margin:0;padding:0;list-style:none;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(20rem,100%),1fr));gap:1rem}
li{display:flex;flex-direction:column;padding:1.1rem 1.2rem;border:1px solid var(--line);border-radius:.8rem;background:var(--card)}
h3{margin:0;font-size:1.02rem;overflow-wrap:anywhere}
li p{margin:.5rem 0 0;overflow-wrap:anywhere}
li .actions{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:auto;padding-top:1rem}
code{padding:.1rem .35rem;border-radius:.3rem;background:var(--code);font:.86em ui-monospace,monospace}
h3 code{font-weight:400}
pre{overflow:auto;margin:.6rem 0 0;padding:1.1rem 1.2rem;border-radius:.8rem;background:#0c2531}
pre code{padding:0;background:none;color:#d7eef6;font-size:.9rem}
@media (max-width:40rem){
body{padding:1.5rem 1rem 3rem}
header svg{width:2.8rem;height:2.8rem}
h1{font-size:1.9rem}
dl div{grid-template-columns:7.5rem 1fr}
.details dl div{grid-template-columns:1fr}
.answer button{flex:1 1 8rem}
}
`;
