import { realpathSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The URLs for imports of the program's own package, by specifier. */
const links = new Map<string, string>();
/** The files of the versions that were loaded last, by the entry. */
const filesOfEntry = new Map<string, Set<string>>();
/** The packages that these files import, by the entry. */
const packagesOfEntry = new Map<string, Set<string>>();
let hasHooks = false;
let versions = 0;

const VERSION = /[?&]hook-version=(\d+)$/;
const require = module.createRequire(import.meta.url);

/**
 * Redirects imports of the given specifiers to the given URLs from now on, because a hook may import later too. The
 * redirects are global, because a process has one module loader.
 */
export function linkPackage(entries: Readonly<Record<string, string>>): void {
  for (const [specifier, url] of Object.entries(entries)) links.set(specifier, url);
  if (links.size > 0) registerHooks();
}

/**
 * The URL of a new version of a hook's file. A module is loaded once for each URL, so each version has one of its own; so
 * have the files that it imports, except for packages. Source: Node's ESM loader, whose cache cannot be cleared.
 */
export function newVersionUrl(entry: string): string {
  for (const file of filesOfEntry.get(entry) ?? []) delete require.cache[file]; // CommonJS is cached by its path
  trackFiles(entry);
  return `${pathToFileURL(entry).href}?hook-version=${++versions}`;
}

/** Notes from now on what the hook imports, see {@link filesOf} and {@link packagesOf}. */
export function trackFiles(entry: string): void {
  registerHooks();
  filesOfEntry.set(entry, new Set([entry, ...realPathOf(entry)])); // a module's URL has no links
  packagesOfEntry.set(entry, new Set());
}

function realPathOf(file: string): string[] {
  try {
    return [realpathSync(file)];
  } catch {
    return []; // the import says why
  }
}

/** The files of the version that was loaded last: the hook and what it imports, except for packages. */
export function filesOf(entry: string): readonly string[] {
  return [...(filesOfEntry.get(entry) ?? [entry])];
}

/** The packages that the hook and its files import, except for this one. */
export function packagesOf(entry: string): readonly string[] {
  return [...(packagesOfEntry.get(entry) ?? [])];
}

function registerHooks(): void {
  if (hasHooks) return;
  hasHooks = true;
  module.registerHooks({
    resolve(specifier, context, next) {
      const url = links.get(specifier);
      if (url !== undefined) return { url, shortCircuit: true };
      const resolved = next(specifier, context);
      notePackage(specifier, resolved.url, context.parentURL);
      return ofVersion(resolved, context.parentURL);
    },
  });
}

/** `chalk` of `chalk/source`, `@scope/name` of `@scope/name/part`. */
const PACKAGE = /^(@[^/]+\/)?[^/.][^/]*/;

function notePackage(specifier: string, url: string, parent: string | undefined): void {
  const from = parent === undefined ? undefined : pathOf(parent);
  const name = url.includes('/node_modules/') ? PACKAGE.exec(specifier)?.[0] : undefined;
  if (from === undefined || name === undefined) return;
  for (const [entry, files] of filesOfEntry) if (files.has(from)) packagesOfEntry.get(entry)?.add(name);
}

function ofVersion(resolved: module.ResolveFnOutput, parent: string | undefined): module.ResolveFnOutput {
  const { url } = resolved;
  if (parent === undefined || !url.startsWith('file:') || url.includes('/node_modules/')) return resolved;
  const from = pathOf(parent);
  const file = pathOf(url);
  for (const files of filesOfEntry.values()) if (from !== undefined && files.has(from) && file) files.add(file);
  const version = VERSION.exec(parent)?.[1];
  return version === undefined || VERSION.test(url) ? resolved : { ...resolved, url: `${url}?hook-version=${version}` };
}

function pathOf(url: string): string | undefined {
  return url.startsWith('file:') ? fileURLToPath(url) : undefined;
}
