// Makes one declaration file for each public entry out of the many that the compiler writes, and `shared.d.ts` for what
// several entries have in common (a class that were declared twice would be two types). Only what an entry exports, and
// what that refers to, is kept. `types.d.ts` names every type among them, so that an entry need export only the types
// that people write often.
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseSync } from 'rolldown/utils';

const SHARED = 'shared';
const TYPES = 'types';

/**
 * Writes `<name>.d.ts` for each of `entries` (name → the file's path below `from`), `shared.d.ts` and `types.d.ts` into
 * the folder `to`. Throws when a public type refers to a package: packages are bundled into the code, so that none is installed
 * beside it.
 */
export async function bundleTypes({ from, to, entries }) {
  const program = new Declarations(from);
  const exported = new Map(Object.entries(entries).map(([entry, file]) => [entry, program.exportsOf(file)]));
  const users = new Map(); // declaration → the entries that need it
  for (const [entry, names] of exported)
    for (const { declaration } of names.values())
      for (const needed of program.closureOf(declaration)) setOf(users, needed).add(entry);
  const isExportedBy = (entry, declaration) =>
    [...exported.get(entry).values()].some((one) => one.declaration === declaration);
  const homeOf = (declaration) => {
    const [entry, ...others] = users.get(declaration);
    return others.length > 0 || !isExportedBy(entry, declaration) ? SHARED : entry;
  };

  await mkdir(to, { recursive: true });
  const names = uniqueNames([...users.keys()], homeOf, exported);
  const files = [
    ...Object.keys(entries),
    ...([...users.keys()].some((declaration) => homeOf(declaration) === SHARED) ? [SHARED] : []),
  ];
  for (const file of files) {
    const own = [...users.keys()]
      .filter((declaration) => homeOf(declaration) === file)
      .sort(by((declaration) => names.get(declaration)));
    const borrowed = new Set(
      own.flatMap((declaration) => program.referencesOf(declaration)).filter((one) => homeOf(one) !== file),
    );
    const text = [
      ...importLines([...borrowed], names, homeOf),
      file === SHARED ? '' : `import type {} from './${TYPES}.js';`,
      ...nodeImports(own.flatMap((declaration) => program.externalsOf(declaration))),
      ...own.map((declaration) => program.textOf(declaration, names)),
      exportLines(file === SHARED ? undefined : exported.get(file), own, names, homeOf, file),
    ];
    const whole = `${text.filter(Boolean).join('\n')}\n`;
    await writeFile(path.join(to, `${file}.d.ts`), `${libraryLine(whole)}${whole}`);
  }
  await writeFile(path.join(to, `${TYPES}.d.ts`), typesText([...users.keys()], names, homeOf));
}

/**
 * The types that the public signatures of each entry name, and that the entry itself does not export: entry → names,
 * sorted. The declarations of a user's library cannot name such a type.
 */
export function unnamedTypes({ from, entries }) {
  const program = new Declarations(from);
  return Object.fromEntries(
    Object.entries(entries).map(([entry, file]) => {
      const exported = new Set([...program.exportsOf(file).values()].map(({ declaration }) => declaration));
      const reached = new Set();
      for (const declaration of exported) program.closureOf(declaration, reached);
      return [
        entry,
        [...reached]
          .filter((one) => !exported.has(one))
          .map(({ name }) => name)
          .sort(),
      ];
    }),
  );
}

/** The declarations in the files below one folder, each a name with its statements: `{file, name, statements}`. */
class Declarations {
  #folder;
  #files = new Map();
  #used = new Map();

  constructor(folder) {
    this.#folder = folder;
  }

  /** What `file` exports: name → {declaration, isType}; isType = it was exported as a type only. */
  exportsOf(file) {
    const { exports, stars } = this.#read(file);
    const found = new Map();
    for (const { target, isType } of stars)
      for (const [name, one] of this.exportsOf(target)) found.set(name, { ...one, isType: isType || one.isType });
    for (const [name, { isType, ...place }] of exports) {
      const one = place.target ? this.exportsOf(place.target).get(place.name) : this.#lookUp(file, place.name);
      if (!one?.declaration) throw new Error(`${file}: ${name} is exported and not declared in any of our files`);
      found.set(name, { declaration: one.declaration, isType: isType || one.isType });
    }
    return found;
  }

