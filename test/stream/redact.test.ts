import { describe, expect, test } from 'vitest';
import { cellsOf, withCells } from '../../src/model/cells.ts';
import { LAST_APPLIED, Redactor } from '../../src/stream/redact.ts';

const MARKER = 'hunter2-marker';
const BASE64 = Buffer.from(MARKER).toString('base64');
const KEY = new TextEncoder().encode('a key for tests');
const redactor = new Redactor({ key: KEY });

const secret = (more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 's',
    annotations: { [LAST_APPLIED]: JSON.stringify({ data: { password: BASE64 } }), other: 'kept' },
  },
  data: { password: BASE64, 'tls.crt': Buffer.from('other').toString('base64') },
  stringData: { again: MARKER },
  type: 'Opaque',
  ...more,
});

const SECRETS = { group: '', resource: 'secrets' };

function shows(value: unknown): boolean {
  const text = JSON.stringify(value);
  return text.includes(MARKER) || text.includes(BASE64);
}

describe('a Secret', () => {
  test('shows digests in place of its values and its last-applied annotation', () => {
    const shown = redactor.redact(secret());
    expect(shows(shown)).toBe(false);
    expect(shown).toEqual({
      ...secret(),
      metadata: {
        name: 's',
        annotations: { [LAST_APPLIED]: expect.stringMatching(/^hmac:[\da-f]{8}$/), other: 'kept' },
      },
      data: {
        password: expect.stringMatching(/^hmac:[\da-f]{8}$/),
        'tls.crt': expect.stringMatching(/^hmac:[\da-f]{8}$/),
      },
      stringData: { again: expect.stringMatching(/^hmac:[\da-f]{8}$/) },
    });
  });

  test('shows equal values alike, in data and in stringData, and different ones apart', () => {
    const { data, stringData } = redactor.redact(secret());
    expect(stringData.again).toBe(data.password);
    expect(data['tls.crt']).not.toBe(data.password);
    expect(redactor.redact(secret()).data).toEqual(data);
  });

  test('shows other digests under another key', () => {
    expect(new Redactor().redact(secret()).data.password).not.toBe(redactor.redact(secret()).data.password);
  });

  test('is not changed itself', () => {
    const original = secret();
    redactor.redact(original);
    expect(original).toEqual(secret());
  });

  test('without annotations or data stays whole', () => {
    const bare = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
    expect(redactor.redact(bare)).toEqual(bare);
  });

  test('keeps the row of its table', () => {
    const row = { columns: [], cells: ['s'] };
    expect(cellsOf(redactor.redact(withCells(secret(), row)))).toBe(row);
  });

  test('whose value is no text shows a digest too', () => {
    expect(redactor.redact(secret({ data: { a: null, b: { c: MARKER } }, stringData: undefined })).data).toEqual({
      a: expect.stringMatching(/^hmac:/),
      b: expect.stringMatching(/^hmac:/),
    });
  });
});

describe('a Secret is known by its type', () => {
  test.each([
    ['an item of a list, which has no kind', secret({ kind: undefined, apiVersion: undefined })],
    [
      'a row with metadata only',
      secret({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', data: undefined, stringData: undefined }),
    ],
  ])('%s', (_, object) => {
    expect(shows(redactor.redact(object, SECRETS))).toBe(false);
  });
});

describe('lists are looked into', () => {
  test.each([
    [
      'a SecretList, whose items have no kind',
      { kind: 'SecretList', apiVersion: 'v1', items: [secret({ kind: undefined, apiVersion: undefined })] },
    ],
    ['a List of several kinds', { kind: 'List', apiVersion: 'v1', items: [{ kind: 'Pod' }, secret()] }],
    ['a List within a List', { kind: 'List', items: [{ kind: 'List', items: [secret()] }] }],
  ])('%s', (_, list) => {
    const copy = structuredClone(list);
    expect(shows(redactor.redact(list))).toBe(false);
    expect(list).toEqual(copy);
  });
});

describe('given back as it is', () => {
  test.each([
    ['a ConfigMap', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: MARKER } }],
    ['a Secret of another group', { apiVersion: 'example.com/v1', kind: 'Secret', data: { a: MARKER } }],
    ['a list without secrets', { kind: 'PodList', items: [{ kind: 'Pod' }] }],
  ])('%s', (_, object) => {
    expect(redactor.redact(object)).toBe(object);
  });

  test('a Secret when secrets are to be shown', () => {
    const object = secret();
    const showing = new Redactor({ showSecrets: true });
    expect(showing.redact(object)).toBe(object);
    expect(showing.value(MARKER)).toBe(MARKER);
  });
});

test('a text alone is digested as it is within a Secret', () => {
  expect(redactor.value(MARKER)).toBe(redactor.redact(secret()).data.password);
});
