import { InformerError, messageOf } from '../../kit/error.ts';
import type { Source } from './source.ts';

/** The error of sources whose initial sync takes too long, with what each of them reports as its trouble. */
export function notSynced(name: string, withinMs: number, late: ReadonlySet<Source>): InformerError {
  const sources = [...late].map((source) => source.name);
  const troubles = [...late]
    .map((source) => ({ name: source.name, trouble: troubleOfSource(source) }))
    .filter(({ trouble }) => trouble !== undefined);
  return new InformerError(
    'sync',
    `controller ${name}: caches did not sync within ${withinMs}ms: ${sources.join(', ')}`,
    {
      cause: troubles.map(({ trouble }) => trouble).find((trouble) => trouble instanceof Error),
      hint:
        troubles.length === 0
          ? undefined
          : troubles.map((each) => `${each.name}: ${messageOf(each.trouble)}`).join('; '),
    },
  );
}

/** The trouble that a source reports. If the report itself fails, that error. */
function troubleOfSource(source: Source): unknown {
  try {
    return source.trouble?.();
  } catch (error) {
    return error;
  }
}
