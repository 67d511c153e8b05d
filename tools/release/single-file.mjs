// The whole package as one file that needs Node and nothing else, made from dist.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { lightModules } from '../light-modules.mjs';

/** Writes `file`, which is executable. */
export async function writeSingleFile({ root, file }) {
  const page = await readFile(path.join(root, 'dist/ui/page.html'), 'utf8');
  const built = await rolldown({
    input: path.join(root, 'tools/release/entry.mjs'),
    platform: 'node',
    external: [/^node:/],
    transform: {
      target: 'node22.19',
      define: {
        BUILT_UI_PAGE: JSON.stringify(page),
        BUILT_STATE_THREAD: JSON.stringify(await threadCode(root, 'state-thread.js')),
        BUILT_JQ_THREAD: JSON.stringify(await threadCode(root, 'jq-thread.js')),
      },
    },
    plugins: [restInside, lightModules],
    onLog(level, log, report) {
      if (!['EVAL', 'CIRCULAR_DEPENDENCY', 'COMMONJS_VARIABLE_IN_ESM'].includes(log.code)) report(level, log);
    },
  });
  await built.write({
    file,
    format: 'esm',
    codeSplitting: false,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await built.close();
  await writeFile(file, `#!/usr/bin/env node\n${NODE_CHECK}${await readFile(file, 'utf8')}`);
  await chmod(file, 0o755);
}

/** An old Node gets as far as this: the code behind it imports nothing, so there is nothing that cannot be linked. */
const NODE_CHECK = `{
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 19)) {
    process.stderr.write(
      \`error: kubectl-informer cannot start: Node \${process.versions.node} is too old\\nhint: install Node 22.19 or newer (24 is best) and try again\\n\`,
    );
    process.exit(1);
  }
}
`;

/** The code of a thread, with all that it imports. */
async function threadCode(root, name) {
  const built = await rolldown({
    input: path.join(root, 'dist', name),
    platform: 'node',
    external: [/^node:/],
    treeshake: { moduleSideEffects: (id) => id.endsWith(name) }, // it exports nothing: it is all effect
  });
  const { output } = await built.generate({ format: 'esm', codeSplitting: false, comments: false });
  await built.close();
  return output[0].code;
}

/** What oclif's Command loads by its own `require` when it is used: a file of dist, which is here in the same file. */
const restInside = {
  name: 'rest-inside',
  transform: (code) =>
    code.includes('require("./oclif-rest.js")')
      ? `import * as __oclifRest from './oclif-rest.js';\n${code.replaceAll('require("./oclif-rest.js")', '__oclifRest')}`
      : undefined,
};
