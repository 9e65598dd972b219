/* The sheet. Text and paper are at least 7 to 1 apart, marks and paper 3 to 1, in both schemes.
 * What was before is drawn as an outline, what is released as a filled bar: nobody needs the
 * colours to tell them apart. A table that continues behind an edge has a shade there: two layers
 * move with the table, and cover the two that do not. */
#include "report/html_style.h"

const char *const kan_html_style[] = {
    ":root{--paper:#ffffff;--ground:#f4f6f8;--ink:#17202b;--soft:#485564;--line:#d5dbe2;"
    "--mark:#1f5aa8;--mark-soft:#dbe7f6;--edge:#5d6b7a;--good:#176b43;--good-soft:#e3f3ea;"
    "--warn:#8a4b00;--warn-soft:#fdf1e0;--stop:#a11f1f;--stop-soft:#fbe9e9;"
    "--shade:rgba(23,42,70,.34)}\n",
    "@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ground:#0e1115;--ink:#e8ecf1;"
    "--soft:#b3bdc9;--line:#333b45;--mark:#7fb0f2;--mark-soft:#1e3048;--edge:#93a1b1;"
    "--good:#7fd3a4;--good-soft:#14301f;--warn:#f0b869;--warn-soft:#33240d;--stop:#ff9d9d;"
    "--stop-soft:#3a1717;--shade:rgba(150,185,235,.34)}}\n",
    "*{box-sizing:border-box}\n",
    "html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}\n",
    "body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 "
    "system-ui,-apple-system,"
    "'Segoe UI',Roboto,'Noto Sans',sans-serif}\n",
    "main,header,footer{max-width:62rem;margin:0 auto;padding:0 1.25rem}\n",
    "header{padding-top:2.5rem}\n",
    ".kicker{margin:0;color:var(--soft);font-size:.85rem;letter-spacing:.06em;"
    "text-transform:uppercase}\n",
    "h1{margin:.2rem 0 .4rem;font-size:2rem;line-height:1.2;font-weight:650;"
    "letter-spacing:-.01em;overflow-wrap:anywhere}\n",
    ".lead{margin:0 0 1.5rem;color:var(--soft);overflow-wrap:anywhere}\n",
    "h2{margin:0 0 .75rem;font-size:1.3rem;line-height:1.3;font-weight:650}\n",
    "h3{margin:1.75rem 0 .4rem;font-size:1.05rem;font-weight:650;overflow-wrap:anywhere}\n",
    "p{margin:.5rem 0;max-width:46rem}\n",
    "a{color:var(--mark)}\n",
    "a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--mark);"
    "outline-offset:2px}\n",
    "section{margin:1.25rem 0;padding:1.5rem 1.6rem;background:var(--paper);border:1px solid "
    "var(--line);border-radius:10px}\n",
    "section.internal{border:2px dashed var(--stop)}\n",
    ".verdict{display:flex;gap:1rem;align-items:flex-start;border-left:6px solid var(--good);"
    "background:var(--good-soft)}\n",
    ".verdict.open{border-left-color:var(--warn);background:var(--warn-soft)}\n",
    ".verdict svg{flex:none;width:2.6rem;height:2.6rem;color:var(--good)}\n",
    ".verdict.open svg{color:var(--warn)}\n",
    ".verdict h2{margin:0 0 .3rem}\n",
    ".verdict p{margin:.35rem 0}\n",
    "nav li{margin:0}\n",
    "nav ol{display:flex;max-width:none;flex-wrap:wrap;gap:.3rem "
    "1.2rem;margin:0;padding:0;list-style:none;"
    "font-size:.92rem}\n",
    ".facts{display:grid;grid-template-columns:repeat(3,1fr);gap:1rem;"
    "margin:1rem 0 .25rem;padding:0}\n",
    ".facts div{padding:.7rem .9rem;border:1px solid var(--line);border-radius:8px}\n",
    ".facts dt{color:var(--soft);font-size:.85rem;line-height:1.3}\n",
    ".facts dd{margin:.15rem 0 0;font-size:1.35rem;font-weight:600;"
    "font-variant-numeric:tabular-nums;overflow-wrap:anywhere}\n",
    ".facts dd small{display:block;font-size:.85rem;font-weight:400;color:var(--soft)}\n",
    ".scroll,.wide{overflow-x:auto;background:"
    "linear-gradient(90deg,var(--paper) 40%,transparent) left/2.4rem 100% no-repeat local,"
    "linear-gradient(270deg,var(--paper) 40%,transparent) right/2.4rem 100% no-repeat local,"
    "linear-gradient(90deg,var(--shade),transparent) left/.9rem 100% no-repeat scroll,"
    "linear-gradient(270deg,var(--shade),transparent) right/.9rem 100% no-repeat scroll}\n",
    ".scroll{margin:.75rem 0}\n",
    "table{border-collapse:collapse;width:100%;font-size:.92rem;"
    "font-variant-numeric:tabular-nums}\n",
    "caption{padding:0 0 .5rem;text-align:left;color:var(--soft);font-size:.88rem}\n",
    "th,td{padding:.38rem .6rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}\n",
    "thead th{color:var(--soft);font-weight:600;font-size:.85rem;vertical-align:bottom}\n",
    "tbody th{font-weight:400}\n",
    ".n{text-align:right;white-space:nowrap}\n",
    "thead .n{white-space:normal}\n",
    ".k{white-space:nowrap}\n",
    ".v{overflow-wrap:break-word;min-width:4rem;max-width:22rem}\n",
    "tr.on th,tr.on td{background:var(--mark-soft)}\n",
    "tr.open th,tr.open td{background:var(--warn-soft)}\n",
    "tr.open th{box-shadow:inset 4px 0 var(--warn)}\n",
    "strong.open{color:var(--warn)}\n",
    "tr.foot th,tr.foot td{color:var(--soft)}\n",
    ".bars{width:38%;min-width:5rem;padding-top:.5rem;padding-bottom:.5rem}\n",
    ".bar{display:block;width:100%;height:1.05rem;overflow:visible}\n",
    ".bar.thin{height:.6rem}\n",
    ".o{fill:none;stroke:var(--edge);stroke-width:1.2;vector-effect:non-scaling-stroke}\n",
    ".f{fill:var(--mark)}\n",
    ".t{fill:var(--mark-soft)}\n",
    ".limit{stroke:var(--stop);stroke-width:2;stroke-dasharray:3 2;"
    "vector-effect:non-scaling-stroke}\n",
    ".legend{display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;margin:.5rem 0;color:var(--soft);"
    "font-size:.88rem}\n",
    ".legend svg{width:1.6rem;height:.7rem;margin-right:.4rem;vertical-align:baseline;"
    "overflow:visible}\n",
    ".gauges{display:grid;grid-template-columns:repeat(2,1fr);gap:1rem;"
    "margin:1rem 0}\n",
    ".gauge{padding:.9rem 1rem;border:1px solid var(--line);border-radius:8px}\n",
    ".gauge h3{margin:0;font-size:1rem}\n",
    ".gauge p{margin:.15rem 0 .7rem;color:var(--soft);font-size:.88rem;line-height:1.4}\n",
    ".gauge dl{display:grid;grid-template-columns:4.8rem 1fr auto;gap:.35rem .7rem;"
    "align-items:center;margin:0;font-size:.92rem}\n",
    ".gauge dt{color:var(--soft)}\n",
    ".gauge dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums;text-align:right}\n",
    ".gauge dd.m{font-weight:400}\n",
    ".picture{margin:.75rem 0}\n",
    ".picture svg,.picture img{display:block;width:100%;height:auto}\n",
    ".wide svg,.wide img{min-width:36rem}\n",
    "figure{margin:1rem 0}\n",
    "figcaption{color:var(--soft);font-size:.88rem;max-width:46rem}\n",
    "svg text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:var(--ink)}\n",
    "svg text.soft{fill:var(--soft)}\n",
    ".axis{stroke:var(--edge);fill:none}\n",
    ".grid{stroke:var(--line);fill:none}\n",
    ".line{stroke:var(--mark);stroke-width:2.5;fill:none;stroke-linejoin:round}\n",
    ".bound{stroke:var(--edge);stroke-width:2;stroke-dasharray:7 4;fill:none}\n",
    ".edge{stroke:var(--line);stroke-width:1;fill:none}\n",
    ".fails{fill:var(--paper);stroke:var(--edge);stroke-width:1.2}\n",
    ".passes{fill:var(--mark)}\n",
    ".least{fill:var(--mark);stroke:var(--ink);stroke-width:2.2}\n",
    ".chosen{fill:var(--good);stroke:var(--ink);stroke-width:1.6}\n",
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "font-size:.86rem}\n",
    "pre{margin:.6rem 0;padding:.8rem 1rem;background:var(--ground);border:1px solid var(--line);"
    "border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere}\n",
    "td code{display:block;min-width:17rem;overflow-wrap:anywhere}\n",
    ".note{padding:.6rem .9rem;border-left:4px solid var(--edge);background:var(--ground);"
    "font-size:.93rem}\n",
    ".note.careful{border-left-color:var(--warn);background:var(--warn-soft)}\n",
    "ul{margin:.5rem 0;padding-left:1.3rem;max-width:46rem}\n",
    "li{margin:.3rem 0}\n",
    "details{margin:.6rem 0}\n",
    "summary{cursor:pointer;color:var(--mark)}\n",
    ".tag{display:inline-block;margin-left:.4rem;padding:0 .5rem;border:1px solid var(--stop);"
    "border-radius:1rem;color:var(--stop);font-size:.72rem;font-weight:650;letter-spacing:.05em;"
    "text-transform:uppercase;vertical-align:middle}\n",
    ".stamp{position:sticky;top:0;z-index:1;margin:0;padding:.4rem 1rem;max-width:none;"
    "background:var(--stop-soft);color:var(--stop);border-bottom:2px solid var(--stop);"
    "font-weight:650;text-align:center;letter-spacing:.03em}\n",
    ".sign{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:2.6rem 2rem;"
    "margin:2.2rem 0 .5rem}\n",
    ".sign div{border-top:1px solid var(--ink);padding-top:.3rem;color:var(--soft);"
    "font-size:.88rem}\n",
    "footer{padding-top:.5rem;padding-bottom:3rem;color:var(--soft);font-size:.88rem}\n",
    ".off{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);"
    "white-space:nowrap}\n",
    "@media (max-width:40rem){body{font-size:15px}header{padding-top:1.5rem}h1{font-size:1.5rem}"
    "main,header,footer{padding-left:.75rem;padding-right:.75rem}"
    "section{padding:1.1rem 1rem;border-radius:8px}.verdict svg{width:2rem;height:2rem}"
    ".facts{grid-template-columns:repeat(2,1fr);gap:.6rem}.facts dd{font-size:1.1rem}"
    "th,td{padding:.35rem .4rem}.bars{width:28%;min-width:3.5rem}.v{min-width:5.5rem}"
    ".gauges{grid-template-columns:1fr}}\n",
    "@media print{:root{--paper:#fff;--ground:#fff;--ink:#000;--soft:#333;--line:#bbb;"
    "--mark:#1f4f96;--mark-soft:#e4ecf7;--edge:#444;--good:#0d5a35;--good-soft:#fff;"
    "--warn:#6b3a00;--warn-soft:#fdf1e0;--stop:#8c1515;--stop-soft:#fff}"
    "@page{margin:15mm 14mm 17mm;@bottom-left{font:8pt system-ui,sans-serif;color:#333}"
    "@bottom-right{font:8pt system-ui,sans-serif;color:#333}}"
    "body{font-size:9.5pt;background:#fff}p{break-inside:avoid}"
    "main,header{max-width:none;padding:0}header{padding-top:0}nav,footer{display:none}"
    "section{border:0;border-radius:0;padding:.4rem 1px;margin:.8rem 0}"
    ".gauges{display:block;orphans:1;widows:1}.gauge{display:inline-block;width:48.4%;margin:0 "
    "1.2% .7rem 0;"
    "vertical-align:top}"
    "section.internal{border:1.5pt dashed var(--stop);padding:.5rem}"
    ".verdict{border-left:6px solid var(--good);padding-left:1rem}"
    "h2,h3,h2+p,h3+p,.legend,caption,summary,thead{break-after:avoid}"
    "tbody tr:first-child{break-before:avoid}"
    "tr,.gauge,.facts div,figure,.sign,.end,.verdict{break-inside:avoid}"
    "#sign{break-before:avoid;break-inside:avoid}"
    ".scroll,.wide{overflow:visible;background:none}.wide svg,.wide img{min-width:0}"
    "details::details-content{content-visibility:visible;display:block;block-size:auto}"
    "summary{color:var(--soft);list-style:none}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    ".stamp{position:fixed;top:0;bottom:0;left:auto;right:0;width:7mm;padding:0;border:0;"
    "border-left:1.5pt solid var(--stop);writing-mode:vertical-rl;line-height:7mm}"
    "body.secret{padding-right:10mm}}\n",
    "@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}\n",
    0};
