import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../kit/clock.ts';
import type { UserInfo } from '../api/call.ts';

/** A token for somebody other than the administrator. */
interface IssuedToken {
  readonly user: UserInfo;
  /** By the monotonic clock, ms. */
  readonly expiresAt: number;
  /** Whether whom it stands for is still there. */
  readonly isValid: () => boolean;
  /** Whom it may be shown to. */
  readonly audiences: readonly string[];
}

/** What a service account's token says of itself. */
export interface AccountToken {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly lifetimeMs: number;
  /** Whether the account, and what else the token is bound to, is still there. */
  readonly isValid: () => boolean;
}

/** The user whose token is the server's own. */
export const ADMIN: UserInfo = { username: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] };

export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** The tokens a server takes: one of the administrator's at a time, and those issued to others. */
export class TokenKeeper {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #issued = new Map<string, IssuedToken>();
  readonly #key = randomBytes(32);
  #token: string;
  #expiresAt: number;

  /** Each of the administrator's tokens is good for `lifetimeMs`, Infinity = for good. */
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

  /** What the administrator must carry now: once the token has expired something nobody knows. */
  get taken(): string {
    return this.#clock.monotonic() < this.#expiresAt ? this.#token : newToken();
  }

  /** Whose token it is, of those issued to others for one of the audiences; undefined when it is nobody's, or not any more. */
  issuedTo(token: string, audiences: readonly string[]): UserInfo | undefined {
    const issued = this.#issued.get(token);
    if (!issued?.audiences.some((audience) => audiences.includes(audience))) return undefined;
    if (this.#clock.monotonic() < issued.expiresAt && issued.isValid()) return issued.user;
    this.#issued.delete(token);
    return undefined;
  }

  /** A token for a user, good for `lifetimeMs`. */
  issue(user: UserInfo, lifetimeMs: number): string {
    return this.#keep(newToken(), { user, audiences: [ISSUER], lifetimeMs, isValid: () => true });
  }

  /** A token of a service account: a JWT, signed with a key nobody knows, since its server alone has to read it. */
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

  /** The administrator's token is not taken any more. */
  expire(): void {
    this.#expiresAt = Number.NEGATIVE_INFINITY;
  }

  /** A new token of the administrator in place of the one before, which is not taken any more. */
  rotate(): string {
    this.#token = newToken();
    this.#expiresAt = this.#end();
    return this.#token;
  }

  #end(): number {
    return this.#clock.monotonic() + this.#lifetimeMs;
  }

  #keep(token: string, { lifetimeMs, ...issued }: Omit<IssuedToken, 'expiresAt'> & { readonly lifetimeMs: number }): string {
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
