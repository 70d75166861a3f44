/**
 * A hundred answers as agents give them in a debate, an Ask or a Chat: prose, lists, tables and code, in English
 * and French. Some are whole; most are composed from hand-written parts. Every tenth or so has what a transcript
 * must change.
 */
import { below, pick, type Random, randomOf } from '../random.ts';

const OPENINGS = [
  'I agree with the direction, with one reservation about how we handle partial lines.',
  'Short answer: keep the parser synchronous. The stream around it is where back-pressure belongs.',
  'I read `src/lines.ts` and `src/stream.ts` before answering, so this is about the code as it stands.',
  'Two of the three points hold up. The third does not, and I will start with that one.',
  "Here is what I'd change, in order of importance.",
  'You are right about the race: `end()` can run while a write is still pending.',
  'The proposal is sound, but it costs more than it has to.',
  'I ran the test-suite on Node 20.19 and 22.4; both are green, see the numbers below.',
  'Je suis d’accord sur le fond, mais pas sur l’ordre des étapes.',
  'La version actuelle fonctionne ; ce qui manque, c’est une règle claire pour les lignes trop longues.',
  'Nothing here blocks a release. These are follow-ups.',
  'Let me restate the problem first: a reader must never wait for a buffer to fill.',
  'No objection. I only want to record *why* we decide this way.',
  'I looked for a simpler solution and found one that removes about 80 lines.',
  'Before we vote, a measurement: the naive loop takes 0.25 s for 104 MB, ours takes 0.35 s.',
  'Trois remarques, de la plus importante à la plus petite.',
];

const PARAGRAPHS = [
  'The important property is that the result **never** depends on where the chunks are cut. A test that feeds the input byte by byte proves it, and it is cheap to keep.',
  'There is a subtle case: if the last line has no newline, `flush()` has to emit it, but only when it is not empty. Otherwise an empty file would yield one empty event.',
  'We could also use `readline`, but it swallows errors on the input stream (since Node 16 at least), and its async iterator buffers everything that arrives before the first `await`.',
  'Performance is not the issue here. At ~2,000 events per second the JSON parsing dominates; everything else is below 5 %.',
  'I would rather not add a dependency for this. It is 12 lines, it has no edge cases that we do not already test, and the license question disappears.',
  'One more thing: exit codes. `130` after SIGINT is what users of a shell expect, and CI systems treat it as "cancelled" rather than "failed".',
  'In the worst case (a 64 MB line) we hold one copy of the bytes and one string. That is a peak of roughly 200 MB, which is acceptable; 500 MB would not be.',
  'If `agent` is missing, we fall back to the name in `turn-start`. If that is missing too, the event is reported and shown without a name.',
  'The docs say "one object per line", which I read as: no pretty-printed JSON, ever. So a line that starts with `{` and does not parse is broken, not text.',
  'Pour les terminaux étroits, je propose de couper à 60 colonnes : au-delà, la lecture reste confortable, en deçà les tableaux ne tiennent plus.',
  'Le test existant ne couvre pas le cas où deux événements arrivent dans le même morceau. Je l’ajouterais avant de toucher au code.',
  'That said, I do not think we should ship this on a Friday :)',
  'Compare `a < b` and `a > b` in the two branches: the second one is never reached, because `b` was already clamped to `a` above.',
  'Costs: about $40 a month for the larger runner, or 20 minutes of waiting per pull request. I know which one I would pick.',
  'It works on my machine (Debian 12, x86-64) & on the ARM runner, 3 runs each.',
  'The name is fine, but `isValid()` should not have a side effect. Either rename it to `validate()` or move the counter out.',
  'Memory stays flat: 71 MB after 10,000 turns, 72 MB after 100,000.',
  'A user who pipes into `head -1` must get their prompt back at once. Today they wait for the producer, which is wrong.',
  'See also section 4.2 of the spec and our own ADR-017; both forbid retries after a timeout.',
  'I am 90% sure about this, and I would like a second pair of eyes on the locking.',
];

