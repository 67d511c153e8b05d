import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';
import { configMap, type Fixture, pod, startFixture } from '../support/fixture.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

interface Line {
  readonly type: string;
  readonly seq: number;
  readonly time: string;
  readonly gvr?: string;
  readonly reason?: string;
  readonly from?: string;
  readonly exitCode?: number;
  readonly summary?: { readonly gaps: number; readonly relists: number };
}

let own: Fixture;
beforeAll(async () => {
  own = await startFixture();
});
afterAll(() => own[Symbol.asyncDispose]());

describe('--strict --markers', () => {
  it('writes the GAP that ends it before END', async () => {
    await using fixture = await startFixture();
    await using cli = new Cli(['watch', 'pods,cm', '-n', 'shop', '-o', 'json', '--markers', '--strict'], { env: fixture.env });
    await cli.until((c) => c.events<Line>().filter(({ type }) => type === 'SYNCED').length === 2, 'the first states');
    const restarting = fixture.sandbox.restart({ keepHistory: false, downMs: 200 });
    fixture.sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    fixture.sandbox.apply([pod('web-9'), configMap('late', {})]);
    await restarting;
    const { code } = await cli.ended();
    const events = cli.events<Line>();
    const [gap, end] = events.slice(-2);
    expect(code).toBe(4);
    expect(gap).toMatchObject({ type: 'GAP', gvr: expect.stringMatching(/^v1\/(pods|configmaps)$/), from: expect.stringMatching(/^\d+$/) });
    expect(end).toMatchObject({ type: 'END', exitCode: 4 });
    expect(end?.summary?.gaps).toBe(events.filter(({ type }) => type === 'GAP').length);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  });
});
