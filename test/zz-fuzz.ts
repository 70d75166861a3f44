import {safeMarkdown} from '../src/safe-markdown.ts';
import {failures} from './markdown-checker.ts';
import {ATTACKS, hostileJoins} from './markdown-attacks.ts';
const n=Number(process.argv[2]), seed=Number(process.argv[3]??1);
let bad=0, fenced=0, unstable=0, total=0; const byParser:Record<string,number>={};
const shown=Number(process.argv[4]??12);
const seen: {src:string,out:string,f:any[]}[]=[];
function one(src:string){ const s=safeMarkdown(src); total++; if (s.startsWith('Shown as')) {fenced++; if (fenced<6) console.log('FENCED', JSON.stringify(src));}
 if (safeMarkdown(s)!==s) {unstable++; if (unstable<6) console.log('UNSTABLE',JSON.stringify(src),'\n  ', JSON.stringify(s),'\n  ',JSON.stringify(safeMarkdown(s)));}
 return s;}
function check(batch:{src:string,s:string}[]) { const f=failures(batch.map(b=>b.s)); if (!f.length) return;
  let any=false; for (const b of batch) { const g=failures([b.s]); if (g.length) {any=true; bad++; for (const p of new Set(g.map(x=>x.parser))) byParser[p]=(byParser[p]??0)+1; seen.push({src:b.src,out:b.s,f:g.slice(0,2)}); } }
  if (!any) {bad++; console.log('JOINT', JSON.stringify(batch.map(b=>b.s)), f.slice(0,3));} }
let batch:any[]=[];
for (const src of [...ATTACKS, ...hostileJoins(n,seed)]) { batch.push({src,s:one(src)}); if (batch.length===12) {check(batch); batch=[];} }
check(batch);
seen.sort((a,b)=>a.src.length-b.src.length);
for (const x of seen.slice(0,shown)) console.log(JSON.stringify(x.src),'\n  →',JSON.stringify(x.out),'\n  ', JSON.stringify(x.f));
console.log({total,bad,fenced,unstable,byParser});
