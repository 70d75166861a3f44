/** Reports the findings of one input on stderr, while it is read. */
import type { Item } from '../event.ts';
import { isMarked } from '../format/driver.ts';
import type { Labels } from '../labels/labels.ts';
import { safeLine } from '../safe/text.ts';
import { createDiagnosis } from './diagnose.ts';
import type { Options, Reader } from './options.ts';
import { isHarmless } from './plan.ts';
import { createReport } from './report.ts';
import { isOneScreen, say, tell as toStderr } from './talk.ts';

export interface FindingsOptions {
  command: Reader;
  options: Options;
  labels: Labels;
  /** Called before anything is written: erases the live line. */
  clear(): void;
}

/**
 * Reports the findings of the input called `name`. They are held until the first event comes: of an input without
 * events, one sentence says what it looks like, in place of a list. Few are held, since of one code twenty are listed.
 */
export function createFindings(name: string, { command, options, labels, clear }: FindingsOptions) {
  const report = createReport(name, { labels, as: options.report });
  const diagnosis = createDiagnosis();
  // A finding with its mark in the text is not repeated on the same screen. A session that is not shown has no marks.
  const isSeen = command === 'pretty' && options.session.length === 0 && isOneScreen();
  const asJson = options.report === 'json';
  /** Whether findings are written at once. */
  let settled = asJson || options.commands;
  let eventful = false;
  let versionReported = false;
  let reported = false;
  let held = '';

  function tell(text: string): void {
    held += text;
    if (!settled || held === '') return;
    clear();
    if (!options.quiet) toStderr(held);
    held = '';
  }

  function settle(): void {
    settled = true;
    tell('');
  }

  return {
    /** Takes each item, in order. */
    each(item: Item): void {
      if (!eventful) {
        eventful = diagnosis.each(item);
        if (eventful) settle();
      }
      if (!item.findings) return;
      for (const finding of item.findings) {
        // A line with NULs is no message of a program, but the rest of a file that was joined to this one.
        if (isHarmless(command, finding) && !item.line.text.includes('\0')) continue;
        // Once for an input, not at every line.
        if (command === 'pretty' && finding.code === 'unsupported-version') {
          if (versionReported) continue;
          versionReported = true;
        }
        reported = true;
        if (!isSeen || !isMarked(item, finding)) tell(report.finding(finding));
      }
    },
    /** At the end of the input, or where reading stopped before it (`early`). */
    end(early: boolean): void {
      const found = diagnosis.diagnosis();
      if (found === undefined) settle();
      tell(report.end());
      if (found === undefined || early || (options.commands && found !== 'empty')) return;
      if (found !== 'empty' || command === 'validate') reported = true;
      // With --report json, a program reads stderr: it has got the findings.
      if (options.quiet || asJson || (found === 'empty' && command === 'filter')) return;
      say(`${safeLine(name)}: ${labels.diagnosis[found]}`);
    },
    /** Whether anything was reported so far. */
    get reported(): boolean {
      return reported;
    },
  };
}
