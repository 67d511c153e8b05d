import type { ApiRequest } from '../api/exchange.ts';
import type { Fault, FaultMatch, FaultRule, Incident, RandomFaults } from './fault.ts';
import { randomFaults } from './random-faults.ts';

interface Armed {
  readonly match: FaultMatch;
  /** What befalls the next request that matches; undefined lets it go. */
  readonly draw: () => Fault | Incident | undefined;
  toSkip: number;
  toHarm: number;
}

/** The faults that wait for their requests, in the order in which they were added. The first that matches is used up. */
export class FaultScript {
  #armed: Armed[] = [];

  /** Arms a fault. Disposing the result takes it back. Throws `argument` on random faults that cannot be. */
  add({ fault, match = {}, skip = 0, times = fault.kind === 'random' ? Number.POSITIVE_INFINITY : 1 }: FaultRule): Disposable {
    const draw = fault.kind === 'random' ? randomFaults(fault) : () => fault;
    const armed: Armed = { match, draw, toSkip: skip, toHarm: times };
    this.#armed.push(armed);
    return { [Symbol.dispose]: () => this.#remove(armed) };
  }

  /** Lets a share of all requests, or of those that match, go wrong from now on. Disposing the result ends it. */
  random({ match, ...options }: Omit<RandomFaults, 'kind'> & Pick<FaultRule, 'match'>): Disposable {
    return this.add({ fault: { kind: 'random', ...options }, match });
  }

  clear(): void {
    this.#armed = [];
  }

  /** How many faults wait. */
  get pending(): number {
    return this.#armed.length;
  }

  /** The fault that befalls a request, if any; counts it. */
  take(request: ApiRequest): Fault | Incident | undefined {
    for (const armed of this.#armed) {
      if (!matches(armed.match, request)) continue;
      if (armed.toSkip > 0) {
        armed.toSkip--;
        continue;
      }
      const fault = armed.draw();
      if (!fault) continue;
      if (--armed.toHarm <= 0) this.#remove(armed);
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

function matches({ method, path, watch }: FaultMatch, request: ApiRequest): boolean {
  if (method !== undefined && method.toUpperCase() !== request.method.toUpperCase()) return false;
  if (watch !== undefined && watch !== isWatchRequest(request)) return false;
  if (path === undefined) return true;
  return typeof path === 'string' ? request.path.includes(path) : path.test(request.path);
}
