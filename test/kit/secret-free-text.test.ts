import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { withoutLogin, yamlFault } from '../../src/kit/secret-free-text.ts';

describe('yamlFault', () => {
  it.each(['token: hush\n  other: x', 'a: *hush', 'a: !<hush> b', 'a: "hush', '- hush\nb: hush: c', 'a: [hush'])(
    'says where %j is broken, and quotes no part of it',
    (text) => {
      const fault = (() => {
        try {
          loadAll(text);
        } catch (error) {
          return yamlFault(error);
        }
        return expect.unreachable('it is valid YAML');
      })();
      expect(fault).toMatch(/ \(line \d+, column \d+\)$/);
      expect(fault).not.toContain('hush');
    },
  );

  it('has a text for an error without a reason', () => {
    expect(yamlFault(new Error('hush'))).toBe('it cannot be read');
  });
});

it.each([
  ['https://me:pw@host:1/path', 'https://host:1/path'],
  ['https://host/path', 'https://host/path'],
  ['me:pw@host', 'host'],
  ['https://me:p@w@host', 'https://host'],
  ['socks5://me:p/w@bad host', 'socks5://bad host'],
  ['https://me:p\nw@host', 'https://host'],
])('withoutLogin %j is %j', (url, shown) => {
  expect(withoutLogin(url)).toBe(shown);
});
