type Fields = Record<string, unknown>;

const pods = (value: number) => ({ type: 'Pods', value, periodSeconds: 15 });
const percent = (value: number) => ({ type: 'Percent', value, periodSeconds: 15 });

const SCALE_UP = { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [pods(4), percent(100)] };
const SCALE_DOWN = { selectPolicy: 'Max', policies: [percent(100)] };

const metrics = () => [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
];

/**
 * Adds the defaults of a HorizontalPodAutoscaler's spec. Changes it. Source:
 * kubernetes/pkg/apis/autoscaling/v2/defaults.go.
 */
export function autoscalerDefaults(spec: Fields): void {
  spec.minReplicas ??= 1;
  if (!Array.isArray(spec.metrics) || spec.metrics.length === 0) spec.metrics = metrics();
  const behavior = spec.behavior as { scaleUp?: Fields | null; scaleDown?: Fields | null } | undefined | null;
  if (!behavior) return;
  behavior.scaleUp = withRules(behavior.scaleUp, SCALE_UP);
  behavior.scaleDown = withRules(behavior.scaleDown, SCALE_DOWN);
}

function withRules(given: Fields | null | undefined, defaults: Fields): Fields {
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...structuredClone(defaults), ...Object.fromEntries(set) };
}
