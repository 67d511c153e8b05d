import { builtin } from './kit/builtin.ts';

/** In the built program, where the build puts it in place of this name. */
declare const BUILT_VERSION: string | undefined;

/** The package's version, which the sources read from its package.json. */
export const VERSION: string = typeof BUILT_VERSION === 'string' ? BUILT_VERSION : readVersion();

function readVersion(): string {
  return JSON.parse(builtin.fs().readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

const isSource = import.meta.url.endsWith('.ts');
const entry = (built: string, source: string) => new URL(isSource ? `./${source}` : `./${built}`, import.meta.url).href;

/**
 * Where the package's own entries lie, by what users import: the running copy, so that a hook and the program share
 * every class.
 */
export const ENTRIES: Readonly<Record<string, string>> = {
  'kubectl-informer': entry('index.js', 'index.ts'),
  'kubectl-informer/cache': entry('cache.js', 'cache.ts'),
  'kubectl-informer/hooks': entry('hooks.js', 'hooks.ts'),
  'kubectl-informer/webhooks': entry('webhooks.js', 'webhooks.ts'),
  'kubectl-informer/crds': entry('crds.js', 'crds.ts'),
  'kubectl-informer/sandbox': entry('sandbox.js', 'sandbox/index.ts'),
  'kubectl-informer/testing': entry('testing.js', 'testing/index.ts'),
};

/** The line that `--version` prints. */
export function versionLine(): string {
  return `kubectl-informer ${VERSION} (node ${process.versions.node}, ${process.platform}-${process.arch})\n`;
}

/** The name by which the user calls the program: through kubectl when it is installed under the plugin's name. */
export function calledName(): string {
  return /(^|[\\/])kubectl-[^\\/]*$/.test(process.argv[1] ?? '') ? 'kubectl informer' : 'kubectl-informer';
}
