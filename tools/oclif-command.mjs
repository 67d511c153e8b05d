// A plugin for the build: it parts oclif's Command from what only oclif's own `run` needs, or a command that calls
// `this.log` and the like. That rest (Config, parser, errors, terminal) takes longer to load than most commands run: it
// becomes a file of its own, loaded when it is used.
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);
const COMMAND = resolve('@oclif/core/command');
const PACKAGE = resolve('@oclif/core/package.json');

/** What waits, as command.js requires it. Its cache and its small helpers stay. */
const LATER = ['config', 'errors', 'help/util', 'parser', 'util/aggregate-flags', 'util/ids', 'ux'];

/** The name of the file with all that waits: an entry of the build. */
export const OCLIF_REST = 'oclif-rest';

const FILE = `./${OCLIF_REST}.js`;
const MODULE = `\0${OCLIF_REST}`;
// oclif asks for the compiler where it runs the sources of a plugin; it goes on without one.
const COMPILER = '\0typescript';
const NO_COMPILER = "throw new Error('typescript is not a part of this program')";
const REQUIRE = /const (\w+) = (?:__importStar\()?require\("\.\/([\w/-]+)"\)\)?;/g;

export const oclifCommandAlone = {
  name: 'oclif-command-alone',
  resolveId(id) {
    if (id === OCLIF_REST) return MODULE;
    if (id === 'typescript') return COMPILER;
    return id === FILE ? { id, external: true } : undefined;
  },
  load: (id) => (id === MODULE ? restModule() : id === COMPILER ? NO_COMPILER : undefined),
  transform(code, id) {
    if (id === PACKAGE) return shortened(code);
    if (id !== COMMAND) return undefined;
    const found = [];
    const parted = code.replace(REQUIRE, (line, name, part) => {
      // asked for at every start; only oclif's own init writes
      if (part === 'logger') return `const ${name} = { makeDebug: () => () => {} };`;
      if (!LATER.includes(part)) return line;
      found.push(part);
      return `const ${name} = new Proxy({}, { get: (_, key) => require("${FILE}")["${part}"][key] });`;
    });
    const missing = LATER.filter((part) => !found.includes(part));
    if (missing.length > 0)
      throw new Error(`oclif's command.js requires no ${missing.join(', ')} any more: see tools/oclif-command.mjs`);
    return parted;
  },
};

/** Of its package.json oclif reads who it is. */
function shortened(text) {
  const { name, version } = JSON.parse(text);
  return JSON.stringify({ name, version });
}

function restModule() {
  const beside = createRequire(COMMAND);
  const imports = LATER.map((part, at) => `import * as part${at} from ${JSON.stringify(beside.resolve(`./${part}`))};`);
  return `${imports.join('\n')}\nexport { ${LATER.map((part, at) => `part${at} as ${JSON.stringify(part)}`).join(', ')} };`;
}
