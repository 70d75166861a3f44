/** English. Each section belongs to the file of its name. */
export const en = {
  findings: {
    'not-json': 'no JSON: {text}',
    'not-an-event.json': 'broken JSON: {text}',
    'not-an-event.object': 'JSON, but no object: {text}',
    'not-an-event.v': 'no event: `v` is missing or no number: {text}',
    'not-an-event.type': 'no event: `type` is missing or no string: {text}',
    'line-too-long': 'a line of {bytes} bytes, over the limit of {limit}; --max-line raises it',
    'invalid-utf8': 'bytes that are no UTF-8, shown as U+FFFD: {text}',
    'utf-16': 'UTF-16 text; only UTF-8 is read, so convert it first (iconv -f UTF-16 -t UTF-8)',
    'truncated-line': 'the input ends in the middle of an event: {text}',
    'unsupported-version': 'stream version {version}; this palabre-fmt reads version 1',
  },
} as const;
