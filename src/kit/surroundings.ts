import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { MetricsProvider } from './metrics.ts';

/** The time, the log and the metrics of a program, and the server that a transport leads to. */
export interface Surroundings {
  readonly server?: unknown;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: MetricsProvider | undefined;
}

const known = new WeakMap<object, Surroundings>();

/** The same in the options of a part. Some parts take less than a whole provider of metrics. */
type SurroundingsOption = { [K in keyof Surroundings]?: Surroundings[K] | (K extends 'metrics' ? object : never) };

/** Notes the surroundings of `part`, for what is made from it later. Returns `part`. */
export function withSurroundings<T>(part: T, { clock, logger, metrics, server }: SurroundingsOption): T {
  const provider = metrics && 'counter' in metrics ? (metrics as MetricsProvider) : undefined;
  if (typeof part === 'object' && part !== null) known.set(part, { clock, logger, metrics: provider, server });
  return part;
}

/** The surroundings with which `part` was made; empty if they are not known. */
export function surroundingsOf(part: unknown): Surroundings {
  return (typeof part === 'object' && part !== null && known.get(part)) || {};
}

/**
 * The options with the clock, the logger and the metrics of `parts` in the place of those that are not given. Of
 * several parts, the first that has one counts.
 */
export function inheriting<O extends SurroundingsOption>(options: O, ...parts: readonly unknown[]): O {
  const first = (name: keyof Surroundings): unknown =>
    options[name] ?? parts.map((part) => surroundingsOf(part)[name]).find((value) => value !== undefined);
  return { ...options, clock: first('clock'), logger: first('logger'), metrics: first('metrics') };
}
