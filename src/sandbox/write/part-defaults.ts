import type { UnknownObject } from '../../model/object.ts';
import type { ApiType } from '../types/api-type.ts';
import data from '../types/data/part-defaults.json' with { type: 'json' };
import { MessageVisitor } from '../types/message-visitor.ts';

type Fields = Record<string, unknown>;

/**
 * The defaults of the parts of objects, by message: they are the same wherever the part is. Source: the functions
 * SetDefaults_NAME in kubernetes/pkg/apis/STAR/v1/defaults.go, and the fields with `+default` in kubernetes/api.
 */
const PART_DEFAULTS = new MessageVisitor({
  ...Object.fromEntries(Object.entries(data).map(([message, defaults]) => [message, presetting(defaults)])),
  'io.k8s.api.core.v1.LimitRangeItem': limitRangeItem,
  'io.k8s.api.core.v1.Volume'(volume) {
    if (Object.keys(volume).every((name) => name === 'name' || volume[name] === null)) volume.emptyDir = {};
  },
  'io.k8s.api.rbac.v1.Subject'(subject) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= 'rbac.authorization.k8s.io';
  },
});

/** Sets fields that are absent or null. */
function presetting(defaults: Fields): (fields: Fields) => void {
  return (fields) => {
    for (const [name, value] of Object.entries(defaults)) fields[name] ??= structuredClone(value);
  };
}

/** Sets the defaults of the parts of an object. Changes the object. */
export function setPartDefaults(type: ApiType, object: UnknownObject): void {
  PART_DEFAULTS.visit(type, object);
}

/** The limits of a container without a default are their maximum, its requests the default or the minimum. */
function limitRangeItem(item: Fields): void {
  if (item.type !== 'Container') return;
  const { max, min } = item as { max?: Fields; min?: Fields };
  const limits = { ...max, ...(item.default as Fields | undefined) };
  const requests = { ...min, ...limits, ...(item.defaultRequest as Fields | undefined) };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}
