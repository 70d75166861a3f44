import {fromMarkdown} from 'mdast-util-from-markdown';
import {gfm} from 'micromark-extension-gfm'; import {gfmFromMarkdown} from 'mdast-util-gfm';
import fs from 'node:fs'; import path from 'node:path';
const run=(s)=>{const t=performance.now();try{fromMarkdown(s,{extensions:[gfm()],mdastExtensions:[gfmFromMarkdown()]})}catch(e){return 'ERR'+Math.round(performance.now()-t)};return Math.round(performance.now()-t)};
run('# a *b*');
const fam={setext:'a\n=\n',setextb:'a\n=\n\n',dash:'- - - x\n',dashb:'- - - x\n\n',dash2:'- - x\n',dash1:'- x\n',imgs:'![a](b)',imgsb:'![a](b)\n\n',brr:']',brrb:']\n\n',linkem:'*[a](b)',btsame:'`a ',btb:'`a `\n\n',heads:'# a\n',refs:'[a][b]',def:'[a]: b\n',nest8:'- - - - - - - - x\n',q4:'> > > > x\n',tbl:'|a|b|\n|-|-|\n|c|d|\n\n',stars:'*a* b\n\n',tblrow:'|a|b|\n', text:'hello world and more text\n\n'};
for(const k in fam){const g=n=>fam[k].repeat(Math.ceil(n/fam[k].length));console.log(k.padEnd(8),[4096,8192,16384,32768].map(n=>run(g(n))).join(' '))}
const files=[];const walk=(d,depth)=>{if(depth>4)return;for(const e of fs.readdirSync(d,{withFileTypes:true})){const p=path.join(d,e.name);if(e.isDirectory())walk(p,depth+1);else if(/\.md$/i.test(e.name))files.push(p)}};walk('node_modules',0);
const r=files.map(f=>{const s=fs.readFileSync(f,'utf8');return [f,s.length]}).sort((a,b)=>b[1]-a[1]).slice(0,40).filter((_,i)=>i%3==0);
for(const[f,n]of r)console.log(f.slice(13),n,run(fs.readFileSync(f,'utf8')));
