import { type TableColumn, withCells } from '../../src/model/cells.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { compileOutput } from '../../src/output/compiled-output.ts';
import type { PrinterOptions } from '../../src/output/format-traits.ts';
import type { OutputFormat } from '../../src/output/formats.ts';
import type { Painter } from '../../src/output/painter.ts';
import type { PrintedEvent, PrintedObject, PrintedType, Printer } from '../../src/output/printer.ts';
import type { EventType } from '../../src/stream/envelope.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

export const clock = new FakeClock(Date.UTC(2026, 0, 1, 12));

export const PODS: PrintedType = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod' };
export const DEPLOYMENTS: PrintedType = {
  gvr: { group: 'apps', version: 'v1', resource: 'deployments' },
  kind: 'Deployment',
};

const columns = (...shown: [string, number?, string?][]): TableColumn[] =>
  shown.map(([name, priority = 0, type = 'string']) => ({
    name,
    type,
    format: name === 'Name' ? 'name' : '',
    priority,
  }));

/** As kube-apiserver 1.36 names them. */
export const POD_COLUMNS = columns(
  ['Name'],
  ['Ready'],
  ['Status'],
  ['Restarts'],
  ['Age'],
  ['IP', 1],
  ['Node', 1],
  ['Nominated Node', 1],
  ['Readiness Gates', 1],
);
export const DEPLOYMENT_COLUMNS = columns(
  ['Name'],
  ['Ready'],
  ['Up-to-date'],
  ['Available'],
  ['Age'],
  ['Containers', 1],
  ['Images', 1],
  ['Selector', 1],
);

export function pod(name: string, status = 'Running', more: object = {}): UnknownObject {
  const object: UnknownObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      creationTimestamp: '2026-01-01T11:00:00Z',
      labels: { app: 'web', 'app.kubernetes.io/name': 'web' },
    },
    spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'app:1' }] },
    ...more,
  };
  return withCells(object, {
    columns: POD_COLUMNS,
    cells: [name, '1/1', status, '0', '0s', '10.0.0.1', 'n1', '<none>', '<none>'],
  });
}

export function deployment(name: string): UnknownObject {
  const object: UnknownObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop', creationTimestamp: '2025-12-31T12:00:00Z' },
    spec: { replicas: 2 },
  };
  return withCells(object, {
    columns: DEPLOYMENT_COLUMNS,
    cells: [name, '2/2', 2, 2, '0s', 'app', 'app:1', 'app=web'],
  });
}

export const answer = (...objects: UnknownObject[]): PrintedObject[] =>
  objects.map((object) => ({ object, type: object.kind === 'Deployment' ? DEPLOYMENTS : PODS }));

let seq = 0;

export function event(type: EventType, object: UnknownObject): PrintedEvent {
  const printed = object.kind === 'Deployment' ? DEPLOYMENTS : PODS;
  const gvr = printed === PODS ? 'v1/pods' : 'apps/v1/deployments';
  const { name, namespace } = object.metadata;
  return {
    type: printed,
    event: {
      type,
      object,
      key: `${namespace}/${name}`,
      gvr,
      cause: 'watch',
      changed: [],
      seq: ++seq,
      time: '2026-01-01T12:00:00.000Z',
    },
  };
}

/** The text as a list of lines, so that a test shows it as it looks. */
/** The printer of a format, as a command creates it. */
export async function createPrinter(format: OutputFormat, options: PrinterOptions): Promise<Printer> {
  return (await compileOutput(format)).createPrinter(options);
}

export const lines = (text: string | Iterable<string>) => [...text].join('').split('\n');

/** Shows what would be coloured, and how. */
export const markingPainter: Painter = {
  event: (type, text) => `<${type}>${text}</>`,
  heading: (text) => `*${text}*`,
  state: (state, text) => `<${state}>${text}</>`,
  type: (name, text) => `<${name}>${text}</>`,
  change: (kind, text) => `<${kind}>${text}</>`,
  faint: (text) => `_${text}_`,
  struck: (text) => `~${text}~`,
  flash: (text) => `!${text}!`,
};
