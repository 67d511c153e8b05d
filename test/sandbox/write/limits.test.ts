import { describe, expect, it } from 'vitest';
import { MOST_LEVELS } from '../../../src/kit/depth.ts';
import { checkAliases, checkDepth, hasExcessiveAliases } from '../../../src/sandbox/write/limits.ts';
import { CONFIG_MAPS } from '../../support/sandbox-requests.ts';
import { useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();

it('refuses YAML whose aliases expand too far', async () => {
  const lists = 'abcdefghi'.split('').map(
    (l, i) =>
      `${l}: &${l} [${Array(9)
        .fill(i === 0 ? 'x' : `*${'abcdefghi'[i - 1]}`)
        .join(', ')}]`,
  );
  const body = `metadata: {name: bomb}\n${lists.join('\n')}\n`;
  const { status, body: answer } = await server.ask('POST', CONFIG_MAPS, body, { 'content-type': 'application/yaml' });
  expect([status, answer.message]).toEqual([400, expect.stringContaining('document contains excessive aliasing')]);
});

describe('a limit', () => {
  const nested = (levels: number) => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  };

  it('refuses values that are nested too deep', () => {
    expect(() => checkDepth(nested(MOST_LEVELS - 1))).not.toThrow();
    expect(() => checkDepth(nested(MOST_LEVELS + 2))).toThrow(`deeper than ${MOST_LEVELS} levels`);
  });

  it('accepts aliases that add little, and refuses those that add much or contain themselves', () => {
    const text = 'a: &a [x]\nb: *a\n';
    expect(hasExcessiveAliases(text, { a: ['x'], b: ['x'] })).toBe(false);
    const wide = Array(700).fill(Array(700).fill('x'));
    expect(hasExcessiveAliases(text, wide)).toBe(true);
    expect(hasExcessiveAliases('no aliases', wide)).toBe(false);
    const endless: unknown[] = [];
    endless.push(endless);
    expect(() => checkAliases(text, endless)).toThrow('document contains excessive aliasing');
  });
});
