import { parseLongDuration } from '../kit/duration.ts';
import { formatGroupResource } from '../model/gvr.ts';
import { isComparable } from '../model/resource-version.ts';
import { isPlacedIn } from '../serve/hold/cached-view.ts';
import { quotedText } from './budget.ts';
import { type KeyedWrite, latestWrites } from './latest-writes.ts';
import type { RecentChange } from './recent-changes.ts';
import { askedWords, clockText, nowOf, partIn, type Tool, toolAnswer } from './tool.ts';

/** A time, or a version after which changes are asked for. */
function sinceOf(text: string | undefined, now: number): number | string {
  if (text === undefined) return now - 10 * 60_000;
  if (isComparable(text)) return text;
  const at = Date.parse(text);
  return Number.isNaN(at) ? now - parseLongDuration(text) : at;
}

export const changes: Tool = async (args, context) => {
  const { text } = args;
  const now = nowOf(context);
  const since = sinceOf(text('since'), now);
  const { selections, targets } = await context.caches.targetsOf(askedWords(args));
  const rows: string[] = [];
  const head: string[] = [];
  for (const [i, target] of targets.entries()) {
    const isIn = isPlacedIn(target.type, { ...partIn(args), names: selections[i]?.names ?? [] });
    const seen = context.changes.after(target, since).filter((each) => isIn(each.seen));
    rows.push(...seen.map(seenText));
    if (!context.changes.isComplete(target, since)) {
      const from = context.changes.completeSince(target);
      const version = context.changes.completeSinceVersion(target);
      const of = typeof since === 'string' && version !== undefined ? ` (version ${version})` : '';
      head.push(
        `${formatGroupResource(target.type.gvr)}: every change is known since ${clockText(from)}${of}; before that the last write of each field manager`,
      );
      const written = await latestWrites(target, { isIn, since, before: from, most: Math.ceil(context.budget / FEWEST_TOKENS_OF_WRITE) }, context.signal); // biome-ignore format: one call
      const unseen = written.filter((write) => !seen.some((each) => isSame(each, write)));
      rows.push(...unseen.map(({ at, key, by, fields }) => `${Number.isNaN(at) ? 'time unknown' : clockText(at)}\t${key}\tlast write of ${quotedText(by)}: ${quotedText(fields.join(' '), 100)}`)); // biome-ignore format: one line
    }
  }
  if (rows.length === 0) head.push('no change');
  return toolAnswer({ head, rows, narrow: (left) => [`${left} more, all older; narrow by name, namespace, labels or since`] }, { targets }, context); // biome-ignore format: one line
};

/** Whether a change that was seen is this last write, of which the server keeps the second. */
function isSame({ key, change: { at, by, fields } }: RecentChange, write: KeyedWrite): boolean {
  const writers = [by, ...fields.map((field) => field.by)].flatMap((writer) => writer?.split(',') ?? []);
  const isOfWriter = writers.some((writer) => write.by.startsWith(`${writer} (`));
  const isThen = at >= write.at && at - write.at < LATEST_MS;
  // of a field that the server makes out of another one no writer is known
  return key === write.key && (writers.length === 0 ? isThen : isOfWriter && (isThen || Number.isNaN(write.at)));
}

/** A change that is seen later than this after its write is not taken for it: a busy machine sees one seconds later. */
const LATEST_MS = 10_000;

/** A row of a last write has more tokens than this. */
const FEWEST_TOKENS_OF_WRITE = 15;

/** Times and counters that say no more than the change beside them. */
const DETAIL = /\.(last\w*Time|observedGeneration|imageID|containerID|finishedAt|startedAt)$/;
const MOST_FIELDS = 5;

function seenText({ key, change: { at, what, cause, fields, more, by } }: RecentChange): string {
  const telling = fields.filter(({ path }) => !DETAIL.test(path));
  const shown = (telling.length > 0 ? telling : fields).slice(0, MOST_FIELDS);
  const writers = [...new Set(shown.map((field) => field.by))];
  const texts = shown.map(({ path, from, to, by: writer }) => {
    const values = from === undefined ? `= ${to}` : to === undefined ? `removed, was ${from}` : `${from} → ${to}`;
    const own = writers.length > 1 && writer !== undefined ? ` by ${quotedText(writer)}` : '';
    return `${quotedText(path, 100)} ${quotedText(values, 100)}${own}`;
  });
  const author = by ?? (writers.length === 1 ? writers[0] : undefined);
  const left = more + fields.length - shown.length;
  const how = cause === 'watch' ? what : `${what} (${cause})`;
  const who = author === undefined ? '' : ` by ${quotedText(author)}`;
  return `${clockText(at)}\t${how}\t${key}${who}\t${texts.join('; ')}${left > 0 ? `; ${left} more fields` : ''}`;
}
