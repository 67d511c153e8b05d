import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './packed.ts';

const ON_PURPOSE =
  'The public API changed. If that is meant, say it in CHANGELOG.md and run: npm run build && npx vitest run test/package -u';

/** What people compile against: the declarations without their comments. */
function declarationsOf(entry: string): string {
  const text = readFileSync(path.join(ROOT, 'dist/types', `${entry}.d.ts`), 'utf8');
  return text.replace(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n/gm, '');
}

describe('the exported names and their declarations', () => {
  it.each(['index', 'cache', 'hooks', 'sandbox', 'testing', 'webhooks', 'crds', 'shared'])(
    'of %s change on purpose only',
    async (entry) => {
      await expect(declarationsOf(entry), ON_PURPOSE).toMatchFileSnapshot(`api/${entry}.txt`);
    },
  );
});

describe('the pages about the library that the build writes', () => {
  const folder = path.join(ROOT, 'docs/reference/library');
  const pages = readdirSync(folder).map((page) => [page, readFileSync(path.join(folder, page), 'utf8')] as const);

  it('are one for each entry, and show no source of a link', () => {
    const names = ['cache', 'crds', 'hooks', 'index', 'sandbox', 'testing', 'types', 'webhooks'];
    expect(pages.map(([page]) => page).sort()).toEqual(names.map((name) => `${name}.md`));
    expect(pages.filter(([, text]) => text.includes('{@link')).map(([page]) => page)).toEqual([]);
  });

  it('link only to pages that exist', () => {
    const broken = pages.flatMap(([page, text]) =>
      [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !existsSync(path.join(folder, link)))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('group the names of the library by topic', () => {
    const index = pages.find(([page]) => page === 'index.md')?.[1] ?? '';
    const headings = [...index.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toContain('Controllers');
    expect(headings).toContain('The work queue');
    const queue = index.slice(index.indexOf('## The work queue'), index.indexOf('## Errors'));
    expect(queue).toContain('### WorkQueue');
    expect(queue).not.toContain('### createController\n');
  });
});

describe('the records that people read', () => {
  it('have the published schema, whose fields change on purpose only', async () => {
    const schema = JSON.parse(readFileSync(path.join(ROOT, 'dist/schemas/envelope.schema.json'), 'utf8'));
    const lines = outlineOf(schema, '');
    expect(lines.length).toBeGreaterThan(10);
    await expect(`${lines.join('\n')}\n`, ON_PURPOSE).toMatchFileSnapshot('api/envelope.txt');
  });
});

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** One line for each record and field: `event.key: string, /pattern/` or `event.oldObject?: #object`. */
function outlineOf(schema: Schema, path: string): string[] {
  const records = Object.entries(schema.$defs ?? {}).flatMap(([name, record]) => [
    `${name}: ${kindOf(record)}`,
    ...outlineOf(record, name),
  ]);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const place = `${path}.${name}`;
    return [
      `${place}${schema.required?.includes(name) ? '' : '?'}: ${kindOf(field)}`,
      ...outlineOf(field, place),
      ...itemsOf(field, place),
    ];
  });
  return [...(schema.oneOf ? [`one of ${schema.oneOf.map(kindOf).join(' ')}`] : []), ...fields, ...records];
}

const itemsOf = ({ items }: Schema, place: string) =>
  items ? [`${place}[]: ${kindOf(items)}`, ...outlineOf(items, `${place}[]`)] : [];

function kindOf({ $ref, type, enum: values, const: value, pattern }: Schema): string {
  const parts = [
    $ref?.replace('#/$defs/', '#'),
    type,
    values?.join(' | '),
    value === undefined ? undefined : JSON.stringify(value),
  ];
  return [...parts, pattern && `/${pattern}/`].filter((part) => part !== undefined).join(', ') || 'anything';
}
