import path from 'node:path';
import { VERSION } from '../package.ts';
import type { HookPlace, ImageHook } from './hook-place.ts';

/** The version of Node with which this package is developed; package.json says which one is the oldest. */
const NODE = 24;

export interface ImageOptions {
  /** The name of the image, for the comment. */
  readonly image?: string | undefined;
  readonly hook?: HookPlace | undefined;
  /** A program that the hook needs and the image does not have. */
  readonly program?: string | undefined;
  /** Whether a file of the root exists, such as `package.json`. */
  readonly hasFile: (name: string) => boolean;
}

/**
 * A Dockerfile for an image that runs `kubectl informer reconcile`: Node and this package, and a hook that no ConfigMap
 * can bring. Its user is a number, because Kubernetes cannot see whether a name means root.
 */
export function dockerfile({ image = 'IMAGE', hook, program, hasFile }: ImageOptions): string {
  const own = hook?.in === 'image' ? hook : undefined;
  const context = own ? `in the folder of ${own.files[0]}: docker build -f Dockerfile` : 'docker build';
  return [
    own
      ? '# Node, kubectl-informer and a hook.'
      : '# Node and kubectl-informer, and nothing else. A ConfigMap brings the hook.',
    `# Build it ${own ? `${context} -t ${image} .` : `with: ${context} -t ${image} - < Dockerfile`}`,
    `FROM node:${NODE}-slim`,
    `RUN npm install --global --ignore-scripts --no-audit --no-fund kubectl-informer@${VERSION} && npm cache clean --force`,
    ...(program === undefined ? [] : [`# The hook needs ${program}: install it here.`]),
    ...(own ? hookLines(own, hasFile) : []),
    'ENV NODE_ENV=production',
    'USER 1000:1000',
    'ENTRYPOINT ["kubectl-informer"]',
    '',
  ].join('\n');
}

function hookLines(hook: ImageHook, hasFile: (name: string) => boolean): string[] {
  const { folder, packages, isExecutable } = hook;
  const [entry = '', ...imported] = hook.files;
  const byFolder = Map.groupBy(imported, (file) => path.posix.join(folder, path.posix.dirname(file)));
  return [
    `WORKDIR ${folder}`,
    ...(packages.length > 0 ? packageLines(packages, hasFile) : []),
    `COPY ${isExecutable ? '--chmod=0755 ' : ''}${JSON.stringify([entry, hook.path])}`,
    ...[...byFolder].map(([target, found]) => `COPY ${JSON.stringify([...found, `${target}/`])}`),
  ];
}

function packageLines(packages: readonly string[], hasFile: (name: string) => boolean): string[] {
  const install = (command: string) => `RUN npm ${command} --no-audit --no-fund && npm cache clean --force`;
  if (!hasFile('package.json')) return [install(`install ${packages.join(' ')}`)];
  if (!hasFile('package-lock.json')) return ['COPY package.json ./', install('install --omit=dev')];
  return ['COPY package.json package-lock.json ./', install('ci --omit=dev')];
}
