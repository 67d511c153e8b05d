// The hook that the replicas run as a module. It writes its start, and asks for two writes at its end. It goes on when it
// should end: then only the fence of the writes keeps it from acting.
import { setTimeout } from 'node:timers/promises';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
let runs = 0;

export default async function reconcile({ client, namespace, name, object }) {
  const run = `${process.pid}-${++runs}`;
  const journal = `${namespace}.${name}`;
  const version = object?.metadata.annotations?.version ?? '0';
  const record = (what) => ({ data: { replica: String(process.pid), run, what, version } });
  await client.resource(CONFIG_MAPS, { namespace: 'journal' }).patch(journal, record('start'), { type: 'merge' });
  await setTimeout(Math.random() < 0.1 ? Math.random() * 500 : 5); // a few are at work when a fault strikes
  const on = { gvr: 'v1/configmaps', namespace: 'journal', name: journal };
  return {
    actions: [
      { patch: record('work'), on },
      { patch: record('end'), on },
    ],
  };
}
