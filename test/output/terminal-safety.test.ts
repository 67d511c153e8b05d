import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonText } from '../../src/kit/exact-json.ts';
import { parseOutputFormat } from '../../src/output/formats.ts';
import { compileJq, jqAnswer } from '../../src/output/jq/jq-expression.ts';
import { loadJqLibrary } from '../../src/output/jq/jq-library.ts';
import { LiveTable } from '../../src/output/live/live-table.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { clock, createPrinter } from './fixtures.ts';
import { hostileEvent, hostileText, OWN, UNSAFE } from './hostile-event.ts';
import { printedBy } from './jq/printed.ts';

describe.each([
  'table',
  'wide',
  'json',
  'yaml',
  'kyaml',
  'name',
  'diff',
  'changes',
  'jsonpath={.spec.lines}',
  'jsonpath-as-json={.spec.lines}{.data}',
  'custom-columns=A:.spec.lines,B:.data',
])('-o %s', (format) => {
  test('writes nothing to a terminal that it would obey, hide or reorder, whatever objects hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileText,
        hostileText,
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
          const event = hostileEvent(text, other, type as 'ADDED');
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
      { numRuns: 150 },
    );
  });
});

test('-o jq writes nothing to a terminal that it would obey, hide or reorder, whatever objects hold', async () => {
  const jq = await compileJq('.', await loadJqLibrary());
  const terminal = true;
  await fc.assert(
    fc.asyncProperty(hostileText, hostileText, async (text, other) => {
      const event = hostileEvent(text, other, 'ADDED');
      const run = { clock: new FakeClock(), terminal };
      const out = [await printedBy(jq, [event], run), await jqAnswer(jq, jsonText(event.event.object), 'it', run)];
      expect(out.join('').replaceAll('\t', ' ').replaceAll('\r\n', '\n')).not.toMatch(UNSAFE);
      expect(out.join('')).not.toContain('[argument');
    }),
    { numRuns: 30 },
  );
});

test('a live table and its line of counts write no control character of an object', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (text, other) => {
      const table = new LiveTable({ withNamespace: true, showKind: true, showLabels: true });
      table.update(hostileEvent(text, other, 'ADDED'));
      const frame = table.frame({ columns: 200, rows: 20 }, 0);
      const ours = frame.replaceAll(OWN, '').replaceAll('\r', '');
      expect(ours).not.toMatch(UNSAFE);
      expect(frame.split('\r\n').length).toBeLessThanOrEqual(20);
    }),
  );
});
