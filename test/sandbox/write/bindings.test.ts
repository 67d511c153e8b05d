import { describe, expect, it } from 'vitest';
import { PODS, podNamed } from '../../support/sandbox-requests.ts';
import { refusal, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();

describe('binding', () => {
  const bind = (body: object) => server.ask('POST', `${PODS}/a/binding`, body);
  const target = { kind: 'Node', name: 'n' };

  it('assigns a pod to a node once, without a new generation', async () => {
    await server.ask('POST', PODS, podNamed('a'));
    expect((await bind({ metadata: { name: 'a' }, target })).status).toBe(201);
    const { body } = await server.ask('GET', `${PODS}/a`);
    expect([body.spec.nodeName, body.metadata.generation]).toEqual(['n', 1]);
    expect(body.status.conditions).toEqual([expect.objectContaining({ type: 'PodScheduled', status: 'True' })]);
    expect(refusal(await bind({ target }))).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n"',
    ]);
  });

  it('refuses a binding without a node or with another name', async () => {
    await server.ask('POST', PODS, podNamed('a'));
    expect(refusal(await bind({ metadata: { name: 'a' }, target: {} }))).toEqual([
      422,
      'Binding "a" is invalid: target.name: Required value',
    ]);
    expect(refusal(await bind({ metadata: { name: 'b' }, target }))).toEqual([
      400,
      'name in URL does not match name in Binding object',
    ]);
  });
});