const LISTS = [
  '- keep `parse()` pure\n- move the clock to the edge\n- delete `utils.ts`',
  '1. Reproduce the hang with a slow consumer.\n2. Add the failing test.\n3. Pause the source when `write()` returns `false`.\n4. Resume on `drain`.',
  '* **Correctness**: both are fine.\n* **Speed**: the second is 1.4x faster.\n* **Readability**: the first, by far.',
  '- [x] streaming parser\n- [x] golden files\n- [ ] French labels\n- [ ] man page',
  '1. Le schéma d’abord, parce que tout le reste en dépend.\n2. Ensuite la lecture ligne à ligne.\n3. Enfin la mise en forme.',
  '- Input\n  - files in the given order\n  - `-` for stdin\n- Output\n  - text on a terminal\n  - NDJSON in a pipe',
  '1. **Bound the queue.** Without a limit a fast producer fills the memory.\n\n   A limit of 16 is enough; I measured 8, 16 and 64.\n\n2. **Name the error.** `ERR_QUEUE_FULL` tells the caller what to do.',
  '- Pro: no new dependency\n- Pro: the diff is small\n- Con: we own the edge cases',
  '1) measure\n2) change one thing\n3) measure again',
  '- `SIGINT`: ignored until the end of input\n- `SIGTERM`: exits with 143\n- `SIGHUP`: exits with 129',
];

const CODE = [
  '~~~md\n# A title\n\nA *paragraph* of `Markdown`.\n~~~',
  '```ts\nexport function* lines(chunk: string): Generator<string> {\n  let start = 0;\n  for (let at = chunk.indexOf("\\n"); at !== -1; at = chunk.indexOf("\\n", start)) {\n    yield chunk.slice(start, at);\n    start = at + 1;\n  }\n}\n```',
  '```bash\nnpm ci && npm test\n# only the slow ones\nnpm test -- --grep "pipe"\n```',
  '```diff\n-  if (closed) return;\n+  if (closed || draining) return;\n```',
  '```json\n{"v":1,"type":"message","turn":2,"agent":"claude","content":"<b>not bold</b>"}\n```',
  '```python\ndef main() -> int:\n    """Reads stdin, see [1]."""\n    rows = [r for r in reader if r["kind"] != "#"]\n    return 0 if rows else 1\n```',
  '```html\n<details open>\n  <summary>Log</summary>\n  <img src="x.png" alt="">\n</details>\n```',
  '```\n$ palabre run --renderer ndjson | palabre-fmt\n### not a heading\n---\n```',
  '~~~sql\nSELECT agent, count(*) FROM turns GROUP BY 1 ORDER BY 2 DESC;\n~~~',
  '```yaml\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n```',
  '    $ ls -la dist\n    total 48\n    -rw-r--r-- 1 user user 40213 index.js',
  '```rust\nfn take<T: Clone>(items: &[T], n: usize) -> Vec<T> {\n    items.iter().take(n).cloned().collect()\n}\n```',
];

const TABLES = [
  '| approach | lines | time |\n|----------|------:|-----:|\n| streams  |   120 | 0.47 s |\n| batches  |    95 | 0.35 s |\n| bare loop |   30 | 0.25 s |',
  '| file | change |\n|---|---|\n| `src/lines.ts` | holds back what follows the last newline |\n| `src/stream.ts` | none |',
  '| signal | status |\n| :-- | :-: |\n| SIGINT | 130 |\n| SIGTERM | 143 |',
  '| Option | Pour | Contre |\n|---|---|---|\n| A | simple | lente |\n| B | rapide | 2 dépendances de plus |',
];

const LINKED = [
  'The [Node documentation](https://nodejs.org/api/stream.html#backpressuring) describes exactly this case.',
  'See https://www.example.org/rfc/12 for the background, in particular the second half.',
  'There is prior art in [`pino-pretty`](https://github.com/pinojs/pino-pretty) and in gotestsum.',
  'The relevant code is in [src/lines.ts](src/lines.ts) and [its test](../test/lines.test.ts#L40).',
  'As reviewer [1] noted, the array access `items[0]` is unchecked; so is `map[key]`.',
  'Questions go to <team@palabre.example>, and the dashboard is at <https://status.example/ci>.',
];

