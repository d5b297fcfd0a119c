"""Style and script of the report of a match. Nothing is fetched; without script all is readable."""

STYLE = """
:root { --page:#f6f3ed; --card:#fffdf9; --ink:#2b2622; --soft:#756b61; --line:#e2dacd;
  --one:#1d7358; --two:#5a55b8; --error:#c08a1e; --fault:#c2402f; --best:#1d7358;
  --tint-one:#1d735822; --tint-two:#5a55b822; color-scheme:light; }
@media (prefers-color-scheme:dark) { :root:not([data-theme=light]) { --page:#141618; --card:#1d2023;
  --ink:#e4dfd6; --soft:#9c948a; --line:#33373b; --one:#5cc3a0; --two:#9d99f0; --error:#dcae4a;
  --fault:#ef7d6b; --best:#5cc3a0; --tint-one:#5cc3a026; --tint-two:#9d99f026;
  color-scheme:dark; } }
:root[data-theme=dark] { --page:#141618; --card:#1d2023; --ink:#e4dfd6; --soft:#9c948a;
  --line:#33373b; --one:#5cc3a0; --two:#9d99f0; --error:#dcae4a; --fault:#ef7d6b; --best:#5cc3a0;
  --tint-one:#5cc3a026; --tint-two:#9d99f026; color-scheme:dark; }
* { box-sizing:border-box; }
html { scroll-behavior:smooth; scroll-padding-top:1rem; }
body { margin:0; background:var(--page); color:var(--ink); font:16px/1.5 system-ui,"Segoe UI",
  Roboto,Helvetica,Arial,sans-serif; -webkit-text-size-adjust:100%; }
main { max-width:1120px; margin:0 auto; padding:2rem 1.25rem 4rem; }
h1 { font-size:clamp(1.5rem,4vw,2.3rem); line-height:1.15; margin:0 0 .3rem; letter-spacing:-.01em;
  overflow-wrap:anywhere; }
h1 b { font-weight:800; font-variant-numeric:tabular-nums; padding:0 .35em; }
h2 { font-size:1.25rem; margin:2.6rem 0 .9rem; }
a { color:inherit; text-decoration-color:var(--line); text-underline-offset:3px; }
.sub { color:var(--soft); margin:0; }
.note { border-left:4px solid var(--error); padding:.3rem .8rem; margin:1rem 0; }
.tools { float:right; display:flex; gap:.4rem; }
button { font:inherit; font-size:.85rem; color:var(--ink); background:var(--card);
  border:1px solid var(--line); border-radius:999px; padding:.25rem .8rem; cursor:pointer; }
button[aria-pressed=true] { background:var(--ink); color:var(--page); border-color:var(--ink); }
button:focus-visible, summary:focus-visible, a:focus-visible { outline:2px solid var(--one);
  outline-offset:2px; }
.card { background:var(--card); border:1px solid var(--line); border-radius:14px; }
.players { display:grid; grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr));
  gap:1rem; margin-top:1.5rem; }
.player { padding:1.1rem 1.3rem; border-top:5px solid var(--one); }
.player.p1 { border-top-color:var(--two); }
.player h3 { margin:0; font-size:1.1rem; display:flex; justify-content:space-between; gap:.6rem;
  overflow-wrap:anywhere; }
.player h3 span { color:var(--soft); font-weight:400; font-size:.9rem; white-space:nowrap; }
.rate { font-size:2.7rem; font-weight:800; line-height:1.1; font-variant-numeric:tabular-nums;
  color:var(--one); }
.p1 .rate { color:var(--two); }
.rate small { font-size:1rem; font-weight:600; color:var(--soft); margin-left:.4rem; }
.facts { display:flex; flex-wrap:wrap; gap:.2rem 1.4rem; margin:.5rem 0 0; padding:0;
  list-style:none; color:var(--soft); font-size:.9rem; }
.facts b { color:var(--ink); font-variant-numeric:tabular-nums; }
.curve { padding:.8rem 1rem .4rem; }
.curve svg { display:block; width:100%; min-width:680px; height:auto; }
.curve text { fill:var(--soft); font-size:13px; }
.curve .name { font-weight:700; font-size:14px; }
.scroll { overflow-x:auto; }
table { border-collapse:collapse; width:100%; font-variant-numeric:tabular-nums; }
th, td { text-align:right; padding:.28rem .7rem; border-bottom:1px solid var(--line); }
th:first-child, td:first-child { text-align:left; }
thead th { color:var(--soft); font-weight:600; font-size:.85rem; }
tbody th { font-weight:400; }
tr.part th { padding-left:1.7rem; color:var(--soft); }
tr.part td { color:var(--soft); }
tr.main td, tr.main th { font-weight:700; }
.figures { padding:.5rem 1rem 1rem; }
.errors { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr));
  gap:1.1rem; }
.bar { display:flex; gap:.4rem; flex-wrap:wrap; margin-bottom:1rem; }
.error { overflow:hidden; display:flex; flex-direction:column; }
.error header { display:flex; justify-content:space-between; gap:.8rem; padding:.8rem 1rem .6rem; }
.error header p { margin:0; }
.error .who { font-weight:700; overflow-wrap:anywhere; }
.error .where { color:var(--soft); font-size:.85rem; }
.error .loss { text-align:right; font-weight:800; color:var(--error); white-space:nowrap;
  font-variant-numeric:tabular-nums; }
.error.blunder .loss { color:var(--fault); }
.error .loss small { display:block; font-weight:400; color:var(--soft); font-size:.8rem; }
.error .board { padding:0 1rem; }
.error .board svg { display:block; width:100%; height:auto; border-radius:8px; }
.cap { display:flex; gap:.5rem; align-items:center; margin:.25rem .2rem; font-size:.85rem; }
.cap span:last-child { margin-left:auto; color:var(--soft); font-variant-numeric:tabular-nums; }
.cap::before { content:""; width:.85rem; height:.85rem; border-radius:50%; flex:none;
  background:#2f2a29; border:1.5px solid #8d8178; }
.cap.s1::before { background:#fbf7ee; }
.verdict { margin:.6rem 1rem .2rem; }
.verdict b.best { color:var(--best); }
.verdict s { text-decoration:none; color:var(--fault); font-weight:700; }
.error table { font-size:.79rem; margin:.2rem 0 .7rem; }
.error td, .error th { padding:.18rem .3rem; white-space:nowrap; }
.error thead th { font-size:.75rem; font-weight:400; border-bottom-color:transparent; }
.error td:first-child, .error th:first-child { padding-left:1rem; }
.error td:last-child, .error th:last-child { padding-right:1rem; }
.error tr.best td { color:var(--best); font-weight:700; }
.error tr.done td { color:var(--fault); font-weight:700; }
.error .scroll + p, .error .id { font:.72rem/1.4 ui-monospace,Consolas,monospace;
  color:var(--soft); margin:auto 1rem .8rem; overflow-wrap:anywhere; }
details.game { margin-bottom:.7rem; }
details.game > summary { cursor:pointer; padding:.7rem 1.1rem; display:flex; flex-wrap:wrap;
  gap:.2rem 1rem; align-items:baseline; list-style:none; }
details.game > summary::-webkit-details-marker { display:none; }
details.game > summary::before { content:"▸"; color:var(--soft); }
details.game[open] > summary::before { content:"▾"; }
summary b { min-width:6rem; }
summary span { color:var(--soft); font-size:.9rem; }
.moves { padding:0 .6rem .8rem; }
.moves th { text-align:left; }
.moves td { text-align:left; width:48%; vertical-align:top; white-space:nowrap; }
.moves td:first-child { width:4%; color:var(--soft); text-align:right; }
.moves a { color:inherit; text-decoration:none; border-bottom:1px dotted; }
.moves .roll { color:var(--soft); margin-right:.4rem; }
.moves .err { color:var(--error); font-weight:600; }
.moves .blu { color:var(--fault); font-weight:700; }
.moves .lk { color:var(--one); } .moves .ul { color:var(--two); }
.moves small { margin-left:.4rem; font-variant-numeric:tabular-nums; }
.means { color:var(--soft); font-size:.88rem; }
.means p { margin:.4rem 0; }
.quiz .error:not(.open) { cursor:pointer; }
.quiz .error:not(.open) :is(.verdict, .scroll, .loss) { visibility:hidden; }
.quiz .error:not(.open) .board g:has(> path[data-from]) { display:none; }
[hidden] { display:none !important; }
@media (max-width:560px) { main { padding:1.2rem .8rem 3rem; } th, td { padding:.25rem .4rem; }
  .tools { float:none; margin-bottom:.8rem; }
  .error table { font-size:.68rem; } .error td, .error th { padding:.2rem; }
  .error td:first-child { white-space:normal; } }
@media print { :root, :root[data-theme=dark] { --page:#fff; --card:#fff; --ink:#000; --soft:#444;
  --line:#bbb; --one:#0c5c44; --two:#3b37a0; --error:#8a6100; --fault:#a82a1b; --best:#0c5c44;
  color-scheme:light; } body { font-size:11pt; } main { max-width:none; padding:0; }
  .tools, .bar { display:none; } .errors { grid-template-columns:1fr 1fr; gap:.6rem; }
  .card { border-radius:6px; } .error, .player, .curve, tr { break-inside:avoid; }
  .error table { font-size:6.3pt; margin-bottom:.3rem; } .error thead th { font-size:inherit; }
  .error td, .error th { padding:.1rem .15rem; } .error .board svg { width:82%; margin:0 auto; }
  .error header { padding:.4rem .6rem .2rem; } .verdict { margin-top:.3rem; }
  .error .id { font-size:6pt; margin-bottom:.4rem; }
  .error td:first-child, .error th:first-child { white-space:normal; padding-left:.4rem; }
  .error td:last-child, .error th:last-child { padding-right:.4rem; }
  h2 { break-after:avoid; } details.game { break-inside:auto; }
  * { print-color-adjust:exact; -webkit-print-color-adjust:exact; } }
"""

