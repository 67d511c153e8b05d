import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { socketScript } from './socket-script.ts';

/** An object nested this deep, as text. A real API server takes at most 10,000 levels. */
export const nested = (levels: number, end: string) => `${'{"a":'.repeat(levels)}${end}${'}'.repeat(levels)}`;

/** A config map as text, with anything as its spec. */
export const configMapText = (name: string, version: number, spec: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","namespace":"shop","uid":"u-${name}","resourceVersion":"${version}"},"spec":${spec}}`;

/** A line of a watch as text. */
export const eventText = (type: string, text: string) => `{"type":"${type}","object":${text}}\n`;

/** A request about config maps, and how a whole body is sent. */
export interface ConfigMapRequest {
  readonly method: string | undefined;
  readonly pathname: string;
  readonly isWatch: boolean;
  readonly send: (body: string) => void;
}

/**
 * An API server with discovery for config maps only; `answer` serves them, as bytes that the sandbox cannot be made to
 * send. It comes with a folder that has its kubeconfig, and the environment for child processes.
 */
export async function configMapServer(answer: (request: ConfigMapRequest, response: ServerResponse) => void) {
  const server = await socketScript(({ url = '', method }: IncomingMessage, response: ServerResponse) => {
    const send = (body: string) => void response.setHeader('content-type', 'application/json').end(body);
    const { pathname, searchParams } = new URL(url, 'http://x');
    const discovery = DISCOVERY[pathname];
    if (discovery !== undefined) return send(discovery);
    if (!pathname.includes('/configmaps')) return void response.writeHead(404).end();
    answer({ method, pathname, isWatch: searchParams.get('watch') !== null, send }, response);
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'config-maps-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  await writeFile(
    kubeconfig,
    `{apiVersion: v1, kind: Config, current-context: x, contexts: [{name: x, context: {cluster: c, user: u, namespace: shop}}], clusters: [{name: c, cluster: {server: "${server.url}"}}], users: [{name: u, user: {}}]}\n`,
  );
  return {
    folder,
    env: { KUBECONFIG: kubeconfig },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

export type ConfigMapServer = Awaited<ReturnType<typeof configMapServer>>;

const DISCOVERY: Readonly<Record<string, string>> = {
  '/version': '{"major":"1","minor":"36","gitVersion":"v1.36.0"}',
  '/api': '{"kind":"APIVersions","versions":["v1"]}',
  '/apis': '{"kind":"APIGroupList","apiVersion":"v1","groups":[]}',
  '/api/v1':
    '{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps","singularName":"configmap","namespaced":true,"kind":"ConfigMap","verbs":["get","list","watch","update","patch"]}]}',
};
