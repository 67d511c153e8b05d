import { describe, expect, it } from 'vitest';
import { refuseAnswer, subjectOf, unprintableIn } from '../../src/output/event-lines.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { shownObject } from '../../src/stream/shown-object.ts';
import { deployment, event, pod } from './fixtures.ts';

describe('subjectOf', () => {
  it('is the type and the key of the object', () => {
    expect(subjectOf(event('ADDED', deployment('web')))).toBe('deployment.apps/shop/web');
  });

  it('has no control sequence of the key', () => {
    const printed = event('ADDED', pod('web'));
    expect(subjectOf({ ...printed, event: { ...printed.event, key: 'shop/\x1b[31m' } })).not.toContain('\x1b');
  });
});

describe('unprintableIn', () => {
  const tooDeep = () => {
    let spec: object = {};
    for (let i = 0; i < 20_000; i++) spec = { spec };
    return shownObject(
      { ...pod('deep'), spec } as never,
      { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod' },
      { redactor: new Redactor() },
    );
  };

  it('has the reason if one of the two states cannot be printed', () => {
    const deep = tooDeep();
    expect(unprintableIn(deep, undefined)).toMatch(/^cannot be printed: \S/);
    expect(unprintableIn(pod('a'), deep)).toBe(unprintableIn(deep, pod('a')));
  });

  it('is undefined if both can be printed', () => {
    expect(unprintableIn(pod('a'), pod('b'))).toBeUndefined();
    expect(unprintableIn(pod('a'), undefined)).toBeUndefined();
  });
});

it('refuseAnswer names the format and says what to use instead', () => {
  expect(() => refuseAnswer('diff')).toThrow(
    expect.objectContaining({
      code: 'argument',
      message: '-o diff shows changes, so it needs a stream of them',
      hint: 'use it with watch, or -o yaml for the objects as they are',
    }),
  );
});
