import { describe, expect, it } from 'vitest';
import { refuseBeyondRights, seesMarks } from '../../../src/serve/api/caller-rights.ts';

it('marks are for callers on a port, unless the serve shows Secrets there', () => {
  expect(seesMarks('token', { showsSecrets: false })).toBe(true);
  expect(seesMarks('token', { showsSecrets: true })).toBe(false);
  expect(seesMarks('private', { showsSecrets: false })).toBe(false);
});

describe('what a caller on a port may not ask', () => {
  const asking = (given: Record<string, string[]>, access: 'token' | 'private' = 'token', showsSecrets = false) => {
    const flags = Object.entries(given).map(([name, values]) => [name, { values, origin: 'flag' }]);
    return () => refuseBeyondRights({ given: Object.fromEntries(flags) }, access, { showsSecrets });
  };

  it.each([[['true']], [['false', 'true']], [[]]])('is --show-secrets=%j, with the way to it', (values) => {
    expect(asking({ 'show-secrets': values })).toThrow(
      expect.objectContaining({
        code: 'argument',
        message: '--show-secrets is refused on a port: this serve does not show Secrets there',
        hint: expect.stringContaining('serve itself with --show-secrets'),
      }),
    );
  });

  it('is not --show-secrets=false, and nothing where the serve shows Secrets', () => {
    expect(asking({ 'show-secrets': ['false'] })).not.toThrow();
    expect(asking({ 'show-secrets': ['true', 'false'] })).not.toThrow();
    expect(asking({ 'show-secrets': ['true'] }, 'token', true)).not.toThrow();
  });

  it.each(['jsonpath-file=/etc/passwd', 'custom-columns-file=x', 'go-template-file'])(
    'is -o %s, which would read a file, also where the serve shows Secrets',
    (output) => {
      const [name] = output.split('=');
      for (const shows of [false, true])
        expect(asking({ output: ['wide', output] }, 'token', shows)).toThrow(
          expect.objectContaining({ message: `-o ${name} is refused on a port: it would read a file of serve` }),
        );
      expect(asking({ output: [output, 'wide'] })).not.toThrow();
    },
  );

  it.each(['jsonpath={.a-file}', 'wide', 'custom-columns=A:.x-file=', 'name-files'])('is not -o %s', (output) => {
    expect(asking({ output: [output] })).not.toThrow();
    expect(asking({})).not.toThrow();
  });

  it('may be asked over the socket', () => {
    expect(asking({ 'show-secrets': ['true'], output: ['jsonpath-file=x'] }, 'private')).not.toThrow();
  });
});
