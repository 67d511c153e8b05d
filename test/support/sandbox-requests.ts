import type { ObjectMeta } from '../../src/model/object.ts';
import { bodyText, type Sandbox } from '../../src/sandbox/index.ts';

export interface Answer<T> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: T;
}

/** Any object, list, table or Status, with the fields tests look into. */
export interface Loose {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta & { continue?: string; remainingItemCount?: number };
  items: Loose[];
  data: Record<string, string>;
  spec: Record<string, unknown>;
  status: Record<string, unknown>;
  message: string;
  reason: string;
  code: number;
  details: { causes: { reason: string; message: string; field: string }[] };
  columnDefinitions: { name: string }[] | null;
  rows: { cells: unknown[]; object: Loose; conditions?: unknown[] }[];
}

/** Sends a request in-process and reads the answer as JSON. */
export async function ask<T = Loose>(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await sandbox.handle({
    method,
    path,
    headers: { 'content-type': type, 'user-agent': 'tester/1', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await bodyText(response);
  return {
    status: response.status,
    headers: response.headers,
    body: (text.startsWith('{') ? JSON.parse(text) : text) as T,
  };
}

export interface WatchedEvent {
  readonly type: string;
  readonly object: Loose;
}

/** A watch that is being read. */
export interface Watching extends AsyncDisposable {
  readonly status: number;
  /** Everything that came so far. */
  readonly events: WatchedEvent[];
  /** Every byte that came so far. */
  readonly text: () => string;
  /** How it ended: undefined while it is open, null when it ended normally, else the error. */
  readonly ended: () => unknown;
}

/** Opens a watch in-process and reads it in the background until disposed. */
export async function startWatch(
  sandbox: Sandbox,
  path: string,
  headers: Record<string, string> = {},
): Promise<Watching> {
  const leave = new AbortController();
  const response = await sandbox.handle({ method: 'GET', path, headers, signal: leave.signal });
  const events: WatchedEvent[] = [];
  let text = '';
  let rest = '';
  let ended: unknown;
  const reading = (async () => {
    try {
      for await (const chunk of response.body) {
        text += Buffer.from(chunk).toString('utf8');
        const lines = (rest + Buffer.from(chunk).toString('utf8')).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) events.push(JSON.parse(line) as WatchedEvent);
      }
      ended = null;
    } catch (error) {
      ended = error;
    }
  })();
  return {
    status: response.status,
    events,
    text: () => text,
    ended: () => ended,
    async [Symbol.asyncDispose]() {
      leave.abort();
      await reading;
    },
  };
}

export const PODS = '/api/v1/namespaces/default/pods';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

export function podNamed(name: string, labels: Record<string, string> = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: { containers: [{ name: 'c', image: 'nginx' }] },
  };
}

export function configMapNamed(
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels }, data };
}

/** `ADDED a`, `MODIFIED b`, … */
export function briefly(events: readonly WatchedEvent[]): string[] {
  return events.map((e) => `${e.type} ${e.object.metadata.name ?? ''}`.trim());
}
