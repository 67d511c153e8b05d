import { InformerError, messageOf } from '../kit/error.ts';
import type { EventType, ObjectChange } from '../stream/envelope.ts';

const EVENT_TYPES: Readonly<Record<string, EventType>> = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' };

/** Reads `--on added,modified,deleted`. */
export function eventTypesOf(words: readonly string[] | undefined): ReadonlySet<EventType> | undefined {
  if (!words || words.length === 0) return undefined;
  return new Set(
    words.map((word) => {
      const type = EVENT_TYPES[word.toLowerCase()];
      if (type) return type;
      throw new InformerError('argument', `invalid argument "${word}" for "--on": expected added, modified or deleted`);
    }),
  );
}

export interface NameRules {
  readonly name?: string | undefined;
  readonly 'exclude-name'?: string | undefined;
  readonly 'watch-only'?: boolean | undefined;
}

/** What of a stream is shown: by the names of objects, and whether the state at the start is. */
export function changeFilter(rules: NameRules): (change: ObjectChange, names: ReadonlySet<string> | undefined) => boolean {
  const include = regexOf('name', rules.name);
  const exclude = regexOf('exclude-name', rules['exclude-name']);
  return ({ object, cause }, names) => {
    const name = object.metadata.name ?? '';
    if (rules['watch-only'] && cause === 'initial') return false;
    if (names && !names.has(name)) return false;
    return (include?.test(name) ?? true) && !exclude?.test(name);
  };
}

function regexOf(flag: string, text: string | undefined): RegExp | undefined {
  try {
    return text === undefined ? undefined : new RegExp(text);
  } catch (cause) {
    throw new InformerError('argument', `invalid argument "${text}" for "--${flag}": ${messageOf(cause)}`, { cause });
  }
}
