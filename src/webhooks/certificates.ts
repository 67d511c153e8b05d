import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Client } from '../client/client.ts';
import { type Certificate, makeAuthority, makeServerCertificate } from '../kit/certificate.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { UnknownObject } from '../model/object.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../model/status.ts';

/** A certificate, and the authorities that clients trust for it. */
export interface ServingCertificate extends Certificate {
  /** PEM; undefined if the maker of the certificate says it elsewhere. */
  readonly authorities: string | undefined;
}

/** Gives the certificate of now. Asked at the start and then regularly. */
export interface CertificateSource {
  current(signal?: AbortSignal): Promise<ServingCertificate>;
}

/** A certificate in files, as cert-manager or a Secret volume keeps them. They are read again each time. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The authorities for `caBundle`. Absent: someone else writes it. */
  readonly caFile?: string | undefined;
}

export function fromFiles({ certFile, keyFile, caFile }: CertificateFiles): CertificateSource {
  const read = async (file: string) => {
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      throw new InformerError('config', `the certificate file ${file} cannot be read`, { cause });
    }
  };
  return {
    async current() {
      const [cert, key] = await Promise.all([read(certFile), read(keyFile)]);
      return { cert, key, authorities: caFile === undefined ? undefined : await read(caFile) };
    },
  };
}

/** Where the replicas share the authority and the certificate. */
export interface CertificateSecret {
  readonly namespace: string;
  readonly name: string;
}

const DAY_MS = 86_400_000;
const AUTHORITY_MS = 365 * DAY_MS;
const SERVER_MS = 90 * DAY_MS;
/** So that a clock that is a little behind accepts a new certificate. */
const BACKDATED_MS = 3_600_000;
/** API servers have a new `caBundle` by then, so that a certificate of the new authority can be used. */
const SETTLED_MS = 300_000;
const TRIES = 5;

interface SharedState {
  /** PEM of all authorities that are still valid, the newest first. */
  readonly authorities: string;
  readonly authorityKey: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * A certificate of an authority of its own, in a Secret that all replicas share: the first one creates it, each renews
 * it. A certificate is renewed when a third of its life is left. A new authority is announced first, and signs only when
 * every API server can know it. No value of the Secret is in an error.
 */
export function fromSecret(
  client: Client,
  { namespace, name }: CertificateSecret,
  hosts: readonly string[],
  clock: Clock,
): CertificateSource {
  const secrets = client.resource({ group: '', version: 'v1', resource: 'secrets' }, { namespace });
  return {
    async current(signal) {
      for (let tries = 1; ; tries++) {
        try {
          const stored = await secrets.get(name, { signal }).catch(absent);
          const state = stored && stateIn(stored);
          const next = renewed(state, hosts, clock.now());
          if (next !== state) await write(stored, next, signal);
          return { cert: next.cert, key: next.key, authorities: next.authorities };
        } catch (error) {
          if (tries >= TRIES || !(isConflict(error) || isAlreadyExists(error))) throw error; // else another replica was first
        }
      }
    },
  };

  async function write(
    stored: UnknownObject | undefined,
    state: SharedState,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const data = {
      'ca.crt': base64(state.authorities),
      'ca.key': base64(state.authorityKey),
      'tls.crt': base64(state.cert),
      'tls.key': base64(state.key),
    };
    const secret = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls' };
    if (stored) await secrets.update({ ...stored, data }, { signal });
    else await secrets.create({ ...secret, metadata: { namespace, name }, data }, { signal });
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function absent(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

/** Undefined for a Secret without all parts, which is then filled. */
function stateIn(secret: UnknownObject): SharedState | undefined {
  const data = (secret.data ?? {}) as Readonly<Record<string, string>>;
  const text = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
  const state = {
    authorities: text('ca.crt'),
    authorityKey: text('ca.key'),
    cert: text('tls.crt'),
    key: text('tls.key'),
  };
  return Object.values(state).every((value) => value !== '') ? state : undefined;
}

/** The same state if nothing is to be renewed. */
function renewed(state: SharedState | undefined, hosts: readonly string[], now: number): SharedState {
  const known = certificatesIn(state?.authorities ?? '').filter((cert) => lifeOf(cert).until > now);
  const [newest] = known;
  if (!state || !newest) return created(hosts, now);
  if (isDue(newest, now)) {
    const { cert, key } = newAuthority(now);
    return { ...state, authorities: [cert, ...known].join(''), authorityKey: key };
  }
  const { from, until } = lifeOf(state.cert);
  const isSettled = now - lifeOf(newest).from - BACKDATED_MS >= SETTLED_MS;
  const mustRenew = until <= now || from > now || !serves(state.cert, hosts);
  if (!mustRenew && !(isDue(state.cert, now) && isSettled)) return state;
  const server = makeServerCertificate({ cert: newest, key: state.authorityKey }, hosts, lifetime(SERVER_MS, now));
  return { ...state, authorities: known.join(''), ...server };
}

function created(hosts: readonly string[], now: number): SharedState {
  const authority = newAuthority(now);
  const server = makeServerCertificate(authority, hosts, lifetime(SERVER_MS, now));
  return { authorities: authority.cert, authorityKey: authority.key, ...server };
}

const newAuthority = (now: number) =>
  makeAuthority(`webhook-authority-${Math.floor(now / 1000)}`, lifetime(AUTHORITY_MS, now));

const lifetime = (ms: number, now: number) => ({ from: now - BACKDATED_MS, until: now + ms });

/** Whether a third of a life or less is left. */
function isDue(cert: string, now: number): boolean {
  const { from, until } = lifeOf(cert);
  return until - now <= (until - from) / 3;
}

function lifeOf(cert: string): { from: number; until: number } {
  const { validFrom, validTo } = new X509Certificate(cert);
  return { from: Date.parse(validFrom), until: Date.parse(validTo) };
}

function serves(cert: string, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return hosts.every((host) =>
    isIP(host) ? certificate.checkIP(host) !== undefined : certificate.checkHost(host) !== undefined,
  );
}

const certificatesIn = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n?/g)?.map((cert) => `${cert.trim()}\n`) ??
  [];
