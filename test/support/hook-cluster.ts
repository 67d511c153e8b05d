import type { Subject } from '../../src/hooks/actions/action-target.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { inProcess } from './in-process.ts';

/** The query by which writes name the program as their field manager. */
export const MINE = 'fieldManager=kubectl-informer';

/** The reconciled type. */
export const deployments = { gvr: parseGvr('apps/v1/deployments'), kind: 'Deployment', namespaced: true };
export const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
export const configMap = (name: string, namespace = 'shop') => ({
  ...CONFIG_MAP,
  metadata: { name, namespace },
  data: { x: '1' },
});

export const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
  },
};
const OBJECTS = [
  WEB,
  ...['a', 'b', 'c'].map((name) => configMap(name)),
  configMap('c', 'bank'),
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'shop' }, data: { password: 'aHVudGVyMg==' } },
];

/** A cluster with the objects, and its requests: all of them, or the bodies of the writes. */
export async function cluster() {
  const { sandbox, clock, client, sent } = await inProcess({ objects: OBJECTS });
  const types = async () => (await client.discovery.snapshot()).types;
  await types(); // loaded before the first test counts requests
  sent.length = 0;
  const web = sandbox.get(deployments.gvr, 'shop/web') as UnknownObject;
  const find = (gvr: string, key: string) => sandbox.get(parseGvr(gvr), key);
  return {
    sandbox,
    clock,
    client,
    types,
    find,
    web,
    subject: { namespace: 'shop', name: 'web', object: web } as Subject,
    requests: () => sent.map(({ method, path }) => `${method} ${path}`),
    bodies: () => sent.map(({ body }) => JSON.parse(String(body))),
    sent,
  };
}
