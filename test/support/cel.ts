import { type CelOptions, type CelProgram, compileCel, OBJECT_VARIABLES } from '../../src/expr/cel/cel.ts';
import { InformerError } from '../../src/kit/error.ts';

/** The time that expressions see as `now`. */
export const NOW = new Date('2026-03-01T12:00:00Z');

/** An object with most kinds of values that expressions read. */
export const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { app: 'web', 'app.kubernetes.io/name': 'shop-web' },
    annotations: { 'team/owner': 'blue' },
    creationTimestamp: '2026-03-01T10:30:00Z',
    generation: 4,
  },
  spec: {
    replicas: 3,
    strategy: { rollingUpdate: { maxSurge: '25%' } },
    template: {
      spec: {
        containers: [
          {
            name: 'app',
            image: 'registry.local/web:1.4.2',
            ports: [{ containerPort: 8080 }],
            resources: { limits: { cpu: '500m', memory: '1Gi' } },
          },
          { name: 'proxy', image: 'envoy', resources: { limits: { cpu: '2', memory: '64Mi' } } },
        ],
      },
    },
  },
  status: {
    observedGeneration: 4,
    readyReplicas: 2,
    phase: 'Running',
    conditions: [
      { type: 'Available', status: 'True', lastTransitionTime: '2026-03-01T10:31:00Z' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ],
    ratio: 0.5,
    nothing: null,
  },
};

/** The variables of an event that adds {@link deployment}. */
export const VARS = { object: deployment, oldObject: null, event: 'ADDED', now: NOW };

export const compile = (source: string): CelProgram =>
  compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES });

/** The value of an expression over {@link VARS}. */
export const valueFrom = (source: string): unknown => compile(source).evaluate(VARS);

/** The answer of a condition over {@link VARS}. */
export const answerOf = (source: string): boolean | InformerError => compile(source).test(VARS);

/** The error that compiling the expression throws. */
export function refusalOf(source: string, options: Pick<CelOptions, 'unlisted' | 'wants'> = {}): InformerError {
  try {
    compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES, ...options });
  } catch (error) {
    if (error instanceof InformerError) return error;
    throw error;
  }
  throw new Error(`${source} was not refused`);
}
