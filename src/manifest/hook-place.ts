import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isModulePath } from '../hooks/run/module.ts';
import { filesOf, packagesOf } from '../hooks/run/module-loader.ts';
import { InformerError } from '../kit/error.ts';

/** A hook that a ConfigMap brings into the Pod. */
export interface MountedHook {
  readonly in: 'config-map';
  /** The name of the file in the ConfigMap and in its folder. */
  readonly name: string;
  readonly text: string;
  readonly isExecutable: boolean;
  /** The path of the file in the Pod. */
  readonly path: string;
  /** Remarks about files that the ConfigMap may lack. */
  readonly remarks: readonly string[];
}

/** A hook that the image must have. */
export interface ImageHook {
  readonly in: 'image';
  readonly path: string;
  readonly isExecutable: boolean;
  /** Why a ConfigMap cannot bring it, or that a flag says so. */
  readonly why: string;
  /** The folder on this machine that has all of `files`. */
  readonly root: string;
  /** The folder in the image that has all of `files`. */
  readonly folder: string;
  /** The hook and the files that it imports, relative to `root`. */
  readonly files: readonly string[];
  /** The packages that it imports, except for this one. */
  readonly packages: readonly string[];
}

export type HookPlace = MountedHook | ImageHook;

/** A folder of hooks in the Pod: a ConfigMap brings its files, or the image has them. */
export interface HookFolder {
  readonly in: 'folder';
  /** In the Pod. */
  readonly path: string;
  readonly isExecutable: true;
  /** Undefined where the image has them. `key` is the name in the ConfigMap, `path` that in the folder. */
  readonly files:
    | readonly {
        readonly key: string;
        readonly path: string;
        readonly text: string;
        readonly isExecutable: boolean;
      }[]
    | undefined;
}

/** The folder of a mounted hook in the Pod. */
const MOUNT_FOLDER = '/hook';
/** The folder of hooks in an image. */
const IMAGE_FOLDER = '/app';
/** A ConfigMap has at most 1 MiB with everything around the data, in bytes. Source: core/v1 MaxSecretSize. */
export const LARGEST_CONFIG_MAP = 900_000;

/**
 * Where a Pod finds the hook of a file that was loaded here: in a ConfigMap if it is one text file that imports nothing,
 * else in the image. Throws `argument` for a path that is not absolute.
 */
export async function hookPlaceOf(hook: string, hookPath: string | undefined): Promise<HookPlace> {
  const file = path.resolve(hook);
  const isExecutable = !isModulePath(file);
  const entry = await realpath(file);
  const imports = isExecutable ? { files: [entry], packages: [] } : await importsOf(file, entry);
  const { root, files } = rooted(entry, imports);
  const [name = ''] = files;
  const inImage = (why: string, at = path.posix.join(IMAGE_FOLDER, name)): ImageHook => ({
    in: 'image',
    path: at,
    isExecutable,
    why,
    root,
    folder: at.endsWith(`/${name}`) ? at.slice(0, -name.length - 1) || '/' : path.posix.dirname(at),
    files,
    packages: imports.packages,
  });
  if (hookPath !== undefined) return inImage('--hook-path says so', checkedPath(hookPath, file, files));
  const { packages } = imports;
  if (packages.length > 0) return inImage(`it imports ${packages.join(', ')}`);
  if (files.length > 1) return inImage(`it imports ${files.slice(1).join(', ')}`);
  const content = await readFile(file);
  if (content.length > LARGEST_CONFIG_MAP)
    return inImage(`it has ${content.length} bytes, and a ConfigMap takes at most 1 MiB`);
  const text = textOf(content);
  if (text === undefined) return inImage('it is a binary file, which may be for this machine only');
  const key = path.basename(file).replaceAll(/[^-._a-zA-Z0-9]+/g, '-');
  return {
    in: 'config-map',
    name: key,
    text,
    isExecutable,
    path: `${MOUNT_FOLDER}/${key}`,
    remarks: remarksOn(text, isExecutable),
  };
}

function checkedPath(at: string, file: string, [name = '', ...imported]: readonly string[]): string {
  const refuse = (what: string, hint: string): never => {
    throw new InformerError('argument', `--hook-path must ${what}, not "${at}"`, { hint });
  };
  const example = `for example --hook-path ${IMAGE_FOLDER}/${name}`;
  if (!path.posix.isAbsolute(at) || at.endsWith('/') || at.includes(':') || path.posix.normalize(at) !== at)
    return refuse('be the absolute path of a file', example);
  if (path.extname(at) !== path.extname(file))
    return refuse(`end with ${path.extname(file) || 'no extension'}`, example);
  if (imported.length > 0 && !at.endsWith(`/${name}`))
    return refuse(`end with /${name}, because it imports ${imported.join(', ')}`, example);
  return at;
}

async function importsOf(file: string, entry: string): Promise<{ files: string[]; packages: string[] }> {
  const found = await Promise.all(filesOf(file).map((each) => realpath(each)));
  const files = [entry, ...[...new Set(found)].filter((each) => each !== entry).sort()];
  return { files, packages: [...packagesOf(file)].sort() };
}

/** The smallest folder that has all files; with packages, that of the package.json that names them. */
function rooted(entry: string, { files, packages }: { files: readonly string[]; packages: readonly string[] }) {
  let root = path.dirname(entry);
  const hasAll = () => files.every((file) => !path.relative(root, file).startsWith('..'));
  const isWhole = () => hasAll() && (packages.length === 0 || existsSync(path.join(root, 'package.json')));
  while (!isWhole() && path.dirname(root) !== root) root = path.dirname(root);
  if (!isWhole()) {
    root = path.dirname(entry);
    while (!hasAll()) root = path.dirname(root);
  }
  return { root, files: files.map((file) => path.relative(root, file).split(path.sep).join('/')) };
}

function textOf(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** The interpreters of the image of --dockerfile. */
const IN_IMAGE = new Set(['sh', 'bash', 'dash', 'node', 'perl']);
const OWN_FOLDER = /\bimport\.meta\.(url|dirname|filename|resolve)\b|\b__(dir|file)name\b/;
const LATER_IMPORT = /\b(?:import|require)\s*\(/;
const OWN_FOLDER_OF_SCRIPT = /\$\{?(0|BASH_SOURCE)\b|__file__/;

function remarksOn(text: string, isExecutable: boolean): string[] {
  const remarks: string[] = [];
  const [, command = '', argument = ''] = (isExecutable && /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(text)) || [];
  const program = path.posix.basename(command) === 'env' ? argument : path.posix.basename(command);
  if (program !== '' && !IN_IMAGE.has(program)) remarks.push(`the image must have ${program}, which runs the hook`);
  if ((isExecutable ? OWN_FOLDER_OF_SCRIPT : OWN_FOLDER).test(text))
    remarks.push(
      'the hook reads where it is: files beside it are not in its ConfigMap (--hook-path PATH takes the hook from the image)',
    );
  if (!isExecutable && LATER_IMPORT.test(text))
    remarks.push(
      'the hook imports while it runs: what it imports then is not in its ConfigMap (--hook-path PATH takes the hook from the image)',
    );
  return remarks;
}
