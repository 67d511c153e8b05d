import type { ClusterConfig } from '../../client/config/cluster-config.ts';

/**
 * The next step after a 401, by the way in which the user logs in. It names no credential. `goesOn`: the command itself
 * need not be started again.
 */
export function loginHint({ login, user }: Pick<ClusterConfig, 'login' | 'user'>, goesOn: boolean): string {
  const who = user === undefined ? 'the user' : `user ${JSON.stringify(user)}`;
  const then = goesOn ? '; it is read again by itself, and the stream goes on' : '';
  switch (login?.kind) {
    case 'exec':
      return `the credentials of ${who} come from the plugin ${login.of}: log in again with it${goesOn ? '; it is asked again by itself, and the stream goes on' : ''}`;
    case 'token-file':
      return `the token of ${who} comes from the file ${login.of}: renew it${then}`;
    case 'token':
      return `the token of ${who} has expired or was revoked: log in again, so that the kubeconfig has a new one${then}`;
    case 'flag':
      return 'the server refuses what --token (or --username) gives: start again with a new one';
    case 'certificate':
      return `the client certificate of ${who} has expired, or the server does not trust it: renew it in the kubeconfig${then}`;
    case 'provider':
      return `${who} logs in by ${login.of}: log in again, so that the kubeconfig has new tokens${then}`;
    case 'password':
      return `the server refuses the name and password of ${who}: correct them in the kubeconfig${then}`;
    default:
      return 'the server refused the credentials: log in again, or choose another user with --context or --user';
  }
}
