import { describe, expect, it } from 'vitest';
import { RememberedWrites } from '../../../src/controller/writes/remembered-writes.ts';
import type { UnknownObject } from '../../../src/model/object.ts';

const METADATA = { name: 'web', namespace: 'shop', uid: 'u1' };
const TYPE = { apiVersion: 'apps/v1', kind: 'Deployment' };

/** An object whose container was asked for with an image, and was stored with a policy and another form of its memory. */
const asked = (container: object = {}, more: object = {}): UnknownObject => ({
  ...TYPE,
  metadata: METADATA,
  spec: { containers: [{ name: 'c', image: 'nginx', memory: '0.5Gi', ...container }] },
  ...more,
});
const stored = (container: object = {}, more: object = {}): UnknownObject =>
  asked({ memory: '512Mi', policy: 'Always', ...container }, { ...more });

function afterWrite(was = asked(), is = stored()) {
  const writes = new RememberedWrites();
  writes.remember(was, is);
  return writes;
}

describe('a write', () => {
  it('is repeated if it asks for the same again, and the server still has its answer', () => {
    expect(afterWrite().isRepeated(stored(), asked())).toBe(true);
    expect(new RememberedWrites().isRepeated(stored(), asked())).toBe(false);
  });

  it.each<[string, object]>([
    ['only a default is missing', { memory: '512Mi' }],
    ['only the other form of a value differs', { policy: 'Always' }],
    ['nothing is missing', { memory: '512Mi', policy: 'Always' }],
  ])('is repeated if %s', (_, container) => {
    expect(afterWrite().isRepeated(stored(), asked(container))).toBe(true);
  });

  it.each<[string, object]>([
    ['changes a value', { image: 'nginx:1.27' }],
    ['changes a default', { policy: 'Never' }],
    ['adds a value', { tty: true }],
    ['removes a value that was asked for', { image: undefined }],
    ['sets a default to null', { policy: null }],
  ])('is not repeated if it %s', (_, container) => {
    expect(afterWrite().isRepeated(stored(), asked(container))).toBe(false);
  });

  it('is not repeated if a list has another length', () => {
    const two = { spec: { containers: [...(asked().spec as { containers: object[] }).containers, { name: 'd' }] } };
    expect(afterWrite().isRepeated(stored(), asked({}, two))).toBe(false);
    expect(afterWrite().isRepeated(stored(), asked({}, { spec: { containers: [] } }))).toBe(false);
  });

  it('is repeated if the server adds items to a list each time', () => {
    const [one, two] = [
      { spec: { containers: [{ name: 'c' }] } },
      { spec: { containers: [{ name: 'c' }, { name: 'd' }] } },
    ];
    const writes = afterWrite(asked({}, one), asked({}, two));
    expect(writes.isRepeated(asked({}, two), asked({}, one))).toBe(true);
  });

  it('is not repeated if another writer changed the part since, and is if it changed another part', () => {
    const writes = afterWrite();
    expect(writes.isRepeated(stored({ policy: 'Never' }), asked())).toBe(false);
    const annotated = {
      metadata: { ...METADATA, annotations: { revision: '1' }, resourceVersion: '9', generation: 3 },
    };
    expect(writes.isRepeated(stored({}, annotated), asked({}, annotated))).toBe(true);
    expect(writes.isRepeated(stored({}, annotated), asked())).toBe(false); // the annotation is to be removed
  });

  it('is not repeated for another object, and not after a write with another answer', () => {
    const other = { metadata: { ...METADATA, uid: 'u2' } };
    expect(afterWrite().isRepeated(stored({}, other), asked({}, other))).toBe(false);
    const writes = afterWrite();
    writes.remember(stored(), stored());
    expect(writes.isRepeated(stored(), asked())).toBe(false);
    expect(afterWrite().isRepeated(stored(), { ...asked(), kind: 'Other' })).toBe(false);
  });

  it('treats metadata as parts, and ignores what only the server writes', () => {
    const labels = (value: object) => ({ metadata: { ...METADATA, labels: value } });
    const is = labels({ app: 'web', injected: 'yes' });
    const writes = afterWrite(asked({}, labels({ app: 'web' })), stored({}, is));
    expect(writes.isRepeated(stored({}, is), asked({}, labels({ app: 'web' })))).toBe(true);
    expect(writes.isRepeated(stored({}, is), asked({}, labels({ app: 'x' })))).toBe(false);
    const bare = { metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } } };
    expect(writes.isRepeated(stored({}, { metadata: { ...is.metadata, resourceVersion: '7' } }), asked({}, bare))).toBe(
      true,
    );
  });

  it('is compared as it is sent: a Date as its text, a large number exactly', () => {
    const at = { at: new Date(0), size: 2n ** 60n };
    const writes = afterWrite(asked(at), stored({ at: new Date(0).toISOString(), size: 2n ** 60n }));
    const is = stored({ at: new Date(0).toISOString(), size: 2n ** 60n });
    expect(writes.isRepeated(is, asked(at))).toBe(true);
    expect(writes.isRepeated(is, asked({ ...at, size: 2n ** 60n + 1n }))).toBe(false);
    expect(writes.isRepeated(is, asked({ ...at, at: new Date(1) }))).toBe(false);
  });

  it('is repeated if it differs only as a Date and its text do, also where none was remembered', () => {
    const at = new Date(0);
    const is = stored({ at: at.toISOString() });
    expect(new RememberedWrites().isRepeated(is, stored({ at }))).toBe(true);
  });

  it('is not repeated for a part that is not stored, if another part has changed since', () => {
    const secret = (data: object, more: object = {}): UnknownObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: METADATA,
      type: 'Opaque',
      data,
      ...more,
    });
    const text = { stringData: { a: 'text' } };
    const writes = afterWrite(secret({ a: 'dGV4dA==' }, text), secret({ a: 'dGV4dA==' }));
    expect(writes.isRepeated(secret({ a: 'dGV4dA==' }), secret({ a: 'dGV4dA==' }, text))).toBe(true);
    const another = { a: 'b3RoZXI=' };
    expect(writes.isRepeated(secret(another), secret(another, text))).toBe(false);
  });

  it('is remembered as it was, whatever becomes of its object', () => {
    const [was, is] = [asked(), stored()];
    const writes = afterWrite(was, is);
    (was.spec as { containers: object[] }).containers.length = 0;
    (is.spec as { containers: object[] }).containers.length = 0;
    expect(writes.isRepeated(stored(), asked())).toBe(true);
  });

  it('is remembered while 10,000 others are used, and forgotten after 20,000 others', () => {
    const writes = afterWrite();
    const other = (i: number) => ({ metadata: { ...METADATA, uid: `other-${i}` } });
    const fill = (from: number, count: number) => {
      for (let i = from; i < from + count; i++) writes.remember(asked({}, other(i)), stored({}, other(i)));
    };
    fill(0, 9_999);
    expect(writes.isRepeated(stored(), asked())).toBe(true); // and so it is the last used one
    fill(10_000, 9_999);
    expect(writes.isRepeated(stored(), asked())).toBe(true);
    fill(20_000, 20_010);
    expect(writes.isRepeated(stored(), asked())).toBe(false);
  });

  it('without an answer is not remembered', () => {
    const writes = new RememberedWrites();
    writes.remember(asked(), undefined);
    writes.remember(asked(), { metadata: {} });
    expect(writes.isRepeated(stored(), asked())).toBe(false);
  });
});
