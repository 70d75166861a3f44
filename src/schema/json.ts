/** Values to JSON, at any depth. */

/**
 * The JSON text of a value from `JSON.parse`. `JSON.stringify` recurses for each level and overflows the stack after a few
 * thousand; `details` may be deeper.
 *
 * @example
 * toJson({ a: [1, null] }); // '{"a":[1,null]}'
 */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepJson(value);
  }
}

/** The same without recursion: the stack holds the values and punctuation still to be written. */
function deepJson(value: unknown): string {
  const out: string[] = [];
  const stack: ({ value: unknown } | { raw: string })[] = [{ value }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    if ('raw' in top) {
      out.push(top.raw);
      continue;
    }
    const { value: node } = top;
    if (typeof node !== 'object' || node === null) {
      out.push(JSON.stringify(node));
      continue;
    }
    const isList = Array.isArray(node);
    out.push(isList ? '[' : '{');
    stack.push({ raw: isList ? ']' : '}' });
    const entries = Object.entries(node);
    for (let at = entries.length - 1; at >= 0; at--) {
      const [key, inner] = entries[at]!;
      const comma = at > 0 ? ',' : '';
      stack.push({ value: inner }, { raw: isList ? comma : `${comma}${JSON.stringify(key)}:` });
    }
  }
  return out.join('');
}
