import fc from 'fast-check';
import { withCells } from '../../src/model/cells.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import type { PrintedEvent } from '../../src/output/printer.ts';

/** Dangerous text in every field. */
export const hostileText = fc.string({
  unit: fc.constantFrom(...'\x1b[2J\x9b\r\b\x7f\x00\n\ta "漢\x85\u202e\u200b\u2028\u2066\ufeff\u{e0041}'),
});

/** An event of an object with a text in every field; its former state has another text. */
export function hostileEvent(text: string, other: string, type: 'ADDED' | 'MODIFIED' | 'DELETED'): PrintedEvent {
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
export const OWN = /\p{Cc}\[(\?25l|\?2026[hl]|K|J|H|\d+[AB])/gu;
/**
 * What a terminal would obey, hide or reorder. Signs of Arabic, Syriac, Kaithi and hieroglyphs are format characters
 * too, but they are visible and change no order.
 */
export const UNSAFE =
  /[^\P{Cc}\n]|(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u{13430}-\u{1343f}])\p{Cf}|[\u2028\u2029]/u;
