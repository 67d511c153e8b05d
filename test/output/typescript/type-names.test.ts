import { describe, expect, it } from 'vitest';
import { typeNames } from '../../../src/output/typescript/type-names.ts';

const namesOf = (schemas: string[], kinds: Record<string, string> = {}) =>
  Object.fromEntries(typeNames(schemas, new Map(Object.entries(kinds))));

describe('names of types', () => {
  it('are unique, also where even group and version are the same', () => {
    const names = Object.values(namesOf(['a.core.v1.X', 'b.core.v1.X', 'CoreV1X', 'c.core.v1.X']));
    expect(new Set(names).size).toBe(4);
  });

  it('are names of TypeScript', () => {
    expect(namesOf(['a.string', 'b.1st', 'c.ü-b', 'd.'])).toEqual({
      'a.string': '_string',
      'b.1st': '_1st',
      'c.ü-b': '__b',
      'd.': '_',
    });
  });

  it('of several kinds with the same name all have group and version', () => {
    const kinds = { 'k.core.v1.Event': 'Event', 'k.events.v1.Event': 'Event' };
    expect(namesOf(Object.keys(kinds), kinds)).toEqual({
      'k.core.v1.Event': 'CoreV1Event',
      'k.events.v1.Event': 'EventsV1Event',
    });
  });
});
