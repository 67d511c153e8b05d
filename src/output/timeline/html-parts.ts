/** The style of the page of a timeline. */
export const STYLE = `
:root{color-scheme:light dark;--ground:#fff;--ink:#1b2230;--soft:#566072;--line:#dfe2e7;--raised:#f4f5f7;--accent:#1d5bbf;
--good:#3f9d66;--bad:#b3261e;--wait:#8a5a00;--there:#9aa3b0;--gap:#8a6fc0;--step:#7ea6e0;--target:#fff3c9;--good-ink:#1a7440;--gap-ink:#6b47a8;
--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media(prefers-color-scheme:dark){:root{--ground:#12161d;--ink:#e4e8ee;--soft:#9aa5b5;--line:#2a323e;--raised:#1b212b;--accent:#7fb0ff;
--good:#4bb37a;--bad:#ff8a80;--wait:#e9b95a;--there:#6b7686;--gap:#a78be0;--step:#3d6db3;--target:#3d3517;--good-ink:#6fd197;--gap-ink:#c3a5f5}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
header,main{max-width:1200px;margin:0 auto;padding:0 20px}
header{padding-top:18px}
h1{font-size:20px;margin:0;overflow-wrap:anywhere;unicode-bidi:isolate}
h2{font-size:15px;margin:24px 0 8px}
header p{margin:2px 0 14px;color:var(--soft)}
.hatches{position:absolute}
.hatches rect{fill:var(--gap)}
.lane{display:grid;grid-template-columns:minmax(9ch,30ch) minmax(0,1fr);gap:0 12px;align-items:center}
.name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;unicode-bidi:isolate;font-size:13px}
.amount .name{color:var(--soft);font-size:12px;font-variant-numeric:tabular-nums}
.depth-1{padding-left:14px}.depth-2{padding-left:28px}.depth-3{padding-left:42px}.depth-4{padding-left:56px}
svg{display:block;overflow:visible}
.track{background:var(--raised);border-radius:3px}
.amount .track{background:none;border-bottom:1px solid var(--line)}
.ready{fill:var(--good)}.unready{fill:var(--bad)}.there{fill:var(--there)}.step{fill:var(--step)}
.unseen{fill:var(--ground)}rect.gap{fill:url(#hatch)}
.mark path{stroke:var(--ground);stroke-width:1;fill:var(--accent);paint-order:stroke}
.mark.added path,.mark.deleted path,.mark.status path{fill:none;stroke-width:2.5}
.mark.added path{stroke:var(--good)}.mark.deleted path{stroke:var(--bad)}.mark.restarted path{fill:var(--bad)}
.mark.status path{stroke:var(--soft);stroke-width:1.5}
a.mark{cursor:pointer}
a.mark:focus{outline:none}
a.mark:hover path,a.mark:focus-visible path{stroke:var(--ink);stroke-width:2.5}
.lane.axis{margin-top:2px;color:var(--soft)}
.axis line{stroke:var(--soft)}.axis text{fill:var(--soft);font-size:11px;font-variant-numeric:tabular-nums}
.legend,.notes{list-style:none;margin:12px 0 0;padding:0;color:var(--soft);font-size:13px}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px}
.sign{font-style:normal;font-weight:700;color:var(--accent)}
.sign.added,.sign.ready{color:var(--good-ink)}.sign.deleted,.sign.restarted,.sign.unready{color:var(--bad)}
.sign.gap{color:var(--gap-ink)}.sign.status,.sign.there{color:var(--soft)}
.notes .gap{color:var(--gap-ink)}
.changes{list-style:none;margin:0;padding:0}
.changes>li{padding:6px 8px;border-top:1px solid var(--line);border-radius:3px}
.changes>li:target{background:var(--target)}
.changes>li:focus{outline:2px solid var(--accent);outline-offset:-2px}
.when{display:flex;flex-wrap:wrap;gap:2px 10px;align-items:baseline}
.when time{font:12.5px var(--mono);color:var(--soft)}
.when .object{overflow-wrap:anywhere;unicode-bidi:isolate}
b{font-weight:600}
summary{cursor:pointer}summary .when{display:inline-flex;max-width:calc(100% - 18px);vertical-align:top}
.added b{color:var(--good-ink)}.deleted b,.restarted b{color:var(--bad)}.changed b{color:var(--accent)}.status b{color:var(--soft)}
.by{color:var(--soft);unicode-bidi:isolate;overflow-wrap:anywhere}
.when+ul,summary+ul{list-style:none;margin:2px 0 0;padding:0 0 0 14px}
.when+ul li,summary+ul li{display:flex;flex-wrap:wrap;gap:0 8px}
code,del,ins{font:12.5px/1.5 var(--mono);overflow-wrap:anywhere;unicode-bidi:isolate;min-width:0}
del{color:var(--bad)}ins{color:var(--good-ink);text-decoration:none}
#tip{position:absolute;top:0;left:0;z-index:2;max-width:min(560px,92vw);max-height:40vh;overflow:hidden;padding:8px 10px;background:var(--ground);border:1px solid var(--line);border-radius:6px;box-shadow:0 4px 18px #0004;pointer-events:none}
#tip summary span:last-child{display:none}
#tip[hidden]{display:none}
@media(max-width:640px){header,main{padding-left:12px;padding-right:12px}.lane{grid-template-columns:minmax(0,1fr);gap:0;padding-top:4px}.lane.axis .name{display:none}}
@media print{:root{--ground:#fff;--ink:#000;--soft:#444;--line:#bbb;--raised:#f4f5f7}#tip{display:none}.changes>li{break-inside:avoid}
.track,rect,path,.sign{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;

/** Shows the change of a mark beside it, while it is pointed at or has the focus. */
export const SCRIPT = `
const tip = document.getElementById('tip');
const show = (event) => {
  const mark = event.target.closest && event.target.closest('a.mark');
  const change = mark && document.getElementById(mark.getAttribute('href').slice(1));
  if (!change && document.activeElement.matches('a.mark:focus-visible')) return; // it was reached with Tab
  tip.hidden = !change;
  if (!change) return;
  tip.replaceChildren(...[...change.children].map((child) => child.cloneNode(true)));
  for (const part of tip.querySelectorAll('details')) part.open = true;
  tip.className = change.className;
  const place = mark.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  tip.style.left = scrollX + Math.max(8, Math.min(place.left + 8, width - tip.offsetWidth - 8)) + 'px';
  const below = place.bottom + 8;
  tip.style.top = scrollY + (below + tip.offsetHeight < innerHeight ? below : Math.max(8, place.top - tip.offsetHeight - 8)) + 'px';
};
const hide = () => { tip.hidden = true; };
for (const kind of ['mouseover', 'focusin']) document.addEventListener(kind, show);
document.addEventListener('focusout', hide);
document.addEventListener('click', (event) => {
  const mark = event.target.closest('a.mark');
  const inner = mark && document.querySelector(mark.getAttribute('href') + ' details');
  if (inner) inner.open = true;
});
document.addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
`;
