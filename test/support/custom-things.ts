import { afterEach, beforeEach } from 'vitest';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { ask, type Loose } from './sandbox-requests.ts';

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const THINGS = '/apis/example.com/v1/namespaces/default/things';

interface Version {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly subresources?: object;
  readonly spec?: object;
  readonly additionalPrinterColumns?: object[];
  readonly selectableFields?: object[];
  readonly schema?: object;
}

/** A version of the definition of things; `spec` is added to the schema of their spec. */
export const version = ({ spec = {}, ...more }: Version = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', ...spec },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
  ...more,
});

export const definition = (versions: object[], spec: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions, ...spec },
});

export const thing = (spec: object, name = 'a') => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name },
  spec,
});

/** The causes of a refusal: `spec.x: Required value`. */
export const causesOf = ({ body }: { body: Loose }) => body.details?.causes.map((c) => `${c.field}: ${c.message}`);

/** A sandbox for each test, to which things can be posted once they are served. */
export interface ThingServer {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  /** Defines things whose spec has these properties. */
  serve(properties: object, more?: object): void;
  post(spec: object, name?: string): ReturnType<typeof ask<Loose>>;
}

/** Starts a sandbox before each test of the file and stops it afterwards. */
export function useThings(): ThingServer {
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
    serve: (properties, more = {}) => void sandbox.apply(definition([version({ spec: { properties, ...more } })])),
    post: (spec, name = 'a') => ask(sandbox, 'POST', THINGS, thing(spec, name)),
  };
}