  /** The declaration and everything it refers to, directly or not. */
  closureOf(declaration, seen = new Set()) {
    if (seen.has(declaration)) return seen;
    seen.add(declaration);
    for (const one of this.referencesOf(declaration)) this.closureOf(one, seen);
    return seen;
  }

  /** The declarations that this one names. */
  referencesOf(declaration) {
    return [...new Set(this.#uses(declaration).flatMap(({ to }) => to.declaration ?? []))];
  }

  /** What this declaration takes from modules of Node: `{module, name, local}`. */
  externalsOf(declaration) {
    return this.#uses(declaration).flatMap(({ to }) => to.external ?? []);
  }

  /** Its text, with the comment above, under its name in the bundle. */
  textOf(declaration, names) {
    const { text } = this.#read(declaration.file);
    return declaration.statements
      .map(({ start, end, comment }) => {
        const edits = this.#uses(declaration).filter(
          (use) => use.start >= start && use.end <= end && use.to.declaration,
        );
        const own = this.#ownName(declaration, start, end);
        const all = [
          ...edits.map((use) => ({ ...use, as: names.get(use.to.declaration) })),
          ...own.map((use) => ({ ...use, as: names.get(declaration) })),
        ];
        const body = all
          .sort((a, b) => b.start - a.start)
          .reduce(
            (rest, { start: from, end: to, as }) => rest.slice(0, from - start) + as + rest.slice(to - start),
            text.slice(start, end),
          );
        const isValue = !/^(declare|interface|type)\b/.test(body);
        return `${comment}${isValue ? 'declare ' : ''}${body}`;
      })
      .join('\n');
  }

  #ownName(declaration, start, end) {
    return declaration.ids.filter((id) => id.start >= start && id.end <= end);
  }

