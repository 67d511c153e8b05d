import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'rolldown/utils';

/** A name that a file of src exports: what it declares itself, not what it passes on. */
export interface Export {
  readonly file: string;
  readonly name: string;
}

/** One file's part in the web of exports. `*` as a name stands for every export of the target. */
export interface FileExports {
  readonly declares: readonly string[];
  /** Of these, the types that its other declarations mention: part of what those promise. */
  readonly mentions: readonly string[];
  /** What it takes from other files, re-exports included. */
  readonly takes: readonly { readonly from: string; readonly name: string }[];
  /** Of these, what it passes on under its own name. */
  readonly passesOn: readonly { readonly from: string; readonly name: string; readonly as: string }[];
}

const known = new Map<string, FileExports>();

/** What a file declares for others and what it takes from them; paths are absolute. Each file is read once. */
export function exportsOf(file: string): FileExports {
  const found = known.get(file) ?? readExports(file);
  known.set(file, found);
  return found;
}

function readExports(file: string): FileExports {
  const text = readFileSync(file, 'utf8');
  const { program } = parseSync(file, text, { lang: 'ts', sourceType: 'module' });
  const at = (source: { readonly value: unknown }) => path.resolve(path.dirname(file), String(source.value));
  const declares: string[] = [];
  const types: string[] = [];
  const takes: { from: string; name: string }[] = [];
  const passesOn: { from: string; name: string; as: string }[] = [];
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration' && isRelative(node.source)) {
      for (const specifier of node.specifiers) {
        const name =
          specifier.type === 'ImportSpecifier'
            ? nameOf(specifier.imported)
            : specifier.type === 'ImportDefaultSpecifier'
              ? 'default'
              : '*';
        takes.push({ from: at(node.source), name });
      }
    } else if (node.type === 'ExportAllDeclaration' && isRelative(node.source))
      passesOn.push({ from: at(node.source), name: '*', as: '*' });
    else if (node.type === 'ExportDefaultDeclaration') declares.push('default');
    else if (node.type === 'ExportNamedDeclaration') {
      for (const { local, exported } of node.specifiers) {
        if (node.source) passesOn.push({ from: at(node.source), name: nameOf(local), as: nameOf(exported) });
        else declares.push(nameOf(exported));
      }
      const declaration = node.declaration;
      if (declaration?.type === 'VariableDeclaration')
        declares.push(...declaration.declarations.flatMap(({ id }) => namesIn(id)));
      else if (declaration && 'id' in declaration && declaration.id?.type === 'Identifier') {
        declares.push(declaration.id.name);
        if (declaration.type.startsWith('TS')) types.push(declaration.id.name);
      }
    }
  }
  const mentions = types.filter((name) => (text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0) > 1);
  for (const [, source = ''] of text.matchAll(/\bimport\(\s*'(\.[^']+)'/g))
    takes.push({ from: at({ value: source }), name: '*' });
  return { declares: [...new Set(declares)], mentions, takes, passesOn };
}

/**
 * The exports of `sources` that no other file takes, neither directly nor through files that pass them on; what
 * `entries` export has users.
 */
export function unusedExports(
  sources: readonly string[],
  users: readonly string[],
  entries: readonly string[],
): Export[] {
  const web = new Map([...sources, ...users].map((file) => [file, exportsOf(file)]));
  const used = new Set<string>();
  const use = (file: string, name: string): void => {
    const mark = `${file} ${name}`;
    if (used.has(mark)) return;
    used.add(mark);
    for (const passed of web.get(file)?.passesOn ?? []) {
      if (passed.as === name || passed.as === '*') use(passed.from, passed.as === '*' ? name : passed.name);
      else if (name === '*') use(passed.from, passed.name);
    }
  };
  for (const { takes } of web.values()) for (const { from, name } of takes) use(from, name);
  for (const entry of entries) use(entry, '*');
  const isUsed = (file: string, name: string) =>
    used.has(`${file} ${name}`) || used.has(`${file} *`) || web.get(file)?.mentions.includes(name);
  return sources.flatMap((file) =>
    (web.get(file)?.declares ?? []).filter((name) => !isUsed(file, name)).map((name) => ({ file, name })),
  );
}

const isRelative = ({ value }: { readonly value: unknown }) => String(value).startsWith('.');

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value);
}

function namesIn(pattern: {
  readonly type: string;
  readonly name?: string;
  readonly properties?: readonly { readonly value?: unknown }[];
}): string[] {
  if (pattern.name !== undefined) return [pattern.name];
  return (pattern.properties ?? []).flatMap(({ value }) => namesIn(value as never));
}