const SECTIONS = [
  '### What I checked',
  '### Risks',
  '### Proposal',
  '#### Open questions',
  '### Décision',
  '**Why it matters**',
  '**Next steps:**',
];

const QUOTES = [
  '> A message is shown when it arrives, never later.\n\nThat sentence from the contract decides it.',
  '> claude: the queue must be bounded\n\nYes, and by a number that we can explain.',
  '> Why not simply retry?\n\nBecause the second attempt starts from the same broken state.',
];

const CLOSINGS = [
  'So: merge the first commit now, discuss the second one tomorrow.',
  'I am fine with either, as long as we write down which one.',
  'If nobody objects I will prepare the patch.',
  'That is all I have for this turn.',
  'Je propose de clore ce point et de passer au suivant.',
  'Vote: +1 for option B.',
  'Happy to be convinced otherwise.',
  'codex, could you check the Windows paths?',
];

/** Answers with what a transcript changes: its own heading levels, rules of dashes, HTML, images, references. */
const CHANGED = [
  '## Summary\n\nThe fix is small and safe.\n\n### Details\n\nOnly `src/lines.ts` changes.\n\n```ts\nconst held = rest;\n```',
  'First part: the parser is fine.\n\n---\n\nSecond part: the stream is not. It drops the last line when the consumer is slow.',
  'A `Map<string, Turn[]>` is what we need, not a plain Record<string, Turn> with casts everywhere.',
  'Here is the flame graph:\n\n![flame graph of the parser](docs/flame.png)\n\nThe wide bar is `JSON.parse`.',
  'The rule comes from the guide [1], section 3.\n\n[1]: https://docs.example/guide',
  'Add this to the README:\n\n````md\n```js\nconst nested = true;\n```\n\n[link]: https://docs.example\n````',
  '# Review\n\n## Correctness\n\n1. Fine.\n2. Fine.\n\n## Style\n\nThe name `tmp2` says nothing.',
];

const WHOLE = [
  'Yes.',
  'Agreed, nothing to add.',
  'LGTM 👍',
  'Je ne sais pas. Il me manque le contenu de `config.json` pour répondre.',
  'I would not do that:\n\n- it doubles the start-up time\n- nobody asked for it',
  'The answer is **42**: 6 workers × 7 slots.',
  'Line one of a poem\\\nline two of it\n\nThat is what a hard break looks like.',
  'Both `a_b_c` and `__init__` are names, 2 * 3 * 4 is a product, and ~5 means about five.',
];

function compose(random: Random): string {
  const parts = [pick(OPENINGS, random)];
  const length = 1 + below(5, random);
  for (let made = 0; made < length; made++) {
    const kind = random();
    if (kind < 0.4) parts.push(pick(PARAGRAPHS, random));
    else if (kind < 0.58) parts.push(pick(LISTS, random));
    else if (kind < 0.76) parts.push(pick(CODE, random));
    else if (kind < 0.82) parts.push(pick(TABLES, random));
    else if (kind < 0.88) parts.push(pick(LINKED, random));
    else if (kind < 0.95) parts.push(`${pick(SECTIONS, random)}\n\n${pick(PARAGRAPHS, random)}`);
    else parts.push(pick(QUOTES, random));
  }
  if (random() < 0.6) parts.push(pick(CLOSINGS, random));
  return parts.join('\n\n') + (random() < 0.3 ? '\n' : '');
}

const random = randomOf(2024);

/** The answers that a transcript must change, among {@link ANSWERS}. */
export const CHANGED_ANSWERS: readonly string[] = CHANGED;
/** One hundred answers. */
export const ANSWERS: readonly string[] = [
  ...CHANGED,
  ...WHOLE,
  ...Array.from({ length: 100 - CHANGED.length - WHOLE.length }, () => compose(random)),
];
