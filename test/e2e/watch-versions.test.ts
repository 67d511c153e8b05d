import { describe, expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

const version = (name: string, column: string, served: boolean) => ({
  name,
  served,
  storage: name === 'v2',
  additionalPrinterColumns: [{ name: column, type: 'string', jsonPath: '.spec.color' }],
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
});

/**
 * Kubernetes prefers the version with the higher number: v2 is retired first, so that it is the one that is watched.
 */
const things = (served: readonly string[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.lab.example.com' },
  spec: {
    group: 'lab.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing' },
    versions: [version('v1', 'Colour', served.includes('v1')), version('v2', 'Paint', served.includes('v2'))],
  },
});

const thing = (name: string, color: string, at: string) => ({
  apiVersion: `lab.example.com/${at}`,
  kind: 'Thing',
  metadata: { name, namespace: 'shop' },
  spec: { color },
});

interface Line {
  readonly type: string;
  readonly key?: string;
  readonly gvr?: string;
  readonly reason?: string;
  readonly object?: { readonly apiVersion: string };
}

const startThings = async (): Promise<Fixture> => {
  const fixture = await startFixture();
  fixture.sandbox.apply([things(['v1', 'v2']), thing('one', 'red', 'v2')]);
  return fixture;
};

/** Takes a version out of `served`: its streams end a moment later. */
function serveOnly({ sandbox }: Fixture, at: string): void {
  sandbox.apply(things([at]));
}

describe('a version of a type that is retired', () => {
  it.each([['things'], ['things.lab.example.com']])(
    '%s goes on in the version that is served, reported as a gap',
    async (word) => {
      await using fixture = await startThings();
      await using cli = new Cli(['watch', word, '-n', 'shop', '-o', 'json', '--markers'], { env: fixture.env });
      await using table = new Cli(['watch', word, '-n', 'shop'], { env: fixture.env });
      await cli.until((c) => c.events<Line>().some(({ type }) => type === 'SYNCED'), 'the initial list');
      await table.until((c) => c.stdout.includes('red'), 'the first row');
      expect(cli.events<Line>()[0]).toMatchObject({ type: 'ADDED', gvr: 'lab.example.com/v2/things' });
      serveOnly(fixture, 'v1');
      await cli.until((c) => c.events<Line>().some(({ type }) => type === 'RELISTED'), 'the relist');
      await table.until((c) => c.stderr.includes('relisted'), 'the relist behind the table');
      fixture.sandbox.apply(thing('two', 'blue', 'v1'));
      await table.until((c) => c.stdout.includes('blue'), 'the row of the other version');
      fixture.sandbox.apply(thing('one', 'green', 'v1'));
      await cli.until((c) => c.events<Line>().some(({ type }) => type === 'MODIFIED'), 'a change behind the relist');
      const events = cli.events<Line>();
      expect(events.find(({ type }) => type === 'GAP')).toMatchObject({
        gvr: 'lab.example.com/v1/things',
        reason: 'moved',
      });
      const two = events.find(({ key }) => key === 'shop/two');
      expect(two).toMatchObject({
        type: 'ADDED',
        gvr: 'lab.example.com/v1/things',
        object: { apiVersion: 'lab.example.com/v1' },
      });
      expect(events.find(({ type }) => type === 'MODIFIED')).toMatchObject({
        key: 'shop/one',
        gvr: 'lab.example.com/v1/things',
      });
      expect(cli.stderr).toContain(
        'things.lab.example.com in shop: version v2 is not served any more by the server; v1 is watched instead\n',
      );
      expect(cli.stderr).toMatch(
        /^things\.lab\.example\.com in shop: changes after \d+ may go unseen \(moved\); listing again$/m,
      );
      expect(table.stdout).toMatch(/NAME +PAINT\nADDED +one +red\n\nEVENT +NAME +COLOUR\nADDED +two +blue\n/);
    },
  );

  it.each([['things.v2.lab.example.com'], ['lab.example.com/v2/things']])(
    '%s names it, and waits for it with the way out',
    async (word) => {
      await using fixture = await startThings();
      await using cli = new Cli(['watch', word, '-n', 'shop', '-o', 'json'], { env: fixture.env });
      await cli.until((c) => c.events<Line>().length === 1, 'the initial list');
      serveOnly(fixture, 'v1');
      const words =
        'version v2 is not served any more by the server, which serves v1: things.lab.example.com without a version follows the version that is served; trying again';
      await cli.until((c) => c.stderr.includes(words), 'the reason');
      fixture.sandbox.apply([things(['v1', 'v2']), thing('two', 'blue', 'v2')]);
      await cli.until((c) => c.events<Line>().length === 2, 'the event of the version that is back');
      expect(cli.events<Line>().at(-1)).toMatchObject({
        type: 'ADDED',
        key: 'shop/two',
        gvr: 'lab.example.com/v2/things',
      });
    },
  );
});
