// SPDX-License-Identifier: Apache-2.0
//
// How the page looks and what its few lines of script do.
#pragma once

namespace stowplan::report {

inline constexpr char kHtmlStyle[] = R"(
:root{color-scheme:light dark;--ink:#14181f;--soft:#525b69;--line:#dfe3e8;
--back:#fff;--card:#f5f6f8;--mark:#b8134f;--good:#146c39;--warn:#8a5300;
--bad:#a8231f;--bar:#6aa5e3}
@media (prefers-color-scheme:dark){:root{--ink:#e8ebf0;--soft:#a3acb9;
--line:#333a45;--back:#14171c;--card:#1b1f26;--mark:#ff7aa6;--good:#69d391;
--warn:#f0b64f;--bad:#ff8a84;--bar:#4a7fb8}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);
font:16px/1.5 system-ui,"Segoe UI","Helvetica Neue",Arial,"DejaVu Sans",
sans-serif;font-variant-numeric:tabular-nums}
main,header,footer{max-width:1240px;margin:0 auto;padding:0 24px}
header{padding-top:36px}
.brand{color:var(--soft);font-size:14px;letter-spacing:.02em}
h1{font-size:28px;line-height:1.25;margin:4px 0 8px;font-weight:650;
overflow-wrap:anywhere}
h2{font-size:20px;margin:44px 0 10px;font-weight:650}
p{margin:8px 0;max-width:76ch}
.facts{color:var(--soft)}
.advice{font-size:18px;border-left:4px solid var(--mark);padding:2px 0 2px 16px;
margin:20px 0 4px;max-width:76ch;overflow-wrap:anywhere}
.cards{display:grid;gap:14px;margin:22px 0 0;padding:0;
grid-template-columns:repeat(auto-fit,minmax(210px,1fr))}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;
padding:14px 16px}
.card dt{color:var(--soft);font-size:14px}
.card dd{margin:0}
.card .big{font-size:26px;font-weight:650;line-height:1.3}
.card .what{color:var(--soft);font-size:13.5px;line-height:1.45}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
.picture{overflow-x:auto;border:1px solid var(--line);border-radius:10px;
padding:10px}
.picture svg{display:block;width:100%;min-width:820px;height:auto}
.scroll{overflow:auto;border:1px solid var(--line);border-radius:10px}
.tall{max-height:640px}
table{border-collapse:collapse;width:100%;font-size:13.5px}
th,td{padding:6px 11px;text-align:left;border-bottom:1px solid var(--line);
white-space:nowrap;vertical-align:top}
tbody tr:last-child td{border-bottom:0}
thead th{position:sticky;top:0;background:var(--card);color:var(--soft);
font-weight:600;z-index:1}
.r{text-align:right}
td.name{max-width:260px}
td.op{max-width:170px}
td.name,td.op{overflow:hidden;text-overflow:ellipsis}
td.wide{white-space:normal;overflow-wrap:anywhere}
.small{width:max-content;max-width:100%}
tr.peak td:first-child{box-shadow:inset 4px 0 var(--mark)}
th button{all:unset;cursor:pointer}
th button:focus-visible,input:focus-visible,summary:focus-visible{
outline:2px solid var(--mark);outline-offset:2px}
th[aria-sort=ascending] button::after{content:" \2191"}
th[aria-sort=descending] button::after{content:" \2193"}
.share{display:inline-block;height:10px;border-radius:3px;
background:var(--bar);vertical-align:baseline}
.tools{display:flex;gap:12px;align-items:center;margin:0 0 10px}
.tools input{font:inherit;font-size:14px;padding:6px 10px;width:280px;
border:1px solid var(--line);border-radius:8px;background:var(--back);
color:var(--ink)}
.tools output{color:var(--soft);font-size:14px}
.js{display:none}.scripted .js{display:flex}
code{font:13.5px ui-monospace,"DejaVu Sans Mono",monospace}
summary{cursor:pointer;color:var(--soft);margin:12px 0}
.terms{display:grid;grid-template-columns:max-content 1fr;gap:6px 20px;
margin:8px 0;font-size:15px}
.terms dt{font-weight:600}.terms dd{margin:0;max-width:76ch}
footer{color:var(--soft);font-size:14px;padding-top:36px;padding-bottom:48px}
@media (max-width:640px){.terms{grid-template-columns:1fr}.terms dd{
margin-bottom:8px}}
@media print{.js,.scripted .js{display:none}.tall{max-height:none}}
)";

// Sorts by a column's numbers (data-v) or its text; filters by any cell.
inline constexpr char kHtmlScript[] = R"(
(function(){
document.documentElement.classList.add('scripted');
var table=document.getElementById('tensors');if(!table)return;
var body=table.tBodies[0],rows=Array.prototype.slice.call(body.rows);
var heads=table.tHead.rows[0].cells;
function key(row,c){var cell=row.cells[c],v=cell.getAttribute('data-v');
return v===null?cell.textContent:v===''?-Infinity:Number(v);}
Array.prototype.forEach.call(heads,function(head,c){
var button=document.createElement('button');
button.textContent=head.textContent;head.textContent='';
head.appendChild(button);
button.addEventListener('click',function(){
var up=head.getAttribute('aria-sort')!=='ascending';
Array.prototype.forEach.call(heads,function(h){
h.removeAttribute('aria-sort');});
head.setAttribute('aria-sort',up?'ascending':'descending');
rows.sort(function(a,b){var x=key(a,c),y=key(b,c);
return (x<y?-1:x>y?1:0)*(up?1:-1);});
rows.forEach(function(row){body.appendChild(row);});});});
var box=document.getElementById('filter');
var count=document.getElementById('count');
function filter(){var want=box.value.toLowerCase(),shown=0;
rows.forEach(function(row){
var hit=row.textContent.toLowerCase().indexOf(want)>=0;
row.hidden=!hit;if(hit)shown++;});
count.textContent=shown+' of '+rows.length;}
box.addEventListener('input',filter);filter();
})();
)";

}  // namespace stowplan::report
