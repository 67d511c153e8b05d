/**
 * Built-in modules of Node that are slow to import as ES modules. Such an import reads all exports at once, and so
 * loads what these need: Web Crypto, worker threads, a second HTTP client. Here each module is loaded at its first use.
 */
export const builtin = {
  fs: () => process.getBuiltinModule('node:fs'),
  crypto: () => process.getBuiltinModule('node:crypto'),
  childProcess: () => process.getBuiltinModule('node:child_process'),
  http: () => process.getBuiltinModule('node:http'),
  https: () => process.getBuiltinModule('node:https'),
  net: () => process.getBuiltinModule('node:net'),
  tls: () => process.getBuiltinModule('node:tls'),
  zlib: () => process.getBuiltinModule('node:zlib'),
  threads: () => process.getBuiltinModule('node:worker_threads'),
  sqlite: () => process.getBuiltinModule('node:sqlite'),
  asyncHooks: () => process.getBuiltinModule('node:async_hooks'),
};
