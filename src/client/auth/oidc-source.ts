import type { Clock } from '../../kit/clock.ts';
import { messageOf } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import type { Replacement } from '../config/kubeconfig-tokens.ts';
import { jwtExpiry, type OidcSettings, type OidcTokens, refreshOidcTokens } from './oidc.ts';

/** Settings of an {@link OidcSource}. */
export interface OidcSourceOptions {
  clock: Clock;
  logger: Logger;
  env: Readonly<Record<string, string | undefined>>;
  /** Replaces old tokens with new ones in the kubeconfig. */
  persist: (replacements: readonly Replacement[]) => Promise<void>;
}

/** A token is renewed this long before its expiry, ms. Source: client-go plugin/pkg/client/auth/oidc. */
const EXPIRY_DELTA_MS = 10_000;
/** A refused token that is younger than this is not renewed: the next token would be refused too. ms. */
const YOUNG_MS = 60_000;

/**
 * Keeps the tokens of one OIDC user. Renews them when they expire, or when the server refuses one that is older than a
 * minute. Not for concurrent calls.
 */
export class OidcSource {
  readonly #options: OidcSourceOptions;
  /** The renewed tokens, and the kubeconfig's token at that time. If that changes, the user has logged in again. */
  #renewed: { from: string | undefined; tokens: OidcTokens; at: number } | undefined;

  constructor(options: OidcSourceOptions) {
    this.#options = options;
  }

  /** A valid token. Rejects with `credentials` if there is none and none can be obtained. */
  async token(
    settings: OidcSettings,
    { refused, signal }: { refused: boolean; signal: AbortSignal },
  ): Promise<{ token: string; expiresAt: number | undefined }> {
    const written = settings['id-token'];
    if (this.#renewed && written !== this.#renewed.from && written !== this.#renewed.tokens['id-token'])
      this.#renewed = undefined;
    const present = { ...settings, ...this.#renewed?.tokens };
    if (!this.#mustRenew(present['id-token'], refused, present['refresh-token'])) return tokenOf(present['id-token']);
    const { clock, env } = this.#options;
    const tokens = await refreshOidcTokens(present, { clock, env, signal });
    this.#renewed = { from: written, tokens, at: clock.now() };
    await this.#persist(present, tokens);
    return tokenOf(tokens['id-token']);
  }

  #mustRenew(token: string | undefined, refused: boolean, refreshToken: string | undefined): boolean {
    const now = this.#options.clock.now();
    const expiresAt = token === undefined ? undefined : jwtExpiry(token);
    if (expiresAt === undefined || expiresAt - EXPIRY_DELTA_MS <= now) return true;
    return refused && refreshToken !== undefined && now - (this.#renewed?.at ?? 0) > YOUNG_MS;
  }

  async #persist(old: OidcSettings, tokens: OidcTokens): Promise<void> {
    const fields = ['id-token', 'refresh-token'] as const;
    const changed = fields
      .map((field) => [old[field] ?? '', tokens[field]] as const)
      .filter(([before, after]) => before !== after);
    try {
      await this.#options.persist(changed);
    } catch (error) {
      this.#options.logger.warn('renewed OIDC tokens are kept in memory only', { error: messageOf(error) });
    }
  }
}

function tokenOf(token = ''): { token: string; expiresAt: number | undefined } {
  return { token, expiresAt: jwtExpiry(token) };
}
