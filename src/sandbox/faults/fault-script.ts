import { InformerError } from '../../kit/error.ts';
import { checkChoice, checkOptions, type KnownOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { ApiRequest } from '../api/exchange.ts';
import type { Fault, FaultMatch, FaultRule, Incident, RandomFaults, RandomKind } from './fault.ts';
import { randomFaults } from './random-faults.ts';

const KNOWN_RULE = { fault: true, match: true, skip: 'number', times: 'number' } satisfies KnownOptionsOf<FaultRule>;
const KNOWN_MATCH = { method: 'text', path: true, watch: 'boolean' } satisfies KnownOptionsOf<FaultMatch>;
const KNOWN_RANDOM = { seed: 'number', rate: 'number', kinds: 'list', match: true } satisfies KnownOptions;
const COUNT = { kind: true, after: 'number' } as const;
const KNOWN_FAULTS: Readonly<Record<RandomKind | 'random', KnownOptions>> = {
  cut: { ...COUNT, bytes: 'number' },
  stall: COUNT,
  truncate: COUNT,
  empty: COUNT,
  gone: COUNT,
  duplicate: COUNT,
  reorder: COUNT,
  status: { kind: true, code: 'number', retryAfterSeconds: 'number' },
  delay: { kind: true, ms: 'number' },
  slow: { kind: true, ms: 'number', bytes: 'number' },
  lag: { kind: true, ms: 'number' },
  refuse: { kind: true },
  restart: { kind: true, keepHistory: 'boolean', wiped: 'boolean', downMs: 'number' },
  skew: { kind: true, ms: 'number' },
  expire: { kind: true },
  random: { kind: true, ...KNOWN_RANDOM },
};

/**
 * Throws `argument` for a rule with an unknown name or value. Without this check a misspelt fault would not apply, and
 * a test would pass.
 */
export function checkRule(rule: FaultRule): void {
  checkOptions('a rule of faults', rule, KNOWN_RULE);
  checkOptions('match', rule.match === undefined ? {} : rule.match, KNOWN_MATCH);
  const { kind } = (rule.fault ?? {}) as { kind?: unknown };
  checkChoice('the kind of a fault', kind ?? null, Object.keys(KNOWN_FAULTS));
  checkOptions(`the fault ${kind}`, rule.fault, KNOWN_FAULTS[kind as RandomKind]);
  checkConflict(rule);
}

interface Armed {
  readonly match: FaultMatch;
  /** The fault of the next matching request; undefined when it gets none. */
  readonly draw: () => Fault | Incident | undefined;
  /** It is for writes only. */
  readonly onWrites: boolean;
  toSkip: number;
  left: number;
}

/**
 * The faults that wait for requests, in the order in which they were added. Each request gets the first fault that
 * matches it.
 */
export class FaultScript {
  #armed: Armed[] = [];

  /**
   * Adds a fault. Disposing the result removes it. Throws `argument` for an unknown fault, or an unknown option of it
   * or of the rule.
   */
  add(rule: FaultRule): Disposable {
    checkRule(rule);
    const { fault, match = {}, skip = 0, times = fault.kind === 'random' ? Number.POSITIVE_INFINITY : 1 } = rule;
    const draw = fault.kind === 'random' ? randomFaults(fault) : () => fault;
    const armed: Armed = { match, draw, onWrites: isConflict(fault), toSkip: skip, left: times };
    this.#armed.push(armed);
    return { [Symbol.dispose]: () => this.#remove(armed) };
  }

  /**
   * Gives random faults to a share of all requests, or of the matching ones, from now on. Disposing the result ends it.
   */
  random(options: Omit<RandomFaults, 'kind'> & Pick<FaultRule, 'match'>): Disposable {
    checkOptions('random faults', options, KNOWN_RANDOM);
    const { match, ...fault } = options;
    return this.add({ fault: { ...fault, kind: 'random' }, match });
  }

  clear(): void {
    this.#armed = [];
  }

  /** How many faults wait for requests. */
  get pending(): number {
    return this.#armed.length;
  }

  /**
   * The fault of a request, undefined when it has none. A fault that has been given as often as its rule says is
   * removed.
   */
  take(request: ApiRequest): Fault | Incident | undefined {
    for (const armed of this.#armed) {
      if (!matches(armed.match, request) || (armed.onWrites && isRead(request.method))) continue;
      if (armed.toSkip > 0) {
        armed.toSkip--;
        continue;
      }
      const fault = armed.draw();
      if (!fault) continue;
      if (--armed.left <= 0) this.#remove(armed);
      return fault;
    }
    return undefined;
  }

  #remove(armed: Armed): void {
    this.#armed = this.#armed.filter((a) => a !== armed);
  }
}

export function isWatchRequest({ method, path }: ApiRequest): boolean {
  return method.toUpperCase() === 'GET' && /[?&]watch=(?!false|0)/.test(path);
}

const READS = new Set(['GET', 'HEAD']);

const isRead = (method: string) => READS.has(method.toUpperCase());

/** Whether a fault is the conflict of a write. A read cannot conflict. */
function isConflict(fault: FaultRule['fault']): boolean {
  return fault.kind === 'status' && fault.code === 409;
}

function checkConflict({ fault, match = {} }: FaultRule): void {
  if (!isConflict(fault) || (match.watch !== true && !isRead(match.method ?? 'PUT'))) return;
  throw new InformerError('argument', 'the fault status 409 is a conflict, which only a write can have', {
    hint: 'match PUT, PATCH, POST or DELETE, or no method: then every write gets it',
  });
}

function matches({ method, path, watch }: FaultMatch, request: ApiRequest): boolean {
  if (method !== undefined && method.toUpperCase() !== request.method.toUpperCase()) return false;
  if (watch !== undefined && watch !== isWatchRequest(request)) return false;
  if (path === undefined) return true;
  return typeof path === 'string' ? request.path.includes(path) : path.test(request.path);
}
