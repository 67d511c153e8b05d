import { expect, it } from 'vitest';
import { Indexer } from '../../src/informer/store/indexer.ts';
import { createLister } from '../../src/informer/store/lister.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { createRedactedLister } from '../../src/stream/redacted-lister.ts';

const SECRETS = { group: '', resource: 'secrets' };
const PLAIN = Buffer.from('marker').toString('base64');

it('hands out no value of a Secret by any of its ways, and everything else as it is', () => {
  const indexer = new Indexer<UnknownObject>({
    indexers: {
      namespace: (o) => [o.metadata.namespace ?? ''],
      password: (o) => [(o.data as { password: string }).password],
    },
  });
  indexer.add({ metadata: { namespace: 'shop', name: 'login', resourceVersion: '5' }, data: { password: PLAIN } });
  const redactor = new Redactor();
  const lister = createRedactedLister(createLister(indexer, SECRETS), redactor, SECRETS);
  const answers = [
    lister.get('shop/login'),
    lister.require('shop/login'),
    lister.glance('shop/login'),
    lister.list(),
    [...lister.view()],
    [...lister.viewByIndex('password', PLAIN)],
    [...lister.scan()],
    [...lister.values()],
    lister.byIndex('password', PLAIN),
    lister.byIndexRange('password', {}),
    lister.byNamespace('shop').list(),
    lister.byNamespace('shop').get('login'),
    lister.byNamespace('shop').require('login'),
    lister.indexValues('password'),
    lister.indexValues('password', {}),
    lister.indexValues('password', { prefix: PLAIN.slice(0, 3) }),
    lister.indexValues('password', { from: PLAIN, to: PLAIN }),
    [...lister.scan({})],
  ];
  for (const answer of answers) {
    expect(JSON.stringify(answer)).toContain('hmac:');
    expect(JSON.stringify(answer)).not.toContain(PLAIN);
  }
  expect(lister.size).toBe(1);
  expect([...lister.keys()]).toEqual(['shop/login']);
  expect(lister.indexKeys('password', PLAIN)).toEqual(['shop/login']);
  expect([lister.indexCount('password', PLAIN), lister.hasIndex('password'), lister.has('shop/login')]).toEqual([
    1,
    true,
    true,
  ]);
  expect(lister.resourceVersion).toBe('5');
  expect(lister.get('none')).toBeUndefined();
  expect(() => lister.require('shop/none')).toThrow('not found');
});
