import type { HookRequest } from '../../src/hooks/hook.ts';
import type { UnknownObject } from '../../src/model/object.ts';

/** A request for a pod, with the given states. */
export function request(object: UnknownObject | null, oldObject?: UnknownObject): HookRequest {
  return {
    version: 1,
    key: 'shop/web',
    gvr: 'v1/pods',
    object,
    ...(oldObject ? { oldObject } : {}),
    changed: [],
    causes: [],
    attempt: 1,
    snapshots: {},
  };
}

/** A pod whose labels hold text that a shell could misread. */
export const web: UnknownObject = {
  metadata: { name: 'web', namespace: 'shop', labels: { 'app.io/tier': "it's $(here)", flag: '--force' } },
};

/** A pod with an annotation. */
export const note = (text: string): UnknownObject => ({ metadata: { name: 'web', annotations: { note: text } } });
/** The placeholder for that annotation. */
export const NOTE = '{{.metadata.annotations.note}}';
