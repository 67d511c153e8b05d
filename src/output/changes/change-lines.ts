import { isContainer } from '../../kit/exact-json.ts';
import { type FieldChange, formatPath, type PathStep } from '../../model/field-changes.ts';
import { cellText } from '../escape.ts';
import { valueLines, valuePair, wholeText } from '../value-text.ts';
import { type DiffLine, diffLines } from './line-diff.ts';

/** One line below the heading of a diff. */
export interface MarkedLine {
  /** '' for lines that are only context. */
  readonly mark: FieldChange['kind'] | '';
  readonly text: string;
  /** The two values that follow the text, old → new. */
  readonly parts?: { readonly before: string; readonly after: string };
}

/** The limits: the characters of a value, and the lines of a part that was added or removed. */
interface Most {
  readonly chars: number;
  readonly lines: number;
}

const CUT: Most = { chars: 96, lines: 24 };
const WHOLE: Most = { chars: Number.POSITIVE_INFINITY, lines: Number.POSITIVE_INFINITY };
const WRAP = 96;
const SIDE_BY_SIDE = 72;

/**
 * Field changes as lines: `spec.replicas: 2 → 3`. Several changes below one list item or map are grouped under its
 * path. A part that was added or removed has several lines. Texts of several lines, and lists, are compared line by
 * line. Long values and long parts are cut.
 */
export function changeLines(changes: readonly FieldChange[], isFull = false): MarkedLine[] {
  const most = isFull ? WHOLE : CUT;
  const groups = new Map<string, FieldChange[]>();
  for (const change of changes) {
    const parent = formatPath(change.steps.slice(0, -1));
    const group = groups.get(parent);
    if (group) group.push(change);
    else groups.set(parent, [change]);
  }
  return [...groups.values()].flatMap((group) => groupLines(group, most));
}

function groupLines(group: readonly FieldChange[], most: Most): MarkedLine[] {
  const [first] = group;
  const parent = first?.steps.slice(0, -1) ?? [];
  if (group.length < 2 || parent.length < 2)
    return group.flatMap((change) => linesOf(change, pathText(change.steps), '', most));
  const inner = group.flatMap((change) => linesOf(change, pathText(change.steps.slice(-1)), '  ', most));
  return [{ mark: '', text: `${pathText(parent)}:` }, ...inner];
}

/** The path without the dot in front. */
const pathText = (steps: readonly PathStep[]) => cellText(formatPath(steps).replace(/^\./, ''));

function linesOf({ kind, before, after }: FieldChange, path: string, indent: string, most: Most): MarkedLine[] {
  if (kind !== 'changed') return wholeLines(kind, kind === 'added' ? after : before, path, indent, most);
  const [old, now] = [comparedLines(before, after), comparedLines(after, before)];
  if (!old || !now) {
    const [a, b] = valuePair(before, after, most.chars);
    if (a.length + b.length <= SIDE_BY_SIDE)
      return [{ mark: kind, text: `${indent}${path}: `, parts: { before: a, after: b } }];
    const [mark, below] = [kind, `${indent}  `];
    return [
      { mark, text: `${indent}${path}:` },
      { mark: 'removed', text: below + a },
      { mark: 'added', text: below + b },
    ];
  }
  const lines = diffLines(old, now).map((line) => diffLine(line, indent, most));
  return [{ mark: kind, text: `${indent}${path}:` }, ...limited(lines, indent, most)];
}

function wholeLines(kind: 'added' | 'removed', value: unknown, path: string, indent: string, most: Most): MarkedLine[] {
  const lines = isLong(value) ? linesOfText(value).map((line) => shownLine(line, most)) : valueLines(value, WRAP);
  if (lines.length === 1) return [{ mark: kind, text: `${indent}${path}: ${lines[0]}` }];
  const nested = lines.map((line): MarkedLine => ({ mark: kind, text: `${indent}  ${line}` }));
  return [{ mark: kind, text: `${indent}${path}:` }, ...limited(nested, indent, most)];
}

/**
 * The lines of a value for a comparison with another one. They are not cut, because two cut lines may look equal.
 * Undefined if both values are printed on one line.
 */
function comparedLines(value: unknown, other: unknown): string[] | undefined {
  if (typeof value === 'string' && typeof other === 'string') {
    if (!isLong(value) && !isLong(other)) return undefined;
    return [...linesOfText(value), ...(other.endsWith('\n') && !value.endsWith('\n') ? [NO_LINE_END] : [])];
  }
  if (wholeText(value).length + wholeText(other).length <= SIDE_BY_SIDE) return undefined;
  if (Array.isArray(value) && Array.isArray(other)) return value.map((item) => `- ${wholeText(item)}`);
  return isLarge(value) && isLarge(other) ? valueLines(value, WRAP) : undefined;
}

const NO_LINE_END = '\\ no line end';

const isLong = (value: unknown): value is string => typeof value === 'string' && value.includes('\n');
const isLarge = isContainer;

/** The lines of a text. A line end after the last line does not start another one. */
const linesOfText = (text: string) => text.replace(/\n$/, '').split('\n');

function shownLine(line: string, { chars }: Most): string {
  const shown = cellText(/\r/.test(line) ? JSON.stringify(line) : line);
  return shown.length <= chars ? shown : `${shown.slice(0, chars)}…`;
}

function diffLine(line: DiffLine, indent: string, most: Most): MarkedLine {
  if (line.kind === 'skipped')
    return { mark: '', text: `${indent}  … ${line.lines} equal ${line.lines === 1 ? 'line' : 'lines'}` };
  return { mark: line.kind === 'same' ? '' : line.kind, text: `${indent}  ${shownLine(line.text, most)}` };
}

function limited(lines: readonly MarkedLine[], indent: string, { lines: count }: Most): readonly MarkedLine[] {
  if (lines.length <= count) return lines;
  return [...lines.slice(0, count - 1), { mark: '', text: `${indent}  … ${lines.length - count + 1} more lines` }];
}
