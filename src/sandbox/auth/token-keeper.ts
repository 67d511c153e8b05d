import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../kit/clock.ts';
import type { UserInfo } from '../api/call.ts';

/** A token of a user other than the administrator. */
interface IssuedToken {
  readonly user: UserInfo;
  /** A time of the monotonic clock, ms. */
  readonly expiresAt: number;
  /** False once the account of the token is deleted. */
  readonly isValid: () => boolean;
  /** The servers that accept the token. */
  readonly audiences: readonly string[];
}

/** A service account token to be issued. */
export interface AccountToken {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly lifetimeMs: number;
  /** False once the account is deleted. */
  readonly isValid: () => boolean;
}

/** The administrator: the user of the token in the sandbox's own kubeconfig. */
export const ADMIN: UserInfo = {
  username: 'admin',
  uid: 'admin-uid',
  groups: ['system:masters', 'system:authenticated'],
};

/** The issuer of service account tokens, and the audience of this server. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** The tokens that a server accepts: one token of the administrator at a time, and tokens issued to other users. */
export class TokenKeeper {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #issued = new Map<string, IssuedToken>();
  readonly #key = randomBytes(32);
  #token: string;
  #expiresAt: number;

  /** `lifetimeMs` is how long each token of the administrator is accepted; with Infinity it does not expire. */
  constructor(clock: Clock, lifetimeMs: number, token: string = newToken()) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#token = token;
    this.#expiresAt = this.#end();
  }

  /** The administrator's latest token, expired or not. */
  get token(): string {
    return this.#token;
  }

  /**
   * The token that the administrator must send now. After the latest one has expired it is a random one that no client
   * knows.
   */
  get accepted(): string {
    return this.#clock.monotonic() < this.#expiresAt ? this.#token : newToken();
  }

  /** The user of a token that was issued for one of the audiences; undefined when it is unknown or no longer valid. */
  issuedTo(token: string, audiences: readonly string[]): UserInfo | undefined {
    const issued = this.#issued.get(token);
    if (!issued?.audiences.some((audience) => audiences.includes(audience))) return undefined;
    if (this.#clock.monotonic() < issued.expiresAt && issued.isValid()) return issued.user;
    this.#issued.delete(token);
    return undefined;
  }

  /** Issues a token for a user. It is accepted for `lifetimeMs`. */
  issue(user: UserInfo, lifetimeMs: number): string {
    return this.#keep(newToken(), { user, audiences: [ISSUER], lifetimeMs, isValid: () => true });
  }

  /** Issues a service account token: a JWT. It is signed with a random key, because only this server verifies it. */
  issueAccount({ namespace, name, uid, audiences, lifetimeMs, isValid }: AccountToken): string {
    const now = Math.floor(this.#clock.now() / 1000);
    const username = `system:serviceaccount:${namespace}:${name}`;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    const id = randomBytes(16).toString('hex');
    const claims = {
      aud: audiences,
      exp: now + Math.floor(lifetimeMs / 1000),
      iat: now,
      iss: ISSUER,
      jti: id,
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      nbf: now,
      sub: username,
    };
    const extra = { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] };
    return this.#keep(this.#signed(claims), { user: { username, uid, groups, extra }, audiences, lifetimeMs, isValid });
  }

  /** Makes the administrator's latest token expire now. */
  expire(): void {
    this.#expiresAt = Number.NEGATIVE_INFINITY;
  }

  /** Issues a new token of the administrator and returns it. The token before is no longer accepted. */
  rotate(): string {
    this.#token = newToken();
    this.#expiresAt = this.#end();
    return this.#token;
  }

  #end(): number {
    return this.#clock.monotonic() + this.#lifetimeMs;
  }

  #keep(
    token: string,
    { lifetimeMs, ...issued }: Omit<IssuedToken, 'expiresAt'> & { readonly lifetimeMs: number },
  ): string {
    this.#issued.set(token, { ...issued, expiresAt: this.#clock.monotonic() + lifetimeMs });
    return token;
  }

  #signed(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    return `${content}.${createHmac('sha256', this.#key).update(content).digest('base64url')}`;
  }
}

function newToken(): string {
  return randomBytes(24).toString('base64url');
}
