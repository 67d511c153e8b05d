import { bodyText } from '../../src/sandbox/api/exchange.ts';
import { NAMESPACES, pathOf } from './collections.ts';
import { pick, type RandomSource } from './random.ts';
import type { World } from './world.ts';

export const NODES = ['n1', 'n2', 'n10'];
const APPS = ['web', 'db'];

/**
 * Writes something to the server, as another client would, and records it in `world.history`. Returns a line for the
 * trace.
 */
export async function operate(world: World, random: RandomSource): Promise<string> {
  const { collection } = world;
  const namespace = collection.isNamespaced ? pick(random, NAMESPACES) : '';
  const name = `o${Math.floor(random() * 6)}`;
  const key = namespace === '' ? name : `${namespace}/${name}`;
  const verb = world.object(key) === undefined ? 'POST' : pick(random, ['PUT', 'PATCH', 'PATCH', 'DELETE']);
  const path = pathOf(collection, namespace, verb === 'POST' ? '' : name);
  const body = verb === 'DELETE' ? undefined : objectOf(world, name, verb, random);
  if (verb === 'DELETE') world.takeSnapshot(); // a backup is restored after a deletion more than after anything else
  const status = await world.change(key, () => send(world, verb, path, body));
  return `${verb} ${key} ${status}`;
}

function objectOf({ collection }: World, name: string, verb: string, random: RandomSource): object {
  const data = { metadata: { labels: { app: pick(random, APPS) }, annotations: { node: pick(random, NODES) } } };
  if (verb === 'PATCH') return data;
  const { apiVersion, kind } = collection;
  const spec = kind === 'IngressClass' ? { spec: { controller: 'example.com/x' } } : {};
  return { apiVersion, kind, ...spec, metadata: { ...data.metadata, name } };
}

async function send({ sandbox }: World, method: string, path: string, body: object | undefined): Promise<number> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const request = { method, path, headers: { 'content-type': type }, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await sandbox.handle(request);
  await bodyText(response);
  return response.status;
}
