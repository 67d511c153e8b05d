import type { Session } from '../cli/session/session.ts';
import { messageOf } from '../kit/error.ts';
import type { UnknownObject } from '../model/object.ts';
import { isNotFound } from '../model/status.ts';
import { coordinationOf } from './deployed.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

/** The parts of a Deployment that are compared. */
interface Deployment extends UnknownObject {
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly { args?: string[] }[] } } };
}

/** The Deployment that would be applied. */
export interface PlannedDeployment {
  readonly namespace: string;
  readonly name: string;
  readonly args: readonly string[];
}

/**
 * Remarks about a Deployment of this name that exists already and that the manifest would change in a way that may not
 * be meant: it runs something else, or decides otherwise which process works. A server that does not answer leads to no
 * remark but in the log.
 */
export async function presentRemarks(session: Session, planned: PlannedDeployment): Promise<string[]> {
  const { namespace, name, args } = planned;
  const resource = session.client.resource<Deployment>(DEPLOYMENTS, { namespace });
  const present = await resource.get(name, { signal: session.signal }).catch((error) => {
    if (!isNotFound(error))
      session.logger.debug('the Deployment of this name is not known', { error: messageOf(error) });
    return undefined;
  });
  if (!present) return [];
  const old = present.spec?.template?.spec?.containers?.[0]?.args ?? [];
  const place = `${namespace}/${name}`;
  if (workOf(old) !== workOf(args))
    return [
      `the Deployment ${place} is there and runs something else (${workOf(old) || 'not a reconcile'}): applying replaces it; --app-name gives this one another name`,
    ];
  if (coordinationOf(old) === coordinationOf(args)) return [];
  return [
    `the Deployment ${place} is there and works ${coordinationOf(old)}, this one ${coordinationOf(args)}: the old and the new Pods would work at the same time. First: kubectl delete deployment ${name} -n ${namespace}`,
  ];
}

/** `reconcile pods --hook=guard.ts`: the words, and the hook without its folder. */
function workOf(args: readonly string[]): string {
  const end = args.findIndex((arg) => arg.startsWith('--'));
  const hook = args.find((arg) => /^--(hook|exec|shell-operator)=/.test(arg)) ?? '';
  const isReconcile = args[0] === 'reconcile';
  return isReconcile ? [...args.slice(0, end), hook.replace(/^(--hook=).*\//, '$1')].join(' ') : '';
}
