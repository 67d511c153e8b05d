import { expect, it } from 'vitest';
import { typeFound, typeWords } from '../../src/doctor/type-words.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { inProcess } from '../support/in-process.ts';

it('reads types with commas and as triples, each once; without any it is pods', () => {
  expect(typeWords([])).toEqual(['pods']);
  expect(typeWords(['deploy,rs', 'deploy', 'apps/v1/deployments', 'v1/pods'])).toEqual([
    'deploy',
    'rs',
    'apps/v1/deployments',
    'v1/pods',
  ]);
});

it.each([['pod/web-1'], ['a/b/c'], [''], ['pods,']])('refuses %j, which is no type', (word) => {
  expect(() => typeWords([word])).toThrow('doctor takes types');
});

it('finds one type, or all of a category; what cannot be watched or is not there is a problem', async () => {
  await using cluster = await inProcess();
  let types: readonly ResourceType[] = [];
  const look = (word: string) => {
    types = [];
    return typeFound(cluster.client, word, (found) => {
      types = found;
    });
  };
  expect(await look('deploy')).toEqual({ status: 'ok', found: 'apps/v1/deployments' });
  expect(types.map(({ kind }) => kind)).toEqual(['Deployment']);
  expect((await look('all')).status).toBe('ok');
  expect(types.length).toBeGreaterThan(3);
  expect(await look('selfsubjectreviews')).toMatchObject({
    status: 'problem',
    found: expect.stringContaining('cannot be listed and watched'),
  });
  expect(types).toEqual([]);
  expect(await look('podz')).toMatchObject({ status: 'problem', fix: expect.stringContaining('pods') });
});
