import type { UnknownObject } from '../../../src/model/object.ts';
import { parseOutputFormat } from '../../../src/output/formats.ts';
import type { PrintedEvent, Printer } from '../../../src/output/printer.ts';
import { clock, createPrinter, event } from '../fixtures.ts';

/** The printer of a format, by its text. */
export const printer = (format: string, options: object = {}): Promise<Printer> =>
  createPrinter(parseOutputFormat(format), { clock, ...options });

export function modified(before: UnknownObject, after: UnknownObject): PrintedEvent {
  const printed = event('MODIFIED', after);
  return { ...printed, event: { ...printed.event, oldObject: before } };
}

export const web = (spec: object, more: object = {}): UnknownObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', ...more },
  spec,
});

export const scaled = modified(web({ replicas: 2 }), web({ replicas: 3 }));
