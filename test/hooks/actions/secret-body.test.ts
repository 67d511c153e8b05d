import { describe, expect, it } from 'vitest';
import { checkSecretBody } from '../../../src/hooks/actions/secret-body.ts';
import { guardClient } from '../../../src/hooks/guarded-client.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import { cluster } from '../../support/hook-cluster.ts';

const SECRETS = parseGvr('v1/secrets');
const LAST_APPLIED = '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration';
const TO = '/metadata/annotations/x';

describe('a JSON patch of a Secret that would show one of its values', () => {
  const showing = [
    { op: 'copy', from: '/data/password', path: TO },
    { op: 'move', from: '/data/password', path: TO },
    { op: 'copy', from: '/data', path: TO },
    { op: 'copy', from: '', path: TO },
    { op: 'copy', from: 'x/data/password', path: TO },
    { op: 'move', from: '/stringData/password', path: '/metadata/labels/x' },
    { op: 'copy', from: LAST_APPLIED, path: TO },
    { op: 'copy', from: '/metadata', path: TO },
    { op: 'copy', from: '/data/a', path: '/datax/b' },
    { op: 'test', path: '/data/password', value: 'guess' },
    { op: 'test', path: '/data', value: {} },
    { op: 'test', path: LAST_APPLIED, value: 'guess' },
  ];

  it.each(showing)('is refused: %j', (operation) => {
    expect(() => checkSecretBody([{ op: 'add', path: TO, value: 'y' }, operation], SECRETS)).toThrow(
      expect.objectContaining({ code: 'hook', message: expect.stringContaining('would show a value of a Secret') }),
    );
    checkSecretBody([operation], SECRETS, { maySeeSecrets: true });
    checkSecretBody([operation], parseGvr('v1/configmaps'));
    checkSecretBody([operation], parseGvr('example.com/v1/secrets'));
  });

  it('is refused by the client of a module before anything is sent, and allowed with the values', async () => {
    const { client, requests, find } = await cluster();
    const body = [{ op: 'copy', from: '/data/a', path: '/data/b' }] as const;
    const shown = [
      { op: 'add', path: '/metadata/labels', value: {} },
      { op: 'copy', from: '/data/a', path: '/metadata/labels/x' },
    ] as const;
    const of = (maySeeSecrets: boolean) =>
      guardClient(client, { mode: 'write', maySeeSecrets }).resource(SECRETS, { namespace: 'shop' });
    await of(false).patch('s', { data: { a: 'YWJj' } }, { type: 'merge' });
    await of(false).patch('s', body, { type: 'json' });
    const before = requests().length;
    await expect(of(false).patch('s', shown, { type: 'json' })).rejects.toThrow('copy /data/a');
    expect(requests()).toHaveLength(before);
    await of(true).patch('s', shown, { type: 'json' });
    expect(find('v1/secrets', 'shop/s')?.metadata.labels).toEqual({ x: 'YWJj' });
  });
});

it.each([
  { op: 'move', from: '/data/old', path: '/data/new' },
  { op: 'copy', from: '/stringData/a', path: '/data/a' },
  { op: 'remove', path: '/data/password' },
  { op: 'replace', path: '/data/password', value: 'bmV3' },
  { op: 'copy', from: '/metadata/labels/a', path: TO },
  { op: 'copy', from: '/metadata/annotations/a', path: TO },
  { op: 'test', path: '/metadata/annotations', value: {} },
  { op: 'test', path: '/metadata/resourceVersion', value: '1' },
])('any other JSON patch of a Secret is not refused: %j', (operation) => {
  expect(() => checkSecretBody([operation], SECRETS)).not.toThrow();
});
