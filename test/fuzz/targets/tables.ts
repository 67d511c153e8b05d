import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readList } from '../../../src/client/decode/list-body.ts';
import { WatchStream } from '../../../src/client/decode/watch-body.ts';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { cellsOf } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { LiveTable } from '../../../src/output/live/live-table.ts';
import { CsvPrinter } from '../../../src/output/tables/csv-printer.ts';
import { TablePrinter } from '../../../src/output/tables/table-printer.ts';
import { PrintedCells, printedColumns } from '../../../src/stream/conditions/printed-cells.ts';
import { clock, event, PODS } from '../../output/fixtures.ts';
import { oddJson, oddText } from '../inputs.ts';
import { outcomeOf, settled } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const quoted = oddText.map((text) => JSON.stringify(text));
const names = fc.constantFrom('"Name"', '"Age"', '"Ready"', '"Status"', '"Restarts"', '"__proto__"', '"NAMESPACE"');
const column = fc
  .tuple(
    fc.oneof({ weight: 6, arbitrary: names }, quoted, oddJson),
    fc.constantFrom('"string"', '"integer"', '"number"', '"boolean"', '"date"', 'null', '7'),
    fc.constantFrom('""', '"name"', '"date-time"', 'null'),
    fc.constantFrom('0', '0', '1', 'null'),
  )
  .map(([name, type, format, priority]) => `{"name":${name},"type":${type},"format":${format},"priority":${priority}}`);
const cell = fc.oneof(
  quoted,
  fc.constantFrom('"web-1"', '"5m"', '"3 (2m ago)"', '"<none>"', '"2026-01-01T00:00:00Z"', 'true', '12', '""', 'null'),
  oddJson,
);
const object = fc.oneof(
  { weight: 4, arbitrary: quoted.map((name) => `{"metadata":{"name":${name},"namespace":"shop","labels":{"a":"b"}}}`) },
  fc.constantFrom('null', '7', '"a"', '[]', '{"metadata":{}}', '{"metadata":{"creationTimestamp":"x","labels":{}}}'),
);
const row = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.array(cell, { maxLength: 6 }), object)
      .map(([cells, about]) => `{"cells":[${cells.join()}],"object":${about}}`),
  },
  fc.constantFrom(
    'null',
    '{}',
    '[]',
    '7',
    '{"cells":null}',
    '{"cells":{}}',
    '{"object":null,"cells":[{"toString":1}]}',
  ),
);
const listOf = (items: fc.Arbitrary<string>, maxLength: number) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.array(items, { maxLength }).map((all) => `[${all.join()}]`) },
    fc.constantFrom('null', '{}', '"a"', '[null]'),
  );
const table = fc
  .tuple(listOf(column, 5), listOf(row, 4))
  .map(
    ([columns, rows]) =>
      `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":${columns},"rows":${rows}}`,
  );

const GVR = { group: '', version: 'v1', resource: 'pods' };
const OPTIONS = { gvr: GVR, table: true, dropManagedFields: true };

async function* body(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The objects of a table, as a list and as events, that have what the core needs of an object. */
async function objectsFrom(text: string): Promise<UnknownObject[]> {
  const list = await settled(() => readList<UnknownObject>(body(text), OPTIONS));
  const seen: UnknownObject[] = [];
  const watch = await settled(async () => {
    const line = `{"type":"ADDED","object":${text}}\n{"type":"BOOKMARK","object":${text}}\n`;
    for await (const batch of new WatchStream<UnknownObject>(body(line), OPTIONS))
      seen.push(...batch.filter(({ type }) => type === 'ADDED').map((each) => each.object as UnknownObject));
  });
  if ('value' in list && 'value' in watch) assert.equal(seen.length, list.value.items.length);
  const all = [...('value' in list ? list.value.items : []), ...seen];
  return all.filter(({ metadata }) => typeof metadata?.name === 'string');
}

const conditions = [
  'READY == "1/1"',
  'RESTARTS > 2',
  'AGE < duration("5m")',
  'cells.size() > 2',
  'NAME.startsWith("w")',
];
const programs = conditions.map((source) =>
  compileCel(source, { flag: '--where', variables: OBJECT_VARIABLES, unlisted: true }),
);

export const tables = fuzzTarget({
  name: 'tables',
  share: 0.6,
  inputs: fc.tuple(table, fc.boolean(), fc.boolean()),
  check: async ([text, wide, showLabels]) => {
    const objects = await objectsFrom(text);
    const cells = new PrintedCells();
    const live = new LiveTable({ wide, showLabels });
    const printer = new TablePrinter({ clock, wide, showLabels, withNamespace: true });
    const answers = objects.map((each) => ({ object: each, type: PODS }));
    const printed = [...new TablePrinter({ clock, wide }).objects(answers)].join('');
    assert.ok(printed.split('\n').length > objects.length, 'a row is missing');
    for (const each of objects) {
      const row = cellsOf(each);
      assert.ok(row && Array.isArray(row.cells));
      printedColumns(row.columns);
      for (const program of programs) program.test(cells.variablesFor(each, clock.now(), 'ADDED'));
      const added = event('ADDED', each);
      assert.match(printer.events([added]), /\n$/);
      live.update(added);
    }
    live.frame({ columns: 80, rows: 20 }, clock.now());
    outcomeOf(() => [...new CsvPrinter({ clock, showLabels }).objects(answers)]);
  },
});
