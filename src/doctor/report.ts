import { withoutLogin } from '../kit/secret-free-text.ts';
import { continued } from '../output/escape.ts';
import type { Painter } from '../output/painter.ts';
import { wrapped } from '../output/wrapped.ts';
import { VERSION } from '../package.ts';
import type { FindingStatus, HealthFinding } from './finding.ts';

const SYMBOLS = { ok: '✓', warning: '!', problem: '✗', skipped: '-' } as const;
const STATES = { ok: 'good', warning: 'waiting', problem: 'bad', skipped: 'done' } as const;

const HEADINGS: Readonly<Record<string, string>> = {
  machine: 'This machine',
  plugin: 'The plugin',
  kubeconfig: 'Kubeconfig',
  login: 'Login',
  server: 'Server',
  type: 'Type',
  own: "This program's files",
  requests: 'Requests of this checkup',
};

/** The width of the longest name of a check. */
const NAME_WIDTH = 16;
const INDENT = 6 + NAME_WIDTH;
/** A narrower terminal wraps lines itself. */
const LEAST_WIDTH = 20;

/** The findings as text: a heading for each group, a line for each finding, and its fix below it. */
export class FindingPrinter {
  readonly #painter: Painter;
  readonly #isWide: boolean;
  readonly #columns: number;
  #heading = '';

  /**
   * `wide` adds the id and the time of each check. `columns` are those of the terminal: what was found is wrapped. A
   * fix is not, because a command in it is copied.
   */
  constructor(
    painter: Painter,
    { wide, columns = Number.POSITIVE_INFINITY }: { wide: boolean; columns?: number | undefined },
  ) {
    this.#painter = painter;
    this.#isWide = wide;
    this.#columns = columns;
  }

  finding({ id, of, status, found, fix, ms }: HealthFinding): string {
    const [group = '', name = ''] = id.split('.');
    const isOfType = group === 'type';
    const heading = isOfType ? `Type ${of}` : (HEADINGS[group] ?? group);
    const begin =
      heading === this.#heading ? '' : `${this.#heading === '' ? '' : '\n'}${this.#paintHeading(heading)}\n`;
    this.#heading = heading;
    const symbol = this.#painter.state(STATES[status], SYMBOLS[status]);
    const about = of === undefined || isOfType ? '' : `${of}: `;
    const remark = status === 'skipped' ? 'skipped: ' : '';
    const wide = this.#isWide ? this.#painter.faint(`  [${id}, ${ms} ms]`) : '';
    const line = `  ${symbol} ${name.padEnd(NAME_WIDTH)}  ${this.#fitted(about + remark + found)}${wide}\n`;
    const next = fix === undefined ? '' : `${' '.repeat(INDENT)}fix: ${indented(fix)}\n`;
    return begin + line + next;
  }

  summary(findings: readonly HealthFinding[]): string {
    const { ok, warning, problem, skipped } = countsOf(findings);
    const counts = [
      `${ok} ok`,
      `${warning} ${warning === 1 ? 'warning' : 'warnings'}`,
      `${problem} ${problem === 1 ? 'problem' : 'problems'}`,
      `${skipped} skipped`,
    ];
    return `\n${counts.join(', ')}\n`;
  }

  #fitted(text: string): string {
    const width = this.#columns - INDENT;
    if (width === Number.POSITIVE_INFINITY || width < LEAST_WIDTH) return indented(text);
    const lines = indented(text).split('\n');
    return lines
      .map((line) => wrapped(line.trim(), this.#columns, ' '.repeat(INDENT)))
      .join('\n')
      .trimStart();
  }

  #paintHeading(text: string): string {
    return this.#painter.heading(text);
  }
}

const indented = (text: string) => continued(text);

export interface ReportFacts {
  readonly server: string | undefined;
  readonly context: string | undefined;
  /** [''] = all. */
  readonly namespaces: readonly string[];
  readonly findings: readonly HealthFinding[];
}

/** The findings as JSON. Its fields are a promise: docs/doctor.md describes them. */
export function reportAsJson({ server, context, namespaces, findings }: ReportFacts): string {
  const counts = countsOf(findings);
  const report = {
    version: VERSION,
    server: server === undefined ? null : withoutLogin(server),
    context: context ?? null,
    namespaces,
    healthy: counts.problem === 0,
    counts,
    findings: findings.map(({ id, of, status, found, fix, ms }) => ({
      id,
      of: of ?? null,
      status,
      found,
      fix: fix ?? null,
      ms,
    })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function countsOf(findings: readonly HealthFinding[]): Record<FindingStatus, number> {
  const count = (status: FindingStatus) => findings.filter((each) => each.status === status).length;
  return { ok: count('ok'), warning: count('warning'), problem: count('problem'), skipped: count('skipped') };
}
