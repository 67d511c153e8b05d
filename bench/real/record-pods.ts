// node bench/real/record-pods.ts: what the pods of the server of KUBECONFIG are like, into bench/real/pods.json. Only
// counts and names of fields are kept, no value. A test compares the bench's own pods with them.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient, loadConfig } from '../../src/index.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { podFigures } from '../pod-figures.ts';

const PODS = 2_000;
/** As in a list: there the entries do not say what they are. */
const textOf = ({ apiVersion: _, kind: __, ...pod }: UnknownObject) => JSON.stringify(pod);

const client = createClient(await loadConfig());
try {
  const { items } = await client.resource({ group: '', version: 'v1', resource: 'pods' }).list({ limit: PODS });
  const { gitVersion: server } = await client.version();
  const { fields, ...numbers } = podFigures(items.map(textOf));
  const rounded = Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, Number(value.toPrecision(4))]),
  );
  const recorded = { date: new Date().toISOString(), server, pods: items.length, ...rounded, fields };
  writeFileSync(path.join(import.meta.dirname, 'pods.json'), `${JSON.stringify(recorded, null, 2)}\n`);
} finally {
  await client.close();
}
