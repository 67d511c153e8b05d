import { jsonText } from '../kit/exact-json.ts';
import { wireTime } from '../model/instant.ts';
import { cellText } from '../output/escape.ts';
import type { Painter } from '../output/painter.ts';
import { wrapped } from '../output/wrapped.ts';
import { type Verdict, verdictLines } from './readiness.ts';
import type { StoryEntry, UnreadyTime } from './story.ts';

/** A time in which changes may be missing. */
export interface StoryGap {
  readonly since: number;
  readonly until: number | undefined;
  /** The type, and its namespace. */
  readonly about: string;
  readonly reason: string;
  /** The differences that the next list showed; '' if they are not known. */
  readonly text: string;
}

export interface StoryPrinterOptions {
  readonly painter: Painter;
  /** The width of the terminal; undefined where the reader is a program: each line then has its whole time. */
  readonly width?: (() => number | undefined) | undefined;
  readonly isJson?: boolean | undefined;
}

/** The beginning of a story. */
export interface StoryHead {
  readonly name: string;
  readonly at: number;
  /** Undefined: the object is not there. */
  readonly verdict: Verdict | undefined;
  readonly outage: UnreadyTime | undefined;
  /** The types that could not be read. */
  readonly unread: readonly string[];
}

/** Prints a story: for people a line for each thing that happened, or a JSON record for each. */
export class StoryPrinter {
  readonly #options: StoryPrinterOptions;
  #day = '';

  constructor(options: StoryPrinterOptions) {
    this.#options = options;
  }

  /** The first lines: why the object is not ready. */
  head({ name, at, verdict, outage, unread }: StoryHead): string {
    if (this.#options.isJson) {
      const { isReady, status, causes } = verdict ?? {};
      return json({ kind: 'why', time: wireTime(at), object: name, exists: verdict !== undefined, ready: isReady, status, causes, unread: unread.length > 0 ? unread : undefined, outage: outage && outageRecord(outage) }); // biome-ignore format: one line
    }
    const { painter } = this.#options;
    const lines = verdict ? verdictLines(name, verdict, unread) : [`${name} is not there any more`];
    const isWell = verdict?.isReady === true;
    const last = outage?.until === undefined ? [] : [outageText(outage)];
    return [...lines, ...last]
      .map((line, i) => `${painter.state(isWell && i === 0 ? 'good' : 'bad', this.#wrap(line, i === 0 ? '' : '  '))}\n`)
      .join('');
  }

  entries(entries: readonly StoryEntry[]): string {
    if (this.#options.isJson) return entries.map((each) => json(entryRecord(each))).join('');
    return entries.map((each) => this.#entry(each)).join('');
  }

  gap(gap: StoryGap): string {
    const { since, until, about, reason, text } = gap;
    if (this.#options.isJson)
      return json({ kind: 'gap', time: wireTime(since), until: until && wireTime(until), type: about, reason });
    const end =
      until === undefined ? '' : ` until ${this.#options.width ? wireTime(until).slice(11) : wireTime(until)}`;
    return this.#line(since, `not seen: ${about}${end} (${reason})${text === '' ? '' : `: ${text}`}`, (line) =>
      this.#options.painter.state('ending', line),
    );
  }

  /** The last lines of a container. */
  logs(at: number, about: string, lines: readonly string[]): string {
    if (this.#options.isJson) return json({ kind: 'logs', time: wireTime(at), object: about, lines });
    const { painter } = this.#options;
    return lines.map((line) => `${painter.faint(`    | ${cellText(line)}`)}\n`).join('');
  }

  #entry({ at, about, kind, text, who, tone }: StoryEntry): string {
    const { painter } = this.#options;
    const writer = who === '' ? '' : `  (${who})`;
    const word = kind === 'verdict' ? '=> ' : '';
    return this.#line(at, `${about}  ${word}${text}${writer}`, (line) => {
      if (tone === 'bad') return painter.state(kind === 'event' ? 'waiting' : 'bad', line);
      return tone === 'good' ? painter.state('good', line) : line;
    });
  }

  #line(at: number, text: string, paint: (line: string) => string): string {
    const time = wireTime(at);
    if (!this.#options.width) return `${paint(`${time}  ${cellText(text)}`)}\n`;
    const { painter } = this.#options;
    const [day = '', hour = ''] = time.split('T');
    const heading = day === this.#day ? '' : `${painter.heading(`${day} (UTC)`)}\n`;
    this.#day = day;
    const clock = hour.replace('Z', '');
    return `${heading}${painter.faint(clock)}  ${paint(this.#wrap(cellText(text), INDENT).trimStart())}\n`;
  }

  /** On a terminal in lines of its width, those behind the first one with an indent. */
  #wrap(text: string, indent: string): string {
    const width = this.#options.width?.() ?? Number.POSITIVE_INFINITY;
    return wrapped(cellText(text), width, indent);
  }
}

/** Below a time. */
const INDENT = ' '.repeat('02:14:03  '.length);

const json = (record: object) => `${jsonText(record)}\n`;

const entryRecord = ({ at, kind, about, who, text, failure }: StoryEntry) => ({
  kind,
  time: wireTime(at),
  object: about,
  who: who || undefined,
  text,
  container: failure?.container,
});

const outageRecord = ({ since, until, text }: UnreadyTime) => ({
  since: wireTime(since),
  until: until === undefined ? undefined : wireTime(until),
  text,
});

const outageText = ({ since, until = since, text }: UnreadyTime) =>
  `it was not ready from ${wireTime(since)} until ${wireTime(until)}: ${text}`;
