import type { UnknownObject } from '../../model/object.ts';
import { forbiddenValue } from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';
import { equalJson } from '../types/equal.ts';
import { fieldsOf, itemsOf } from './validate-pods.ts';

type Fields = Record<string, unknown>;

const POD_FIELDS =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/**
 * The forbidden changes of a pod's spec. The real server adds a diff of Go structs to the text; the sandbox does not.
 */
export function podSpec(before: UnknownObject, after: UnknownObject): FieldProblem[] {
  const [was, is] = [fieldsOf(before.spec), fieldsOf(after.spec)];
  for (const list of ['containers', 'initContainers']) {
    if (itemsOf(was[list]).length === itemsOf(is[list]).length) continue;
    return [forbiddenValue(`spec.${list}`, 'pod updates may not add or remove containers')];
  }
  if (equalJson(asAllowed(was, is), is)) return [];
  return [forbiddenValue('spec', `pod updates may not change fields other than ${POD_FIELDS}\n`)];
}

/** The old spec with all allowed changes applied. */
function asAllowed(was: Fields, is: Fields): Fields {
  const allowed: Fields = { ...was };
  for (const list of ['containers', 'initContainers']) {
    if (was[list]) allowed[list] = itemsOf(was[list]).map((c, i) => ({ ...c, image: itemsOf(is[list])[i]?.image }));
  }
  const [deadlineWas, deadlineIs] = [was.activeDeadlineSeconds, is.activeDeadlineSeconds];
  if (typeof deadlineIs === 'number' && (typeof deadlineWas !== 'number' || deadlineIs <= deadlineWas)) {
    allowed.activeDeadlineSeconds = deadlineIs;
  }
  const kept = (t: Fields) => itemsOf(is.tolerations).some((n) => equalJson(withoutSeconds(t), withoutSeconds(n)));
  if (itemsOf(was.tolerations).every(kept) && is.tolerations) allowed.tolerations = is.tolerations;
  const gates = itemsOf(is.schedulingGates);
  if (was.schedulingGates && gates.every((g) => itemsOf(was.schedulingGates).some((w) => w.name === g.name))) {
    if (is.schedulingGates) allowed.schedulingGates = is.schedulingGates;
    else delete allowed.schedulingGates;
  }
  if (Number(was.terminationGracePeriodSeconds) < 0 && is.terminationGracePeriodSeconds === 1)
    allowed.terminationGracePeriodSeconds = 1;
  return allowed;
}

function withoutSeconds({ tolerationSeconds: _seconds, ...toleration }: Fields): Fields {
  return toleration;
}
