import { afterEach, beforeEach } from 'vitest';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { type Answer, ask, type Loose } from './sandbox-requests.ts';

/** A sandbox for each test, and requests to it. */
export interface TestServer {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  /** Sends a request, a PATCH as a merge patch. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Loose>>;
}

/** Starts a sandbox before each test of the file and stops it afterwards. */
export function useSandbox(): TestServer {
  let clock: FakeClock;
  let sandbox: Sandbox;
  beforeEach(async () => {
    clock = new FakeClock();
    sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
  });
  afterEach(() => sandbox.stop());
  return {
    get sandbox() {
      return sandbox;
    },
    get clock() {
      return clock;
    },
    ask: (method, path, body, headers) => ask(sandbox, method, path, body, headers),
  };
}

/** The status and the message of a refusal. */
export const refusal = ({ status, body }: Answer<Loose>) => [status, body.message];

export const APPLY = { 'content-type': 'application/apply-patch+yaml' };
export const MERGE = { 'content-type': 'application/merge-patch+json' };
export const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
export const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

const NS = 'namespaces/default';
export const PATHS = {
  deployments: `/apis/apps/v1/${NS}/deployments`,
  statefulsets: `/apis/apps/v1/${NS}/statefulsets`,
  services: `/api/v1/${NS}/services`,
  secrets: `/api/v1/${NS}/secrets`,
  jobs: `/apis/batch/v1/${NS}/jobs`,
  claims: `/api/v1/${NS}/persistentvolumeclaims`,
  bindings: `/apis/rbac.authorization.k8s.io/v1/${NS}/rolebindings`,
  leases: `/apis/coordination.k8s.io/v1/${NS}/leases`,
};

export const template = (policy?: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...(policy ? { restartPolicy: policy } : {}) },
});

/** The body of a workload named web. */
export const workload = (more: object = {}) => ({
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template(), ...more },
});

export const deployment = (name: string, containers: object[], more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...more,
  },
});

export const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
export const widget = (spec: string) =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":${spec}}`;

/** A definition of widgets whose spec has these properties. */
export const widgetDefinition = (properties: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
      },
    ],
  },
});
