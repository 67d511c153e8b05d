import { describe, expect, it } from 'vitest';
import { objectOfText, storedText, withoutValues } from '../../../src/serve/persist/stored-text.ts';

describe('the stored text of an object', () => {
  it('has no value of a Secret, nor anything in its place', () => {
    const secret = {
      metadata: {
        name: 's',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"k":"aHVzaA=="}}', kept: 'yes' },
      },
      data: { k: 'aHVzaA==' },
      stringData: { k: 'hush' },
      type: 'Opaque',
    };
    expect(JSON.parse(storedText(secret, true))).toEqual({
      metadata: { name: 's', annotations: { kept: 'yes' } },
      type: 'Opaque',
    });
    expect(storedText({ kind: 'Secret', ...secret }, false)).not.toMatch(/hush|aHVzaA|hmac/);
  });

  it('keeps numbers exactly', () => {
    const text = '{"metadata":{"name":"x"},"n":12345678901234567890}';
    expect(storedText(objectOfText(text), false)).toBe(text);
  });

  it('is all of an object that is no Secret', () => {
    const map = { kind: 'ConfigMap', metadata: { name: 'm' }, data: { k: 'v' } };
    expect(JSON.parse(storedText(map, false))).toEqual(map);
  });
});

it('a Secret without its values keeps everything else, also where it has no copy of kubectl', () => {
  const metadata = { name: 's', annotations: { kept: 'yes' }, labels: { app: 'web' } };
  const secret = { kind: 'Secret', metadata, data: { k: 'aHVzaA==' }, type: 'Opaque' };
  expect(withoutValues(secret)).toEqual({ kind: 'Secret', metadata, type: 'Opaque' });
});
