import { expect, test } from 'vitest';
import {
  listedSpelling,
  meantSpellings,
  spellingsOf,
  typeWordOf,
} from '../../../src/query/index/reference-spellings.ts';

const reference = (apiVersion: string | undefined, kind: string) => ({ apiVersion, kind, name: 'web', uid: 'u' });

test.each<[ReturnType<typeof reference>, string]>([
  [reference('v1', 'Pod'), 'pod/web'],
  [reference('apps/v1', 'Deployment'), 'deployment/web'],
  [reference('networking.k8s.io/v1', 'Ingress'), 'ingress/web'],
  [reference('serving.example.dev/v1', 'Service'), 'service.serving.example.dev/web'],
  [reference(undefined, 'Pod'), 'pod/web'],
])('%j is listed as %s, which a lookup finds again', (given, listed) => {
  expect(listedSpelling(given)).toBe(listed);
  expect(spellingsOf(given)).toContain(listed);
  expect(spellingsOf(given, 'shop')).toContain(listedSpelling(given, 'shop'));
});

test('a word for a type means its kind in its group, and a value without one is taken as it is', () => {
  const kindOf = (word: string) => ({ deploy: 'Deployment.apps', po: 'Pod.' })[word];
  expect(meantSpellings('deploy/web', kindOf)).toEqual(['deployment.apps/web', 'deployment.*/web']);
  expect(meantSpellings('shop/po/web', kindOf)).toEqual(['shop/pod./web', 'shop/pod.*/web']);
  expect(meantSpellings('Thing/web', kindOf)).toEqual(['thing/web']);
  expect(meantSpellings('u', kindOf)).toEqual(['u']);
  expect(meantSpellings('a/b/c/d', kindOf)).toEqual(['a/b/c/d']);
  expect(['deploy/web', 'shop/deploy/web', 'u'].map(typeWordOf)).toEqual(['deploy', 'deploy', undefined]);
});
