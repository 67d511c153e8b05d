import type { ApiRequest } from '../http/exchange.ts';
import type { Fault, FaultMatch, FaultRule } from './fault.ts';

interface Armed {
  readonly rule: FaultRule;
  toSkip: number;
  toHarm: number;
}

/** The faults that wait for their requests, in the order in which they were added. The first that matches is used up. */
export class FaultScript {
  #armed: Armed[] = [];

  /** Arms a fault. Disposing the result takes it back. */
  add(rule: FaultRule): Disposable {
    const armed: Armed = { rule, toSkip: rule.skip ?? 0, toHarm: rule.times ?? 1 };
    this.#armed.push(armed);
    return {
      [Symbol.dispose]: () => {
        this.#armed = this.#armed.filter((a) => a !== armed);
      },
    };
  }

  clear(): void {
    this.#armed = [];
  }

  /** How many faults wait. */
  get pending(): number {
    return this.#armed.length;
  }

  /** The fault that befalls a request, if any; counts it. */
  take(request: ApiRequest): Fault | undefined {
    for (const armed of this.#armed) {
      if (!matches(armed.rule.match, request)) continue;
      if (armed.toSkip > 0) {
        armed.toSkip--;
        continue;
      }
      if (--armed.toHarm <= 0) this.#armed = this.#armed.filter((a) => a !== armed);
      return armed.rule.fault;
    }
    return undefined;
  }
}

export function isWatchRequest({ method, path }: ApiRequest): boolean {
  return method.toUpperCase() === 'GET' && /[?&]watch=(?!false|0)/.test(path);
}

function matches({ method, path, watch }: FaultMatch = {}, request: ApiRequest): boolean {
  if (method !== undefined && method.toUpperCase() !== request.method.toUpperCase()) return false;
  if (watch !== undefined && watch !== isWatchRequest(request)) return false;
  if (path === undefined) return true;
  return typeof path === 'string' ? request.path.includes(path) : path.test(request.path);
}
