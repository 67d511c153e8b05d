import { expect, it } from 'vitest';
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
