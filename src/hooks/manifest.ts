import { StopError } from '../controller/reconciler.ts';
import type { PredicateName } from '../controller/sources/predicate.ts';
import { predicateNames } from '../controller/sources/predicate.ts';
import { isFinalizerName } from '../controller/writes/finalizer.ts';
import { parseDuration } from '../kit/duration.ts';
import { messageOf } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';
import { shownValue } from './reply.ts';

/** Another type, whose objects map to reconciled ones. */
export interface WatchConfig {
  readonly type: string;
  /** A JSONPath or CEL that finds keys or names, or `index:NAME`. */
  readonly map: string;
}

/**
 * The configuration that a hook may export as `config`. Its keys are the names of flags, in camelCase or as they are
 * written on the command line. Flags on the command line take precedence. Durations are in ms.
 */
export interface HookConfig {
  readonly namespace?: readonly string[];
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly owns?: readonly string[];
  readonly watches?: readonly WatchConfig[];
  /** `NAME=TYPE` or `NAME=TYPE:SELECTOR`. */
  readonly with?: readonly string[];
  readonly everyMs?: number;
  /** Cron expressions. */
  readonly schedule?: readonly string[];
  /** The time zone of {@link schedule}: `Europe/Berlin`. */
  readonly scheduleZone?: string;
  /** Regular expressions. */
  readonly name?: string;
  readonly excludeName?: string;
  readonly watchOnly?: boolean;
  readonly on?: readonly string[];
  /** CEL; all of them must hold. */
  readonly filter?: readonly string[];
  readonly where?: readonly string[];
  readonly changed?: readonly string[];
  readonly ignoreChanges?: readonly string[];
  readonly predicate?: readonly PredicateName[];
  readonly noNoise?: boolean;
  readonly workers?: number;
  readonly maxRetries?: number;
  readonly retryBaseMs?: number;
  readonly retryMaxMs?: number;
  readonly retryQps?: number;
  readonly retryBurst?: number;
  readonly hookTimeoutMs?: number;
  readonly hookMode?: 'once' | 'warm';
  readonly finalizer?: string;
  readonly maxWrites?: WriteLimit;
  readonly hotLoop?: number;
  readonly consistency?: 'own-writes' | 'none';
  readonly allowWrite?: boolean;
  readonly dryRun?: boolean;
  readonly passCredentials?: boolean;
  readonly showSecrets?: boolean;
}

/** The value of `--max-writes 100/m`: a number of writes in a time span. */
export interface WriteLimit {
  readonly writes: number;
  readonly perMs: number;
}

type Reader<T> = (value: unknown, key: string) => T;

const text: Reader<string> = (value, key) =>
  typeof value === 'string' && value !== '' ? value : wrong(key, 'a string', value);
const flag: Reader<boolean> = (value, key) => (typeof value === 'boolean' ? value : wrong(key, 'true or false', value));
const list: Reader<string[]> = (value, key) => (Array.isArray(value) ? value : [value]).map((item) => text(item, key));
const names: Reader<string[]> = (value, key) => list(value, key).flatMap((item) => item.split(','));

const counted =
  (from: number): Reader<number> =>
  (value, key) =>
    Number.isInteger(value) && (value as number) >= from
      ? (value as number)
      : wrong(key, `a whole number from ${from}`, value);

const positive: Reader<number> = (value, key) =>
  typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : wrong(key, 'a number above zero', value);

const duration: Reader<number> = (value, key) => {
  const ms = typeof value === 'string' ? durationOf(value, key) : wrong(key, 'a duration such as "30s"', value);
  return ms > 0 ? ms : wrong(key, 'a duration above zero', value);
};

const oneOf =
  <T extends string>(choices: readonly T[]): Reader<T> =>
  (value, key) =>
    choices.find((choice) => choice === value) ?? wrong(key, choices.join(' or '), value);

const someOf =
  <T extends string>(choices: readonly T[]): Reader<T[]> =>
  (value, key) =>
    names(value, key).map((item) => oneOf(choices)(item, key));

const watches: Reader<WatchConfig[]> = (value, key) =>
  (Array.isArray(value) ? value : [value]).map((item) => watchOf(item, key));

