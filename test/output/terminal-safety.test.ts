import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withCells } from '../../src/model/cells.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { parseOutputFormat } from '../../src/output/output-format.ts';
import type { PrintedEvent } from '../../src/output/printer.ts';
import { LiveTable } from '../../src/output/tables/live-table.ts';
import { clock, createPrinter } from './fixtures.ts';

/** Dangerous text in every field. */
const hostile = fc.string({
  unit: fc.constantFrom(...'\x1b[2J\x9b\r\b\x7f\x00\n\ta "漢\x85\u202e\u200b\u2028\u2066\ufeff\u{e0041}'),
});

function printed(text: string, other: string, type: 'ADDED' | 'MODIFIED' | 'DELETED'): PrintedEvent {
  const of = (value: string): UnknownObject =>
    withCells(
      {
        apiVersion: 'v1',
        kind: text,
        metadata: {
          name: text,
          namespace: text,
          uid: text,
          creationTimestamp: text,
          labels: { app: value, [value]: value },
          annotations: { [value]: value },
          managedFields: [
            {
              manager: text,
              operation: 'Update',
              time: '2026-01-01T00:00:00Z',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': {} },
            },
          ],
        },
        spec: {
          replicas: 2,
          containers: [{ name: text, image: value }],
          [value]: value,
          lines: `${value}\n${value}`,
          list: [value],
        },
        status: {
          phase: value,
          conditions: [
            { type: text, status: 'False', reason: value },
            { type: 'Ready', status: 'False', reason: value },
          ],
        },
        data: { [value]: value },
        type: value,
        reason: value,
        message: value,
      },
      {
        columns: [
          { name: 'Name', type: 'string', format: 'name', priority: 0 },
          { name: text, type: 'string', format: '', priority: 0 },
        ],
        cells: [text, value],
      },
    );
  const object = of(text);
  return {
    type: { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod' },
    event: {
      type,
      object,
      oldObject: of(other),
      key: `${text}/${text}`,
      gvr: 'v1/pods',
      cause: 'watch',
      changed: [],
      seq: 1,
      time: '2026-01-01T12:00:00.000Z',
    },
  };
}

/** What a frame itself is drawn with. */
const OWN = /\p{Cc}\[(\?25l|\?2026[hl]|K|J|H|\d+[AB])/gu;
const UNSAFE = /[^\P{Cc}\n]|\p{Cf}|[\u2028\u2029]/u;

describe.each([
  'table',
  'wide',
  'json',
  'yaml',
  'name',
  'diff',
  'changes',
  'jq=.',
  'jsonpath={.spec.lines}',
  'custom-columns=A:.spec.lines,B:.data',
])('-o %s', (format) => {
  test('writes nothing to a terminal that it would obey, hide or reorder, whatever objects hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        hostile,
        hostile,
        fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'),
        fc.boolean(),
        async (text, other, type, showKind) => {
          const output = format === 'table' ? '' : format;
          const printer = await createPrinter(parseOutputFormat(output), {
            clock,
            terminal: true,
            showKind,
            withNamespace: true,
            showLabels: true,
            labelColumns: ['app'],
          });
          const event = printed(text, other, type as 'ADDED');
          const out = [printer.events([event])];
          if (!/^(diff|changes)$/.test(format))
            out.push(...printer.objects([{ object: event.event.object, type: event.type }]));
          out.push(
            printer.marker({
              type: 'GAP',
              gvr: 'v1/pods',
              namespace: text,
              reason: text,
              seq: 1,
              time: '2026-01-01T12:00:00.000Z',
            }),
          );
          expect(out.join('').replaceAll('\t', ' ').replaceAll('\r\n', '\n')).not.toMatch(UNSAFE);
        },
      ),
      { numRuns: format.startsWith('jq') ? 30 : 150 },
    );
  });
});

test('a live table and its line of counts write no control character of an object', () => {
  fc.assert(
    fc.property(hostile, hostile, (text, other) => {
      const table = new LiveTable({ withNamespace: true, showKind: true, showLabels: true });
      table.update(printed(text, other, 'ADDED'));
      const frame = table.frame({ columns: 200, rows: 20 }, 0);
      const ours = frame.replaceAll(OWN, '').replaceAll('\r', '');
      expect(ours).not.toMatch(UNSAFE);
      expect(frame.split('\r\n').length).toBeLessThanOrEqual(20);
    }),
  );
});
