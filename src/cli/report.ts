/** Findings to sentences, one line each, for a person or for a program. */
import type { Finding } from '../event.ts';
import { sentence } from '../format/words.ts';
import { fill, type Labels } from '../labels/labels.ts';
import { safeJson } from '../safe/json.ts';
import { safeLine } from '../safe/text.ts';

/** Of one code in one file, so many are listed; the rest is counted. */
const LISTED = 20;

export interface ReportOptions {
  labels: Labels;
  /** `json`: every finding is one object, none is left out. */
  as?: 'text' | 'json';
}

/**
 * Reports the findings of one file: `finding` gives the line to print for each (empty where it is only
 * counted), `end` the lines that say how many were not listed. Lines end with a newline.
 */
export function createReport(file: string, { labels, as = 'text' }: ReportOptions) {
  const counts = new Map<string, number>();
  const name = safeLine(file);
  return {
    finding(finding: Finding): string {
      const { code, severity, line, path } = finding;
      if (as === 'json') {
        const message = sentence(finding, labels);
        return `${safeJson({ code, severity, file, line, path, message })}\n`;
      }
      const count = (counts.get(code) ?? 0) + 1;
      counts.set(code, count);
      return count > LISTED ? '' : `palabre-fmt: ${name}:${line}: ${code}: ${sentence(finding, labels)}\n`;
    },
    end(): string {
      let lines = '';
      for (const [code, count] of counts) {
        const more = count - LISTED;
        if (more > 0)
          lines += `palabre-fmt: ${name}: ${code}: ${fill(labels.report.more, { count: more })}\n`;
      }
      return lines;
    },
  };
}
