import { describe, expect, test } from 'vitest';
import { cellsOf, withCells } from '../../src/model/cells.ts';
import { LAST_APPLIED, Redactor, withoutManagedFields } from '../../src/stream/redact.ts';

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

describe('a masked Secret', () => {
  test('is redacted, and neither it nor a copy of it is redacted again', () => {
    const masked = redactor.masked(secret(), SECRETS);
    expect({ ...masked }).toMatchObject(redactor.redact(secret()));
    expect(shows(masked)).toBe(false);
    expect(redactor.redact(masked)).toBe(masked);
    const copy = { ...masked };
    expect(redactor.redact(copy, SECRETS)).toBe(copy);
    expect(redactor.masked(masked, SECRETS)).toBe(masked);
  });

  test('is no mark on what needs none: another object stays the very same', () => {
    const map = { kind: 'ConfigMap', data: { a: MARKER } };
    expect(redactor.masked(map, { group: '', resource: 'configmaps' })).toBe(map);
  });
});

test('without managed fields an object has none, is redacted all the same, and is the very same where it had none', () => {
  const without = withoutManagedFields(redactor);
  const object = secret({ metadata: { name: 's', managedFields: [{ manager: 'a' }] } });
  expect(without.redact(object)).toEqual({ ...redactor.redact(object), metadata: { name: 's' } });
  const map = { metadata: { name: 'm' }, data: { a: '1' } };
  expect(without.redact(map)).toBe(map);
  expect(without.redact({ data: {} })).toEqual({ data: {} });
  expect(without.value(MARKER)).toBe(redactor.value(MARKER));
});

test.each([{ kind: 'SecretList' }, { kind: 7, items: [1] }, { items: [{ data: {} }] }, { kind: 'Thing', items: [{}] }])(
  'what is no list stays the very same: %j',
  (object) => {
    expect(redactor.redact(object)).toBe(object);
  },
);

test('items of a list that are no objects stay as they are, and an absent value has a digest too', () => {
  const list = { kind: 'SecretList', items: [null, 'text', 7, secret()] };
  const redacted = redactor.redact(list);
  expect(redacted.items.slice(0, 3)).toEqual([null, 'text', 7]);
  expect(shows(redacted)).toBe(false);
  expect(redactor.redact({ kind: 'Secret', data: { a: undefined } }).data.a).toBe(redactor.value(''));
});

test('a text alone is digested as it is within a Secret', () => {
  expect(redactor.value(MARKER)).toBe(redactor.redact(secret()).data.password);
});

describe('a copy of a value elsewhere in a Secret', () => {
  const withCopies = (annotations: Record<string, string>, labels: Record<string, string> = {}, more: object = {}) =>
    secret({ metadata: { name: 's', labels, annotations }, ...more });
  const DIGEST = /^hmac:[\da-f]{8}$/;

  test('shows its digest: as text, in base64 with and without padding, and as a part of another text', () => {
    const annotations = {
      plain: MARKER,
      base64: BASE64,
      bare: BASE64.replace(/=+$/, ''),
      part: `user:${MARKER}@host`,
      json: JSON.stringify({ data: BASE64 }),
    };
    const shown = redactor.redact(withCopies(annotations, { a: MARKER }));
    expect(shows(shown)).toBe(false);
    expect(Object.keys(shown.metadata.annotations)).toEqual(Object.keys(annotations));
    for (const text of Object.values(shown.metadata.annotations)) expect(text).toMatch(DIGEST);
    expect((shown.metadata as { labels?: object }).labels).toEqual({ a: expect.stringMatching(DIGEST) });
  });

  test('is hidden too where only another state of the Secret has the value', () => {
    const before = secret();
    const moved = { ...withCopies({ x: BASE64 }), data: {}, stringData: {} };
    expect(shows(redactor.redact(moved))).toBe(true);
    expect(redactor.redact(moved, SECRETS, [before]).metadata.annotations).toEqual({
      x: expect.stringMatching(DIGEST),
    });
  });

  test('does not hide other texts, short words, and the namespace of a token', () => {
    const encoded = (text: string) => Buffer.from(text).toString('base64');
    const data = { on: encoded('yes'), word: encoded('prod'), empty: '', namespace: encoded('default') };
    const annotations = { a: 'yes', b: 'production', c: 'default', d: '' };
    const token = withCopies(
      annotations,
      { e: 'v1' },
      { data, stringData: {}, type: 'kubernetes.io/service-account-token' },
    );
    expect(redactor.redact(token).metadata).toEqual({ name: 's', labels: { e: 'v1' }, annotations });
    expect(
      redactor.redact({ ...token, metadata: { name: 's', annotations: { a: 'prod' } } }).metadata.annotations.a,
    ).toMatch(DIGEST);
  });
});