  #lookUp(file, name) {
    const { declared, imports } = this.#read(file);
    if (declared.has(name)) return { declaration: declared.get(name), isType: false };
    const imported = imports.get(name);
    if (imported === undefined) return undefined; // a global, or a type parameter
    if (imported.external) return { external: { ...imported.external, local: name } };
    const one = this.exportsOf(imported.target).get(imported.name);
    if (!one) throw new Error(`${file}: ${imported.target} does not export ${imported.name}`);
    return { ...one, isType: one.isType || imported.isType };
  }

  /** Every place in a declaration that names another one: `{start, end, to}`. */
  #uses(declaration) {
    const known = this.#used.get(declaration);
    if (known) return known;
    const uses = [];
    for (const { node } of declaration.statements)
      for (const { start, end, name, module } of namesIn(node)) {
        const to = module ? this.#inModule(declaration.file, module, name) : this.#lookUp(declaration.file, name);
        if (to) uses.push({ start, end, to });
      }
    for (const { to } of uses)
      if (to.external && !to.external.module.startsWith('node:'))
        throw new Error(
          `${declaration.file}: the public type ${declaration.name} refers to ${to.external.name} of the package ${to.external.module}`,
        );
    this.#used.set(declaration, uses);
    return uses;
  }

  /** What `import("module").name` within a type means. */
  #inModule(file, module, name) {
    if (!module.startsWith('.'))
      return module.startsWith('node:') ? undefined : { external: { module, name, local: name } };
    const one = this.exportsOf(this.#resolve(file, module)).get(name);
    if (!one) throw new Error(`${file}: ${module} does not export ${name}`);
    return one;
  }

  #resolve(file, specifier) {
    return path.posix.join(path.posix.dirname(file), specifier).replace(/\.[jt]s$/, '.d.ts');
  }

  #read(file) {
    const known = this.#files.get(file);
    if (known) return known;
    const text = readFileSync(path.join(this.#folder, file), 'utf8');
    const { program, comments, errors } = parseSync(file, text, { lang: 'dts', sourceType: 'module' });
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    const read = { text, declared: new Map(), imports: new Map(), exports: new Map(), stars: [] };
    this.#files.set(file, read);
    const declare = (statement, isExported) => {
      const node = statement.declaration ?? statement;
      const comment = docAbove(text, comments, statement.start);
      for (const id of idsOf(node)) {
        const declaration = read.declared.get(id.name) ?? { file, name: id.name, statements: [], ids: [] };
        declaration.statements.push({ node, start: node.start, end: node.end, comment });
        declaration.ids.push(id);
        read.declared.set(id.name, declaration);
        if (isExported) read.exports.set(id.name, { name: id.name, isType: false });
      }
    };
    for (const node of program.body) {
      if (node.type === 'ImportDeclaration') this.#imported(file, node, read.imports);
      else if (node.type === 'ExportAllDeclaration') {
        if (node.exported) throw new Error(`${file}: export * as is not known here`);
        read.stars.push({ target: this.#resolve(file, node.source.value), isType: node.exportKind === 'type' });
      } else if (node.type === 'ExportNamedDeclaration' && node.declaration) declare(node, true);
      else if (node.type === 'ExportNamedDeclaration')
        for (const { local, exported, exportKind } of node.specifiers)
          read.exports.set(exported.name, {
            name: local.name,
            target: node.source ? this.#resolve(file, node.source.value) : undefined,
            isType: node.exportKind === 'type' || exportKind === 'type',
          });
      else if (node.type === 'ExportDefaultDeclaration') throw new Error(`${file}: a default export is not known here`);
      else declare(node, false);
    }
    return read;
  }

  #imported(file, node, imports) {
    const module = node.source.value;
    for (const specifier of node.specifiers) {
      const name =
        specifier.type === 'ImportSpecifier'
          ? specifier.imported.name
          : specifier.type === 'ImportDefaultSpecifier'
            ? 'default'
            : '*';
      const isType = node.importKind === 'type' || specifier.importKind === 'type';
      if (!module.startsWith('.')) imports.set(specifier.local.name, { external: { module, name } });
      else if (name === '*') throw new Error(`${file}: import * as is not known here`);
      else imports.set(specifier.local.name, { target: this.#resolve(file, module), name, isType });
    }
  }
}

/** The names that a statement declares, with their places. */
function idsOf(node) {
  if (node.type === 'VariableDeclaration')
    return node.declarations.map(({ id }) => ({ name: id.name, start: id.start, end: id.start + id.name.length }));
  if (node.id?.type === 'Identifier')
    return [{ name: node.id.name, start: node.id.start, end: node.id.start + node.id.name.length }];
  throw new Error(`${node.type} is not known here`);
}

/**
 * Every name within a declaration that may be declared elsewhere: of types, of what is extended, behind `typeof`;
 * without type parameters.
 */
function namesIn(root) {
  const found = [];
  const visit = (node, bound) => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one, bound);
      return;
    }
    if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return;
    const inner = new Set([...bound, ...parametersOf(node)]);
    const take = (name) => {
      const first = leftmost(name);
      if (first.type === 'Identifier' && !inner.has(first.name))
        found.push({ start: first.start, end: first.start + first.name.length, name: first.name });
    };
    if (node.type === 'TSTypeReference') take(node.typeName);
    else if (node.type === 'TSTypeQuery' && node.exprName.type !== 'TSImportType') take(node.exprName);
    else if (node.type === 'TSInterfaceHeritage' || node.type === 'TSClassImplements') take(node.expression);
    else if (node.type === 'ClassDeclaration' && node.superClass) take(node.superClass);
    else if (node.type === 'TSImportType') {
      const name = node.qualifier && leftmost(node.qualifier);
      const end = name ? name.start + name.name.length : node.end;
      found.push({
        start: node.start,
        end,
        name: name?.name,
        module: (node.source ?? node.argument.literal ?? node.argument).value,
      });
    } else if (isComputed(node)) take(node.key);
    for (const [key, child] of Object.entries(node)) if (key !== 'parent') visit(child, inner);
  };
  visit(root, new Set());
  const seen = new Set();
  return found.filter(({ start }) => !seen.has(start) && seen.add(start));
}

const isComputed = (node) => node.computed === true && node.key && node.key.type !== 'Literal';

function leftmost(name) {
  let first = name;
  while (first.type !== 'Identifier') {
    const next = first.left ?? first.object;
    if (!next) return first;
    first = next;
  }
  return first;
}

/** The type parameters that a node brings. */
function parametersOf(node) {
  const listed = (node.typeParameters?.type === 'TSTypeParameterDeclaration' ? node.typeParameters.params : []).map(
    ({ name }) => name.name,
  );
  if (node.type === 'TSMappedType') listed.push((node.key ?? node.typeParameter?.name)?.name);
  if (node.type === 'TSConditionalType') listed.push(...inferredIn(node.extendsType));
  return listed.filter(Boolean);
}

function inferredIn(node) {
  if (node === null || typeof node !== 'object') return [];
  if (node.type === 'TSInferType') return [node.typeParameter.name.name];
  return Object.values(node).flatMap((child) => (Array.isArray(child) ? child.flatMap(inferredIn) : inferredIn(child)));
}

