import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { keptAnswers } from '../../src/client/kept-answers.ts';
import { FakeClock } from '../../src/testing/index.ts';
import { APPLES } from '../support/fixture.ts';
import { inProcess } from '../support/in-process.ts';

const INDEX = '/openapi/v3';
const server = 'https://example.com:6443';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kept-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function setUp(place: string) {
  const { sandbox, transport } = await inProcess();
  const clock = new FakeClock();
  const raw = keptAnswers(createClient(transport), { folder: path.join(folder, place), server, clock });
  const { paths } = JSON.parse(await raw(INDEX)) as { paths: Record<string, { serverRelativeURL: string }> };
  const asked = () => sandbox.requests.matching('/openapi').length;
  return { sandbox, clock, raw, asked, document: paths['apis/apps/v1']?.serverRelativeURL ?? '' };
}

describe('kept OpenAPI documents', () => {
  it('are requested once, the list of them once a minute', async () => {
    const { clock, raw, asked, document } = await setUp('once');
    const first = await raw(document);
    expect(await raw(document)).toBe(first);
    await raw(INDEX);
    expect(asked()).toBe(2);
    await clock.advance(61_000);
    await raw(INDEX);
    expect(await raw(document)).toBe(first);
    expect(asked()).toBe(3);
  });

  it('are requested again when their hash changes', async () => {
    const { sandbox, clock, raw } = await setUp('hash');
    const sizeOf = async (type: string) => {
      const crd = structuredClone(APPLES);
      for (const { schema } of crd.spec.versions) schema.openAPIV3Schema.properties.spec.properties.size.type = type;
      sandbox.apply([crd]);
      await clock.advance(61_000);
      const { paths } = JSON.parse(await raw(INDEX)) as { paths: Record<string, { serverRelativeURL: string }> };
      const text = await raw(paths['apis/stable.example.com/v1']?.serverRelativeURL ?? '');
      return /"size":\{"type":"(\w+)"/.exec(text)?.[1];
    };
    expect(await sizeOf('integer')).toBe('integer');
    expect(await sizeOf('string')).toBe('string');
  });

  it('hold where the server does not answer, whatever the age of the list', async () => {
    const { sandbox, clock, raw, document } = await setUp('away');
    const [index, content] = [await raw(INDEX), await raw(document)];
    sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { path: INDEX } });
    await clock.advance(3_600_000);
    expect([await raw(INDEX), await raw(document)]).toEqual([index, content]);
    await expect(raw('/openapi/v3/apis/batch/v1?hash=1')).rejects.toThrow('the server responded');
  });

  it.skipIf(process.platform === 'win32')(
    'are readable by their owner only, and damaged ones are requested again',
    async () => {
      const { raw, asked, document } = await setUp('mode');
      await raw(document);
      const place = path.join(folder, 'mode', 'openapi', 'example.com_6443');
      const files = await readdir(place);
      expect(files.sort()).toEqual(['openapi_v3.json', 'openapi_v3_apis_apps_v1.json']);
      for (const name of files) {
        expect((await stat(path.join(place, name))).mode & 0o777).toBe(0o600);
        await writeFile(path.join(place, name), '{"path":');
      }
      expect((await stat(place)).mode & 0o777).toBe(0o700);
      await raw(document);
      expect(asked()).toBe(3);
    },
  );
});
