/** What each command makes of a line: its check, its format, and what counts as a fault. */
import type { Finding, Item, Line, Stage } from './event.ts';
import { createFilter, extractField } from './filter.ts';
import type { Labels } from './labels.ts';
import type { Options, Reader } from './options.ts';
import { parseLine } from './parse.ts';
import { createPretty } from './pretty.ts';
import { colorLevel, createStyle } from './style.ts';
import { safeText } from './text.ts';
import { checkShape } from './validate.ts';

/** The widest text that is comfortable to read, in cells. */
const COMFORTABLE_WIDTH = 100;

/** Findings that are no fault for a command: what it shows, or passes on, as it is. */
export const HARMLESS: Record<Reader, readonly Finding['code'][]> = {
  pretty: ['not-json', 'invalid-utf8'],
  markdown: ['invalid-utf8'],
  filter: ['invalid-utf8'],
  validate: [],
};

/** What makes text of items, and whether more is wanted. */
export interface Format extends Stage<Item, string> {
  enough(): boolean;
  /** Written once, after the last input. */
  total?(): string;
}

const never = () => false;

/** The format of a command, for all inputs. */
export async function createFormat(command: Reader, options: Options, labels: Labels): Promise<Format> {
  switch (command) {
    case 'pretty':
      return { ...createPrettyText(options, labels), enough: never };
    case 'markdown': {
      const { createMarkdown } = await import('./markdown.ts');
      const { lang: language, title, notices } = options;
      const header = !options['no-header'];
      return { ...createMarkdown({ labels, language, header, notices, title }), enough: never };
    }
    case 'filter':
      return createChoice(options);
    case 'validate':
      return { each: (item) => (isValid(item) ? `${item.line.text}\n` : ''), enough: never };
  }
}

function createPrettyText(options: Options, labels: Labels): Stage<Item, string> {
  const { compact, verbose, lang: language, ascii } = options;
  const { isTTY = false, columns = 0 } = process.stdout;
  const level = colorLevel({ flag: options.color, env: process.env, isTTY });
  const width = options.width ?? (isTTY ? Math.min(columns, COMFORTABLE_WIDTH) : 0);
  return createPretty({ style: createStyle({ level, ascii }), labels, language, width, compact, verbose });
}

function isValid(item: Item): boolean {
  return (item.kind === 'event' || item.kind === 'unknown') && item.line.damage === undefined;
}

/** `filter`: the chosen lines, or what was asked for in their place. */
function createChoice(options: Options): Format {
  const filter = createFilter({
    ...options,
    notType: options['not-type'],
    field: options.extract,
    invert: options['invert-match'],
  });
  const { extract } = options;
  const end = options.null ? '\0' : '\n';
  const gate = process.stdout.isTTY ? safeText : (text: string) => text;
  let count = 0;

  function text(item: Item): string {
    if (options.count) return '';
    if (extract === undefined) return `${item.line.text}\n`;
    if (item.kind !== 'event' && item.kind !== 'unknown') return '';
    return `${gate(extractField(item.event, extract) ?? '')}${end}`;
  }

  return {
    each(item) {
      const chosen = filter.each(item);
      if (!chosen) return '';
      count++;
      return text(chosen);
    },
    end() {
      filter.end();
      return '';
    },
    enough: () => count >= options['max-count'],
    ...(options.count ? { total: () => `${count}\n` } : {}),
  };
}

/** A line to a checked item, for one input. */
export function createCheck(command: Reader, options: Options): (line: Line) => Item | undefined {
  let toldOfVersion = false;
  return (line) => {
    const item = parseLine(line);
    if (command === 'pretty' && item?.kind === 'fault' && item.findings[0]?.code === 'unsupported-version') {
      // A person is told once that this stream is not for us, not at every line of it.
      if (toldOfVersion) return undefined;
      toldOfVersion = true;
    }
    return item && checkShape(item, { strict: options.strict });
  };
}
