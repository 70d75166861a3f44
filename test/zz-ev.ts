import {parse,postprocess,preprocess} from 'micromark';
import {gfm} from 'micromark-extension-gfm';
for (const src of process.argv.slice(2).map(s=>JSON.parse('"'+s+'"'))) {
 console.log('=====',JSON.stringify(src));
 let d=0; for (const [k,t] of postprocess(parse({extensions:[gfm()]}).document().write(preprocess()(src,undefined,true)))) { if(k==='enter') console.log(' '.repeat(d++)+t.type, t.start.offset, t.end.offset, JSON.stringify(src.slice(t.start.offset,t.end.offset))); else d--; }
}
