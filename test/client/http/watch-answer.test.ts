import { expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { CONFIG_MAPS } from '../../support/in-process.ts';
import { scriptedBytes } from '../../support/scripted-bytes.ts';

/** A client of whatever stands in front of an API server, which answers everything in the same way. */
function behind(headers: Record<string, string>, body: string) {
  const transport = scriptedBytes(() => ({ headers, body }));
  return { api: createClient(transport).resource(CONFIG_MAPS), sent: transport.requests };
}

it('a page that comes with 200 in the place of a watch is an error that says so, and no watch', async () => {
  const { api } = behind({ 'content-type': 'text/html; charset=utf-8' }, '<!doctype html>\n<title>Log in</title>');
  await expect(api.watch()).rejects.toMatchObject({
    code: 'decode',
    message: 'the answer to watching v1/configmaps is no watch but text/html; charset=utf-8: "<!doctype html> <title>Log in</title>"',
  });
});

it.each(['application/json', 'application/json;stream=watch', undefined])('a watch may be called %s', async (type) => {
  const { api } = behind(type === undefined ? {} : { 'content-type': type }, '{"type":"ADDED","object":{"metadata":{}}}\n');
  const { value } = await (await api.watch()).next();
  expect(value).toHaveLength(1);
});

it('where the server is, is asked with one small request, once, over a connection of its own', async () => {
  const { api, sent } = behind(
    {},
    '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"items":[]}',
  );
  const page = await api.probe({ limit: 1 }, { fresh: true });
  expect(page.resourceVersion).toBe('7');
  expect(sent).toMatchObject([{ path: '/api/v1/configmaps?limit=1', once: true, fresh: true }]);
  expect(sent[0]?.headers?.accept).toContain('as=PartialObjectMetadataList');
});
