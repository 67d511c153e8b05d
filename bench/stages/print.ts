import { createClient } from '../../src/client/client.ts';
import { systemClock } from '../../src/kit/clock.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { compileOutput } from '../../src/output/compiled-output.ts';
import { type OutputFormat, parseOutputFormat } from '../../src/output/formats.ts';
import { Enveloper, type ObjectChange } from '../../src/stream/envelope.ts';
import { Redactor } from '../../src/stream/redact.ts';
import type { Shape } from '../generator.ts';
import type { Row, Stage } from '../harness.ts';
import { changed, chunksOf, listBody, PODS, pods } from './bodies.ts';

const TYPE = {
  gvr: PODS,
  kind: 'Pod',
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  verbs: ['list', 'watch'],
  subresources: [],
  preferred: true,
};

const BATCH = 10;

/** Changes into envelopes and text, in the formats there are. */
export async function printEvents(count: number, shape: Shape): Promise<Stage> {
  const few = Math.ceil(count / 10);
  const whole = pods(count, shape).map((pod, i) => change(pod, changed(pod, i)));
  const rows = await tableRows(count, shape);
  const formats: [string, ObjectChange[], number][] = [
    ['', rows, count],
    ['json', whole, count],
    ['name', whole, count],
    ['changes', whole, count],
    ['diff', whole, few],
    ['yaml', whole, few],
  ];
  return {
    unit: 'event',
    count,
    rows: [
      {
        name: 'baseline: JSON.stringify of the object',
        run: () => whole.reduce((lines, { object }) => lines + (JSON.stringify(object).length > 0 ? 1 : 0), 0),
      },
      ...formats.flatMap(([text, changes, n]) => rowOf(text, changes.slice(0, n))),
    ],
  };
}

/** A row for a format that this version knows. */
function rowOf(text: string, changes: readonly ObjectChange[]): Row[] {
  let format: OutputFormat;
  try {
    format = parseOutputFormat(text);
  } catch {
    return [];
  }
  return [{ name: text === '' ? 'table' : `-o ${text}`, count: changes.length, run: () => printed(format, changes) }];
}

async function printed(format: OutputFormat, changes: readonly ObjectChange[]): Promise<number> {
  const printer = (await compileOutput(format)).createPrinter({ clock: systemClock, withNamespace: true });
  const enveloper = new Enveloper({ clock: systemClock, redactor: new Redactor({ showSecrets: false }) });
  let told = 0;
  let length = 0;
  for (let at = 0; at < changes.length; at += BATCH) {
    const batch = changes
      .slice(at, at + BATCH)
      .flatMap((each) => enveloper.envelop(each, TYPE).map((event) => ({ event, type: TYPE })));
    length += printer.events(batch).length;
    told += batch.length;
  }
  return length > 0 ? told : 0;
}

function change(oldObject: object, object: object): ObjectChange {
  return { type: 'updated', object: object as UnknownObject, oldObject: oldObject as UnknownObject, cause: 'watch' };
}

/** Changes of objects that carry the server's cells. */
async function tableRows(count: number, shape: Shape): Promise<ObjectChange[]> {
  const body = listBody(count, shape, 'row-metadata');
  const request = async () => ({ status: 200, headers: {}, body: chunksOf(body) });
  const client = createClient({ request, close: async () => {} });
  const { items } = await client.resource(PODS, { as: { table: 'Metadata' }, dropManagedFields: true }).list();
  return items.map((item) => change(item, item));
}