SCRIPT = """
(() => {
  const root = document.documentElement, all = s => [...document.querySelectorAll(s)];
  for (const e of all('.tools, .bar')) e.hidden = false;
  document.getElementById('theme').onclick = () => {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const now = root.dataset.theme || (dark ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  };
  document.getElementById('print').onclick = () => print();
  const quiz = document.getElementById('quiz');
  quiz.onclick = () => {
    const on = document.body.classList.toggle('quiz');
    quiz.setAttribute('aria-pressed', on);
  };
  for (const e of all('.error')) e.addEventListener('click', () => e.classList.add('open'));
  const show = () => {
    const on = {};
    for (const b of all('.bar button[aria-pressed=true]')) on[b.dataset.group] = b.dataset.value;
    for (const e of all('.error'))
      e.hidden = Object.entries(on).some(([k, v]) => v && e.dataset[k] !== v);
  };
  for (const b of all('.bar button')) b.onclick = () => {
    for (const o of all(`.bar button[data-group=${b.dataset.group}]`))
      o.setAttribute('aria-pressed', o === b);
    show();
  };
  const open = () => {
    const e = document.getElementById(location.hash.slice(1));
    if (!e) return;
    e.hidden = false;
    const d = e.closest('details');
    if (d) d.open = true;
    e.scrollIntoView();
  };
  addEventListener('hashchange', open);
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = all('details:not([open])');
    for (const d of closed) d.open = true;
  });
  addEventListener('afterprint', () => { for (const d of closed) d.open = false; });
})();
"""
