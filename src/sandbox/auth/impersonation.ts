import type { Caller } from './authenticate.ts';
import type { Authorizer, RequestAttributes } from './authorizer.ts';
import { refuseUser } from './request-attributes.ts';

/**
 * Throws 403 when the sender may not impersonate the user of the request, or one of its named groups, its uid or an
 * extra attribute.
 * Source: apiserver endpoints/filters/impersonation.go.
 */
export function checkImpersonation(authorizer: Authorizer, { sender, user, groups: named }: Caller): void {
  if (user === sender) return;
  const [, namespace, account] = /^system:serviceaccount:([^:]+):(.+)$/.exec(user.username) ?? [];
  const who: RequestAttributes = account
    ? { verb: 'impersonate', group: '', resource: 'serviceaccounts', namespace, name: account }
    : { verb: 'impersonate', group: '', resource: 'users', name: user.username };
  const groups = named.map((name): RequestAttributes => ({ ...ON_CLUSTER, resource: 'groups', name }));
  const uid: RequestAttributes[] = user.uid
    ? [{ ...ON_CLUSTER, group: AUTHENTICATION, resource: 'uids', name: user.uid }]
    : [];
  const extra = Object.entries(user.extra ?? {}).flatMap(([subresource, values]) =>
    values.map(
      (name): RequestAttributes => ({
        ...ON_CLUSTER,
        group: AUTHENTICATION,
        resource: 'userextras',
        subresource,
        name,
      }),
    ),
  );
  for (const attempt of [who, ...groups, ...uid, ...extra])
    if (authorizer.decide(sender, attempt) === undefined) refuseUser(sender.username, attempt);
}

const AUTHENTICATION = 'authentication.k8s.io';
const ON_CLUSTER: RequestAttributes = { verb: 'impersonate', group: '' };
