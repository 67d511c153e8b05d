import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { Recording } from '../../src/record/recording.ts';
import { recordNight } from '../../tools/record-night.ts';
import { useFolder } from '../support/recording.ts';

const SHIPPED = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');
const folder = useFolder();

/** All that a recording has, but for how it is compressed. */
function contentOf(file: string) {
  using recorded = Recording.open(file);
  const ids = recorded.sources.map(({ id }) => id);
  const database = new DatabaseSync(file, { readOnly: true });
  const table = (name: string) => database.prepare(`SELECT * FROM ${name}`).all();
  const content = {
    ...Object.fromEntries(
      ['run', 'source', 'object', 'change', 'stretch', 'gap', 'state'].map((name) => [name, table(name)]),
    ),
    revisions: [...recorded.revisionsBetween(ids, 0, Number.MAX_SAFE_INTEGER)].map(
      ({ block: _1, place: _2, ...revision }) => revision,
    ),
  };
  database.close();
  return content;
}

it('the recording that ships with the examples is the one that its script makes', async () => {
  const file = folder.file('night.rec');
  await recordNight(file);
  expect(contentOf(file)).toEqual(contentOf(SHIPPED));
}, 120_000);
