/** The style of the landing page, light or dark as the system is. */
export const landingStyle = `
:root{--ink:#0f2530;--soft:#55707d;--line:#d6e2e7;--card:#fff;--page:#f3f8fa;--accent:#0e7490;--code:#e8f1f4}
@media (prefers-color-scheme:dark){:root{--ink:#e3eff4;--soft:#8fa9b5;--line:#1f3a47;--card:#0f222c;--page:#0a1920;--accent:#4cc3e0;--code:#142d39}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:58rem;padding:3.5rem 1.5rem 5rem;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
header{display:flex;gap:1.1rem;align-items:center}
header svg{width:3.6rem;height:3.6rem;fill:var(--accent)}
h1{margin:0;font-size:2.3rem;letter-spacing:-.02em;line-height:1.1}
header p,.facts,.none{color:var(--soft)}
header p{margin:.2rem 0 0}
nav{display:flex;flex-wrap:wrap;gap:.7rem;margin:2rem 0 2.6rem}
nav a{padding:.5rem 1rem;border:1px solid var(--line);border-radius:.6rem;background:var(--card);color:var(--ink);text-decoration:none}
nav a:hover,nav a:focus-visible{border-color:var(--accent)}
nav a.first{background:var(--accent);border-color:var(--accent);color:var(--card);font-weight:600}
section{margin-bottom:2.4rem}
h2{margin:0 0 .9rem;font-size:1.15rem}
h2 small{margin-left:.3rem;color:var(--soft);font-weight:400}
ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem;margin:0;padding:0;list-style:none}
li{padding:1.1rem 1.2rem;border:1px solid var(--line);border-radius:.8rem;background:var(--card)}
h3{margin:0;font-size:1.02rem}
h3 a{color:var(--accent);text-decoration:none}
h3 a:hover{text-decoration:underline}
li p{margin:.4rem 0 0;overflow-wrap:anywhere}
.facts{font-size:.88rem}
code{padding:.1rem .35rem;border-radius:.3rem;background:var(--code);font:.86em ui-monospace,monospace}
.tools{line-height:2.1}
pre{overflow:auto;margin:.6rem 0 0;padding:1.1rem 1.2rem;border-radius:.8rem;background:#0c2531}
pre code{padding:0;background:none;color:#d7eef6;font-size:.9rem}
`;