/** The doc comment that ends right above a statement, with its line break. */
function docAbove(text, comments, start) {
  const comment = comments.findLast(
    ({ type, end, value }) =>
      type === 'Block' && value.startsWith('*') && end <= start && text.slice(end, start).trim() === '',
  );
  return comment ? `${text.slice(comment.start, comment.end)}\n` : '';
}

/**
 * One name for each declaration, no name twice in a file or in what it imports: the public one, and where two have the
 * same, the one that is exported keeps it.
 */
function uniqueNames(declarations, homeOf, exported) {
  const isPublic = new Set(
    [...exported.values()].flatMap((names) => [...names.values()].map(({ declaration }) => declaration)),
  );
  const names = new Map();
  const taken = new Set();
  const inOrder = [...declarations].sort(by((one) => `${isPublic.has(one) ? 0 : 1} ${homeOf(one)} ${one.file}`));
  for (const declaration of inOrder) {
    const wanted = publicNameOf(declaration, exported);
    let name = wanted;
    for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`;
    taken.add(name);
    names.set(declaration, name);
  }
  return names;
}

/** The name under which people import a declaration: its own, unless every entry exports it under another one. */
function publicNameOf(declaration, exported) {
  const names = [...exported.values()].flatMap((entry) =>
    [...entry].filter(([, one]) => one.declaration === declaration).map(([name]) => name),
  );
  return names.length === 0 || names.includes(declaration.name) ? declaration.name : names[0];
}

function importLines(borrowed, names, homeOf) {
  return byHome(borrowed, names, homeOf).map(([home, list]) => `import type ${listed(list)} from './${home}.js';`);
}

/** `export type {…}` of every type that the entries lead to. */
function typesText(declarations, names, homeOf) {
  const types = declarations.filter(({ statements }) => statements.some(({ node }) => isTypeNode(node)));
  return `${byHome(types, names, homeOf)
    .map(([home, list]) => `export type ${listed(list)} from './${home}.js';`)
    .join('\n')}\n`;
}

const isTypeNode = ({ type }) => /^(TSInterface|TSTypeAlias|Class)Declaration$/.test(type);

/** File → the names of the declarations in it, sorted. */
function byHome(declarations, names, homeOf) {
  const homes = new Map();
  for (const one of declarations) setOf(homes, homeOf(one)).add(names.get(one));
  return [...homes].sort(by(([home]) => home)).map(([home, list]) => [home, [...list].sort()]);
}

/** `using` needs a library of the compiler that only the target ESNext and the types of Node bring. */
const libraryLine = (text) =>
  /\b(Async)?Disposable\b|\bSymbol\.(asyncD|d)ispose\b/.test(text) ? '/// <reference lib="esnext.disposable" />\n' : '';

/** One name a line, so that a change of one is a difference of one line. */
const listed = (names) => `{\n${names.map((name) => `  ${name},\n`).join('')}}`;

function nodeImports(externals) {
  const lines = externals.map(({ module, name, local }) => {
    if (name === '*') return `import type * as ${local} from '${module}';`;
    return name === 'default'
      ? `import type ${local} from '${module}';`
      : `import type { ${name === local ? name : `${name} as ${local}`} } from '${module}';`;
  });
  return [...new Set(lines)].sort();
}

/** `export {…}` of what lies in this file, and `export {…} from './shared.js'` of what an entry passes on. */
function exportLines(exported, own, names, homeOf, file) {
  if (exported === undefined) return `export ${listed(own.map((declaration) => names.get(declaration)))};`;
  const sorted = [...exported].sort(by(([name]) => name));
  const list = (isHere) =>
    sorted
      .filter(([, { declaration }]) => (homeOf(declaration) === file) === isHere)
      .map(
        ([name, { declaration, isType }]) =>
          `${isType ? 'type ' : ''}${names.get(declaration) === name ? name : `${names.get(declaration)} as ${name}`}`,
      );
  const [here, passedOn] = [list(true), list(false)];
  return [`export ${listed(here)};`, passedOn.length > 0 ? `export ${listed(passedOn)} from './${SHARED}.js';` : '']
    .filter(Boolean)
    .join('\n');
}

const by = (key) => (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);

function setOf(map, key) {
  if (!map.has(key)) map.set(key, new Set());
  return map.get(key);
}
