import { causesOf, messageOf } from './error.ts';
import { jsonText } from './exact-json.ts';

/** The text of a thrown value, with the topmost place in the user's code: `TypeError: Cannot … (at guard.ts:12:5)`. */
export function thrownText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `${textOf(thrown)} was thrown, which is not an Error`;
  const place = placeOf(thrown);
  const what = headOf(thrown);
  return place === undefined ? what : `${what} (at ${place})`;
}

/**
 * The stack of a thrown value as JavaScript prints it, with the user's own frames only, and those of its causes:
 * `TypeError: Cannot …`, `    at reconcile (/hooks/guard.ts:12:5)`, `Caused by: …`. Empty if no frame is the user's.
 */
export function thrownStack(thrown: unknown): string[] {
  const lines: string[] = [];
  let hasFrames = false;
  for (const error of causesOf(thrown)) {
    const lead = lines.length === 0 ? '' : 'Caused by: ';
    const frames = error instanceof Error ? ownFrames(error) : [];
    hasFrames ||= frames.length > 0;
    lines.push(`${lead}${error instanceof Error ? headOf(error) : textOf(error)}`, ...frames);
  }
  return hasFrames ? lines : [];
}

const headOf = (error: Error) => `${error.name}: ${messageOf(error)}`;

function textOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  try {
    return jsonText(thrown);
  } catch {
    return 'an object';
  }
}

/** The program's own code: the folder `dist` or `src` in which this file is. */
const OWN = import.meta.url.slice('file://'.length).replace(/^(.*\/(?:dist|src)\/).*$/, '$1');

/** A line of a stack may be part of a message, which holds text of any length. */
const LONGEST_FRAME = 4096;

/** The frames outside Node, packages and this program: `    at name (/path/file.ts:12:5)`. */
function ownFrames({ stack = '' }: Error): string[] {
  return String(stack)
    .split('\n')
    .filter((line) => line.length <= LONGEST_FRAME)
    .filter((line) => /^\s+at /.test(line) && /file:\/\/|\(\/|at \//.test(line))
    .filter((line) => !/node:|node_modules/.test(line) && !line.includes(OWN))
    .map(
      (line) =>
        `    ${line
          .trim()
          .replace('file://', '')
          .replace(/\?[^\s():]*(?=:\d+:\d+)/, '')}`,
    );
}

/** The first frame of the user, as `file:line:column`. */
function placeOf(error: Error): string | undefined {
  const place = /([^\s()]+:\d+:\d+)\)?$/.exec(ownFrames(error)[0] ?? '')?.[1];
  return place?.split('/').at(-1);
}
