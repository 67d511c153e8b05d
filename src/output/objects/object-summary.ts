import type { ReadonlyObject } from '../../model/object.ts';
import { valueText } from '../value-text.ts';

/**
 * The most important facts about an object, in a few words: `Running, nginx:1.27`, `2/3 ready, nginx:1.27`,
 * `Warning BackOff: …`, `3 keys`. '' for an object without any of the usual fields.
 */
export function objectSummary(object: ReadonlyObject): string {
  const words = [phaseOf(object), readyOf(object), imagesOf(object), eventOf(object), keysOf(object)];
  return words.filter((word) => word !== undefined).join(', ');
}

const LIMIT = 80;

const mapOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

function phaseOf({ status }: ReadonlyObject): string | undefined {
  const { phase } = mapOf(status);
  return typeof phase === 'string' ? valueText(phase, LIMIT) : undefined;
}

function readyOf({ spec, status }: ReadonlyObject): string | undefined {
  const { replicas } = mapOf(spec);
  if (typeof replicas === 'number') return `${Number(mapOf(status).readyReplicas ?? 0)}/${replicas} ready`;
  const { conditions } = mapOf(status);
  const ready = Array.isArray(conditions)
    ? mapOf(conditions.find((condition) => mapOf(condition).type === 'Ready'))
    : {};
  if (typeof ready.status !== 'string' || mapOf(status).phase !== undefined) return undefined;
  return ready.status === 'True'
    ? 'ready'
    : `not ready${typeof ready.reason === 'string' ? ` (${valueText(ready.reason, LIMIT)})` : ''}`;
}

function imagesOf({ spec }: ReadonlyObject): string | undefined {
  const { containers = mapOf(mapOf(mapOf(spec).template).spec).containers } = mapOf(spec);
  if (!Array.isArray(containers)) return undefined;
  const images = containers.map((container) => mapOf(container).image).filter((image) => typeof image === 'string');
  return images.length === 0 ? undefined : valueText(images.join(' '), LIMIT);
}

function eventOf({ kind, type, reason, message, note }: ReadonlyObject): string | undefined {
  if (kind !== 'Event' || typeof reason !== 'string') return undefined;
  const text = typeof message === 'string' ? message : typeof note === 'string' ? note : '';
  const [first = ''] = text.split('\n');
  return `${typeof type === 'string' ? `${valueText(type, LIMIT)} ` : ''}${valueText(reason, LIMIT)}: ${valueText(first, LIMIT)}`;
}

function keysOf({ data, binaryData, stringData }: ReadonlyObject): string | undefined {
  if (data === undefined && binaryData === undefined) return undefined;
  const keys = new Set([data, binaryData, stringData].flatMap((values) => Object.keys(mapOf(values))));
  return keys.size === 1 ? '1 key' : `${keys.size} keys`;
}
