/** What is wrong with one input, on stderr, while it is read. */
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
  /** Called before anything is written. */
  clear(): void;
}

/** Watches the items of one input. */
export interface Findings {
  /** Sees each item, in order. */
  each(item: Item): void;
  /** The input was read to its end, or to where nothing more was wanted (`early`). */
  end(early: boolean): void;
  /** Whether anything was reported so far. */
  readonly reported: boolean;
}

/**
 * Reports the findings of one input. They wait for the first event: an input without any is told what it looks like,
 * in one sentence and in place of a list. Those that wait are few, since of one code only twenty are listed.
 */
export function createFindings(name: string, { command, options, labels, clear }: FindingsOptions): Findings {
  const report = createReport(name, { labels, as: options.report });
  const diagnosis = createDiagnosis();
  // What the reader sees in place is not said again on the same screen. A session that was left out shows nothing.
  const isSeen = command === 'pretty' && options.session.length === 0 && isOneScreen();
  const asJson = options.report === 'json';
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
    each(item) {
      if (!eventful) {
        eventful = diagnosis.each(item);
        if (eventful) settle();
      }
      if (!item.findings) return;
      for (const finding of item.findings) {
        if (isHarmless(command, finding)) continue;
        // Another version is reported once, not at every line.
        if (command === 'pretty' && finding.code === 'unsupported-version') {
          if (versionReported) continue;
          versionReported = true;
        }
        reported = true;
        if (!isSeen || !isMarked(item, finding)) tell(report.finding(finding));
      }
    },
    end(early) {
      const found = diagnosis.diagnosis();
      if (found === undefined) settle();
      tell(report.end());
      if (found === undefined || early || (options.commands && found !== 'empty')) return;
      if (found !== 'empty' || command === 'validate') reported = true;
      // As JSON, stderr is for a program: it got the findings.
      if (options.quiet || asJson || (found === 'empty' && command === 'filter')) return;
      say(`${safeLine(name)}: ${labels.diagnosis[found]}`);
    },
    get reported() {
      return reported;
    },
  };
}
