import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { loadFieldSchema } from '../../src/client/field-schema.ts';
import { inProcess } from '../support/in-process.ts';

const POD = { group: '', version: 'v1', kind: 'Pod' };

async function schemaOf(kind: { group: string; version: string; kind: string }) {
  const { transport } = await inProcess();
  return loadFieldSchema(createClient(transport), kind);
}

describe('the schema of a kind', () => {
  it.each<[string, (string | undefined)[], object]>([
    ['a field', ['spec', 'nodeName'], { is: 'field', known: 2 }],
    ['a field of list items', ['spec', 'containers', undefined, 'image'], { is: 'field', known: 4 }],
    ['a value of a map', ['metadata', 'labels', undefined], { is: 'field', known: 3 }],
    ['a name in a map', ['metadata', 'labels', 'app'], { is: 'open', known: 2 }],
    ['a name in a list', ['spec', 'containers', 'image'], { is: 'open', known: 2 }],
    ['a field below a text', ['spec', 'nodeName', 'first'], { is: 'none', known: 2, beside: [] }],
    ['an item of what is no list', ['spec', undefined], { is: 'open', known: 1 }],
  ])('looks at %s', async (_, steps, expected) => {
    expect((await schemaOf(POD))?.look(steps)).toMatchObject(expected);
  });

  it('names the known fields beside an unknown one', async () => {
    const verdict = (await schemaOf(POD))?.look(['spec', 'nodename']);
    expect(verdict).toMatchObject({ is: 'none', known: 1 });
    expect(verdict?.beside).toContain('nodeName');
  });

  it('lists the fields below a path, with what each is', async () => {
    const schema = await schemaOf(POD);
    const at = (...steps: (string | undefined)[]) =>
      Object.fromEntries((schema?.below(steps) ?? []).map(({ name, is }) => [name, is]));
    expect(Object.keys(at())).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
    expect(at('spec')).toMatchObject({
      containers: 'list',
      nodeName: 'scalar',
      affinity: 'object',
      nodeSelector: 'map',
    });
    expect(at('spec', 'containers', undefined)).toMatchObject({ image: 'scalar', ports: 'list' });
    expect(schema?.below(['spec', 'containers', undefined]).find(({ name }) => name === 'image')?.about).toContain(
      'image',
    );
    for (const path of [
      ['spec', 'nosuch'],
      ['spec', 'constructor'],
      ['spec', 'nodeName'],
      ['spec', 'nodeName', undefined],
    ])
      expect(at(...path)).toEqual({});
  });

  it('is found in the document of its group', async () => {
    expect((await schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' }))?.look(['spec', 'replicas']).is).toBe(
      'field',
    );
  });

  it.each([
    { group: '', version: 'v1', kind: 'Odd' },
    { group: 'odd.example.com', version: 'v1', kind: 'Odd' },
  ])('is undefined if the server does not describe it: %j', async (kind) => {
    expect(await schemaOf(kind)).toBeUndefined();
  });

  it('rejects when the server does not answer', async () => {
    const { sandbox, transport } = await inProcess();
    sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { path: '/openapi/v3' } });
    await expect(loadFieldSchema(createClient(transport), POD)).rejects.toThrow('currently unable');
  });
});
