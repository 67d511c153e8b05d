// A plugin for the build: chunks that Node loads with less work.
import { isBuiltin } from 'node:module';

const IMPORT = /^import (?:(.+) from )?(["'])([\w:/]+)\2;$/gm;
const BEYOND_ASCII = /[^\0-\x7f]/gu;

export const lightModules = {
  name: 'light-modules',
  renderChunk: (code) => code.replace(IMPORT, taken).replace(BEYOND_ASCII, escaped),
};

/**
 * A module of Node is taken as it is. For an import, Node first reads each of its exports: of `fs`, `http` and `util`
 * some load further modules when they are read.
 */
function taken(line, names, _quote, module) {
  if (!isBuiltin(module)) return line;
  const got = `globalThis.process.getBuiltinModule('${module}')`;
  if (names === undefined) return '';
  const [, whole, parts] = /^(?:\* as )?([\w$]+)?(?:, )?(?:\{(.*)\})?$/.exec(names);
  return [
    ...(whole === undefined ? [] : [`const ${whole} = ${got};`]),
    ...(parts === undefined ? [] : [`const {${parts.replaceAll(' as ', ': ')}} = ${whole ?? got};`]),
  ].join(' ');
}

/** Text that is all ASCII is read and kept at one byte a character. */
function escaped(character) {
  const code = character.codePointAt(0);
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
