import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describeError } from '../../../src/cli/terminal/error-text.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { cellText, continued, neutralised, safeJson } from '../../../src/kit/escape.ts';
import { logLine } from '../../../src/kit/logger.ts';
import { StatusError } from '../../../src/model/status.ts';
import { parseOutputFormat } from '../../../src/output/formats.ts';
import { LiveTable } from '../../../src/output/live/live-table.ts';
import { markerLine } from '../../../src/output/marker-line.ts';
import { wholeText } from '../../../src/output/value-text.ts';
import { clock, createPrinter } from '../../output/fixtures.ts';
import { hostileEvent, hostileText, OWN, UNSAFE } from '../../output/hostile-event.ts';
import { oddText } from '../inputs.ts';
import { fuzzTarget } from '../target.ts';

const text = fc.oneof(hostileText, oddText, fc.string({ unit: 'binary', maxLength: 6 }));
const FORMATS = ['', 'wide', 'json', 'ndjson', 'yaml', 'name', 'diff', 'changes', 'jsonpath={.spec.lines}{.kind}'];
const format = fc.constantFrom(...FORMATS, 'custom-columns=A:.spec.lines,B:.data,C:.metadata.name', 'csv');

function assertSafe(printed: string): void {
  assert.doesNotMatch(printed.replaceAll('\t', ' ').replaceAll('\r\n', '\n'), UNSAFE);
}

/** No format writes to a terminal what it would obey, hide or reorder. */
export const printedObjects = fuzzTarget({
  name: 'terminal-formats',
  share: 0.4,
  inputs: fc.tuple(text, text, fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'), fc.boolean(), format),
  check: async ([value, other, type, showKind, output]) => {
    const options = { clock, terminal: true, showKind, withNamespace: true, showLabels: true, labelColumns: ['app'] };
    const printer = await createPrinter(parseOutputFormat(output), options);
    const event = hostileEvent(value, other, type);
    const printed = [printer.events([event])];
    if (!/^(diff|changes)$/.test(output))
      printed.push(...printer.objects([{ object: event.event.object, type: event.type }]));
    assertSafe(printed.join(''));
  },
});

export const liveTables = fuzzTarget({
  name: 'terminal-live',
  share: 0.4,
  inputs: fc.tuple(text, text, fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 30 })),
  check: ([value, other, columns, rows]) => {
    const table = new LiveTable({ withNamespace: true, showKind: true, showLabels: true });
    table.update(hostileEvent(value, other, 'ADDED'));
    table.update(hostileEvent(value, other, 'MODIFIED'));
    const frame = table.frame({ columns, rows }, 0);
    assertSafe(frame.replaceAll(OWN, '').replaceAll('\r', ''));
  },
});

/** Lines of markers, of the log and of errors: no text of a server begins a line of its own. */
export const lines = fuzzTarget({
  name: 'terminal-lines',
  inputs: fc.tuple(text, text),
  check: ([value, other]) => {
    const time = '2026-01-01T12:00:00.000Z';
    const gap = { type: 'GAP', gvr: 'v1/pods', namespace: value, reason: other, seq: 1, time } as const;
    const errors = [
      new InformerError('list', value, { hint: other, cause: new Error(other) }),
      new StatusError({ kind: 'Status', message: value, reason: other, code: 500 }),
    ];
    const log = logLine('warn', value, { [other]: value, error: errors[0], list: [value, { [value]: other }] });
    for (const printed of [markerLine(gap, time), log, cellText(value), continued(value), neutralised(value)])
      assertSafe(printed);
    assertSafe(wholeText({ [value]: [other] }));
    assert.equal(log.split('\n').filter((line) => !line.startsWith('  ')).length, 1);
    for (const error of errors) {
      const described = describeError(error);
      assertSafe(described);
      for (const line of described.split('\n').slice(1, -1)) assert.match(line, /^(hint: | {2})/);
    }
    const json = JSON.stringify([value, other]);
    assertSafe(safeJson(json));
    assert.deepStrictEqual(JSON.parse(safeJson(json)), [value, other]);
  },
});
