import type { Lister } from '../informer/lister.ts';
import type { UnknownObject } from '../model/object.ts';

export interface ListerRedaction {
  object<T extends object>(object: T): T;
  value(text: string): string;
}

/** A lister of Secrets for code that may not see their values: the same, but for what it hands out. */
export function redactedLister(lister: Lister<UnknownObject>, redaction: ListerRedaction): Lister<UnknownObject> {
  return new Proxy(lister, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => shown(Reflect.apply(member, target, args), name, redaction);
    },
  });
}

function shown(answer: unknown, name: string | symbol, redaction: ListerRedaction): unknown {
  if (name === 'keys' || name === 'indexKeys' || typeof answer !== 'object' || answer === null) return answer;
  if (Array.isArray(answer)) return answer.map((item) => (typeof item === 'string' ? redaction.value(item) : redaction.object(item)));
  if (Symbol.iterator in answer) return Iterator.from(answer as Iterable<object>).map((item) => redaction.object(item));
  if ('metadata' in answer) return redaction.object(answer);
  const members = Object.entries(answer as Record<string, (...args: unknown[]) => unknown>); // a lister of one namespace
  return Object.fromEntries(members.map(([key, member]) => [key, (...args: unknown[]) => shown(member(...args), key, redaction)]));
}
