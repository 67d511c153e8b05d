import { COLUMNS, type Form, generate, ObjectTexts, type Shape } from '../generator.ts';

export const PODS = { group: '', version: 'v1', resource: 'pods' };

/** A LIST as it comes from the network. */
export function listBody(count: number, shape: Shape, form: Form = 'object'): Buffer {
  const texts = new ObjectTexts(shape).as(form);
  const items = Array.from({ length: count }, (_, i) => texts.text(i)).join(',');
  const metadata = '{"resourceVersion":"1"}';
  if (form === 'object')
    return Buffer.from(`{"kind":"PodList","apiVersion":"v1","metadata":${metadata},"items":[${items}]}\n`);
  const columns = JSON.stringify(COLUMNS.pods);
  return Buffer.from(
    `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${metadata},"columnDefinitions":${columns},"rows":[${items}]}\n`,
  );
}

/** The lines of a WATCH. */
export function watchLines(count: number, shape: Shape): string[] {
  const texts = new ObjectTexts(shape).as('object', {
    before: '{"type":"MODIFIED","object":',
    after: '}\n',
    withKind: true,
  });
  return Array.from({ length: count }, (_, i) => texts.text(i));
}

const CHUNK = 64 * 1024;

export async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

/** As much of a pod as the stages here look at. */
export interface Pod {
  kind: string;
  apiVersion: string;
  metadata: { name: string; namespace: string; uid: string; resourceVersion: string; labels: Record<string, string> };
  spec: { nodeName: string };
  status: { phase: string };
}

/** Pods as they are cached: without managedFields. */
export function pods(count: number, shape: Shape): Pod[] {
  return (generate(count, shape) as (Pod & { metadata: { managedFields?: unknown } })[]).map((pod) => {
    delete pod.metadata.managedFields;
    return { ...pod, kind: 'Pod', apiVersion: 'v1' };
  });
}

/** The same pod a change later: in one label and its phase. */
export function changed(pod: Pod, turn: number): Pod {
  const metadata = {
    ...pod.metadata,
    resourceVersion: String(20_000_000 + turn),
    labels: { ...pod.metadata.labels, turn: String(turn) },
  };
  return { ...pod, metadata, status: { ...pod.status, phase: turn % 2 === 0 ? 'Pending' : 'Running' } };
}
