// A plugin for the build: chunks that Node loads with less work.
import { isBuiltin } from 'node:module';
import { getBuiltinModule } from 'node:process';

const IMPORT = /^import (?:(.+) from )?(["'])([\w:/]+)\2;$/gm;
const BEYOND_ASCII = /[^\0-\x7f]/gu;

export const lightModules = {
  name: 'light-modules',
  renderChunk: (code) => code.replace(IMPORT, taken).replace(BEYOND_ASCII, escaped),
};

/** Modules of Node that load many others: taken when one of their functions is called. */
const LATER = ['crypto', 'fs/promises', 'net', 'util', 'zlib'];

/**
 * A module of Node is taken as it is. For an import, Node first reads each of its exports: of `fs`, `http` and `util`
 * some load further modules when they are read.
 */
function taken(line, names, _quote, module) {
  if (!isBuiltin(module)) return line;
  if (names === undefined) return '';
  const [, whole, parts] = /^(?:\* as )?([\w$]+)?(?:, )?(?:\{(.*)\})?$/.exec(names);
  const named = (parts ?? '').split(',').map((part) => part.trim().split(' as '));
  return [
    ...(whole === undefined ? [] : [`const ${whole} = ${got(module)};`]),
    ...(parts === undefined ? [] : named.map(([name, as = name]) => `const ${as} = ${part(module, name, as)};`)),
  ].join(' ');
}

function part(module, name, as) {
  // that of `fs` does the same, and loads no further module
  if (module === 'node:fs/promises' && name === 'readFile')
    return `(...args) => new Promise((resolve, reject) => ${got('node:fs')}.readFile(...args, (error, read) => (error ? reject(error) : resolve(read))))`;
  const isFunction = /^[a-z]/.test(name) && typeof getBuiltinModule(module)[name] === 'function';
  if (!isFunction || !LATER.includes(module.replace('node:', ''))) return `${got(module)}.${name}`;
  return `(...args) => (${as}.from ??= ${got(module)}).${name}(...args)`;
}

const got = (module) => `globalThis.process.getBuiltinModule('${module}')`;

/** Text that is all ASCII is read and kept at one byte a character. */
function escaped(character) {
  const code = character.codePointAt(0);
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
