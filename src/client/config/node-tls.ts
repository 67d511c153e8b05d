import type { TlsMaterial } from './cluster-config.ts';

type Bytes = 'ca' | 'cert' | 'key' | 'pfx';

/** TLS material as Node's TLS takes it: bytes are Buffers. */
export type NodeTls = Omit<TlsMaterial, Bytes> & { readonly [N in Bytes]?: string | Buffer };

/**
 * The same material, for Node. Bytes are not copied. Only the material itself turns verification off: without a word,
 * Node would look at NODE_TLS_REJECT_UNAUTHORIZED.
 */
export function nodeTls({ ca, cert, key, pfx, rejectUnauthorized = true, ...rest }: TlsMaterial): NodeTls {
  return {
    ...rest,
    rejectUnauthorized,
    ...(ca === undefined ? {} : { ca: bufferOf(ca) }),
    ...(cert === undefined ? {} : { cert: bufferOf(cert) }),
    ...(key === undefined ? {} : { key: bufferOf(key) }),
    ...(pfx === undefined ? {} : { pfx: bufferOf(pfx) }),
  };
}

function bufferOf(value: string | Uint8Array): string | Buffer {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
