/**
 * Node's own modules that are dear to load as ES modules: their ES faces read every export at once, and so load what the exports load
 * (Web Crypto, worker threads, a second HTTP client, a tenth of a bare start for files). Taken when they are first needed.
 */
export const builtin = {
  fs: () => process.getBuiltinModule('node:fs'),
  crypto: () => process.getBuiltinModule('node:crypto'),
  childProcess: () => process.getBuiltinModule('node:child_process'),
  http: () => process.getBuiltinModule('node:http'),
  https: () => process.getBuiltinModule('node:https'),
  zlib: () => process.getBuiltinModule('node:zlib'),
};