/** For each key of a config: its key in {@link HookConfig}, and its reader. */
const KEYS = {
  namespace: ['namespace', names],
  allNamespaces: ['allNamespaces', flag],
  selector: ['selector', text],
  fieldSelector: ['fieldSelector', text],
  owns: ['owns', names],
  watches: ['watches', watches],
  with: ['with', list],
  every: ['everyMs', duration],
  schedule: ['schedule', list],
  scheduleZone: ['scheduleZone', text],
  name: ['name', text],
  excludeName: ['excludeName', text],
  watchOnly: ['watchOnly', flag],
  on: ['on', someOf(['added', 'modified', 'deleted', 'left'])],
  filter: ['filter', list],
  where: ['where', list],
  changed: ['changed', list],
  ignoreChanges: ['ignoreChanges', list],
  predicate: ['predicate', someOf(predicateNames)],
  noNoise: ['noNoise', flag],
  workers: ['workers', counted(1)],
  maxRetries: ['maxRetries', counted(0)],
  retryBase: ['retryBaseMs', duration],
  retryMax: ['retryMaxMs', duration],
  retryQps: ['retryQps', positive],
  retryBurst: ['retryBurst', counted(1)],
  hookTimeout: ['hookTimeoutMs', duration],
  hookMode: ['hookMode', oneOf(['once', 'warm'])],
  finalizer: ['finalizer', finalizerName],
  maxWrites: ['maxWrites', writeLimitOf],
  hotLoop: ['hotLoop', counted(0)],
  consistency: ['consistency', oneOf(['own-writes', 'none'])],
  allowWrite: ['allowWrite', flag],
  dryRun: ['dryRun', flag],
  passCredentials: ['passCredentials', flag],
  showSecrets: ['showSecrets', flag],
} as const satisfies Record<string, readonly [keyof HookConfig, Reader<unknown>]>;

/**
 * Checks the `config` of a hook. Undefined and null are valid. Throws a StopError with the key, its value and what was
 * expected. An unknown key is refused too: a misspelt key would otherwise be silently ignored.
 */
export function parseHookConfig(value: unknown, hookName: string): HookConfig {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return wrong('config', 'an object', value);
  const config: Record<string, unknown> = {};
  for (const [written, entry] of Object.entries(value)) {
    if (entry === undefined) continue;
    const key = camelCase(written);
    if (!Object.hasOwn(KEYS, key)) throw unknownKey(written, hookName);
    const [name, read] = KEYS[key as keyof typeof KEYS];
    config[name] = read(entry, written);
  }
  return config;
}

/** Reads `100/m`, `5/s`, `1000/h` or `20/30s`. For any other value the result says what was expected. */
export function readWriteLimit(value: unknown): WriteLimit | { readonly expected: string } {
  const [, writes, span = ''] = (typeof value === 'string' && /^(\d+)\/(\d.*|[smh])$/.exec(value)) || [];
  const perMs = writes === undefined ? undefined : spanOf(/^\d/.test(span) ? span : `1${span}`);
  if (perMs === undefined) return { expected: 'a number of writes per time such as "100/m"' };
  if (Number(writes) < 1 || !(perMs > 0)) return { expected: 'at least one write in some time' };
  return { writes: Number(writes), perMs };
}

function spanOf(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

function writeLimitOf(value: unknown, key: string): WriteLimit {
  const limit = readWriteLimit(value);
  return 'expected' in limit ? wrong(key, limit.expected, value) : limit;
}

function durationOf(value: string, key: string): number {
  try {
    return parseDuration(value);
  } catch (error) {
    throw new StopError(`the hook's config is not valid: ${key}: ${messageOf(error)}`, {
      cause: error,
      hint: 'write it as "30s", "5m" or "1h30m"',
    });
  }
}

function watchOf(item: unknown, key: string): WatchConfig {
  const { type, map, ...rest } = (typeof item === 'object' && item !== null ? item : {}) as Record<string, unknown>;
  if (typeof type !== 'string' || typeof map !== 'string' || Object.keys(rest).length > 0) {
    return wrong(key, '{type: "pods", map: ".metadata.labels.app"}', item);
  }
  return { type, map };
}

function finalizerName(value: unknown, key: string): string {
  const name = text(value, key);
  return isFinalizerName(name) ? name : wrong(key, 'a name such as example.com/cleanup', value);
}

function camelCase(key: string): string {
  return key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function wrong(key: string, wanted: string, value: unknown): never {
  throw new StopError(`the hook's config is not valid: ${key} must be ${wanted}, not ${shownValue(value)}`);
}

function unknownKey(key: string, hookName: string): StopError {
  const [meant] = nearest(camelCase(key), Object.keys(KEYS), 1);
  return new StopError(`the config of hook ${hookName} has an unknown key ${JSON.stringify(key)}`, {
    hint: meant ? `did you mean ${JSON.stringify(meant)}?` : `the keys are ${Object.keys(KEYS).join(', ')}`,
  });
}
