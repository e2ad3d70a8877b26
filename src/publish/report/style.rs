//! How a report looks: on the screen in light and dark, on a phone, and on paper.

/// The style sheet. Colours of text keep a contrast of 4.5 to their background (WCAG 2.2, 1.4.3).
pub const STYLE: &str = r#"
:root{color-scheme:light dark;--page:#f7f7f5;--panel:#fff;--text:#1d1f23;--soft:#565b63;--line:#d9dade;--accent:#14559e}
@media (prefers-color-scheme:dark){:root{--page:#16181b;--panel:#1f2226;--text:#e6e7ea;--soft:#a9aeb7;--line:#383c43;--accent:#8cbcf5}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere}
header,nav,main,footer{max-width:80rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .4rem;letter-spacing:-.01em}
h2{font-size:1.3rem;line-height:1.3;margin:2.75rem 0 .75rem;padding-top:.9rem;border-top:1px solid var(--line)}
h3{font-size:1.02rem;margin:1.6rem 0 .4rem}
p,ul,dl{max-width:46rem;margin:.5rem 0}
.soft,figcaption,footer{color:var(--soft)}
.state{font-weight:600;font-size:1.05rem}
a{color:var(--accent)}
a:focus-visible,summary:focus-visible,.scroll:focus-visible,pre:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:1rem;background:var(--panel);padding:.5rem 1rem;z-index:1}
nav ul{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;list-style:none;padding:0;margin:1.2rem 0 0;max-width:none;font-size:.92rem}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr));gap:1.25rem}
figure{margin:0;background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.75rem;min-width:0}
figure.wide{grid-column:1/-1}
figure.wide svg{max-width:54rem;margin:auto}
figure svg{display:block;width:100%;height:auto;background:#fff;border-radius:4px}
figcaption{font-size:.88rem;line-height:1.45;margin:.6rem .15rem .1rem}
figcaption strong{color:var(--text)}
.scroll{overflow-x:auto;margin:.9rem 0;background:var(--panel);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.9rem;line-height:1.4}
caption{text-align:start;color:var(--soft);padding:.6rem .6rem .4rem;font-size:.88rem}
th,td{text-align:start;vertical-align:top;padding:.38rem .6rem;border-top:1px solid var(--line);overflow-wrap:normal;min-width:3.5rem;max-width:26rem}
caption span{display:block;max-width:min(100vw - 4rem,75rem)}
thead th{font-weight:600;border-bottom:1px solid var(--soft)}
tbody th{font-weight:500;min-width:8rem;overflow-wrap:anywhere}
td{overflow-wrap:break-word}
th.n,td.n{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums}
thead th.n{white-space:normal}
.w{min-width:16rem}
details{margin:.7rem 0}
summary{cursor:pointer;color:var(--accent);font-size:.92rem}
pre{overflow-x:auto;white-space:pre;background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:1rem;font:.84rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.note{white-space:pre-wrap;border-inline-start:3px solid var(--line);padding-inline-start:.9rem}
.long{white-space:pre-wrap}
footer{margin-top:3rem;padding-top:1rem;padding-bottom:2.5rem;font-size:.88rem}
@media (max-width:40rem){header{padding-top:1.5rem}h1{font-size:1.55rem}header,nav,main,footer{padding-inline:.9rem}figure{padding:.4rem}td{min-width:7rem}td.n{min-width:3.5rem}td.w{min-width:15rem}}
@media print{
@page{size:A4;margin:17mm 15mm}
:root{color-scheme:light;--page:#fff;--panel:#fff;--text:#000;--soft:#444;--line:#bbb;--accent:#000}
body{font-size:9.5pt;line-height:1.4}
header,nav,main,footer{max-width:none;padding-inline:0}
header{padding-top:0}nav,.skip{display:none}
h1{font-size:18pt}h2{font-size:12.5pt;margin-top:1.4rem}h2,h3,caption{break-after:avoid}
figure,tr{break-inside:avoid}
.figures{grid-template-columns:1fr 1fr;gap:.6rem}
figure{border-color:#ddd;padding:.4rem}figure details:not([open]){display:none}
.scroll{overflow:visible;border:0}table{font-size:8pt}th,td{padding:.2rem .4rem;min-width:0}th.n,td.n{white-space:normal}thead{display:table-header-group}caption,figcaption,summary{font-size:8.5pt}caption{padding-inline:.4rem}caption span{max-width:none}
pre{white-space:pre-wrap;font-size:7.5pt}
}
"#;
