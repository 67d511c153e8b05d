import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import columns from '../../src/sandbox/types/data/columns.json' with { type: 'json' };
import fields from '../../src/sandbox/types/data/fields.json' with { type: 'json' };
import types from '../../src/sandbox/types/data/types.json' with { type: 'json' };
import { updateColumns } from '../../tools/kubernetes-data/columns.ts';
import { updateFields } from '../../tools/kubernetes-data/fields.ts';
import type { OpenApiDocument } from '../../tools/kubernetes-data/recordings.ts';
import { updateTypes } from '../../tools/kubernetes-data/types.ts';
import { skipped } from '../support/skipped.ts';
import { OPENAPI_FOLDER, recording, recordingsMissing } from '../support/wire-recording.ts';

const document = (file: string): OpenApiDocument =>
  JSON.parse(String(gunzipSync(readFileSync(path.join(OPENAPI_FOLDER, file)))));

describe.skipIf(recordingsMissing)(`the data of the built-in types${skipped(recordingsMissing)}`, () => {
  it('has exactly the types that a real server discovers, in its order', () => {
    expect(JSON.stringify(updateTypes({}, recording('01-discovery.json')))).toBe(JSON.stringify(types));
  });

  it('has the columns of every Table that a real server sent', () => {
    const recorded = updateColumns({}, recording('04-list.json'), types);
    expect(columns).toMatchObject(recorded);
    expect(Object.keys(recorded).length).toBeGreaterThan(20);
  });

  it('has the fields of core and apps as the OpenAPI of a real server has them', () => {
    const warnings: string[] = [];
    const updated = updateFields(fields, ['api-v1.json.gz', 'apps-v1.json.gz'].map(document), types, (line) =>
      warnings.push(line),
    );
    expect(updated).toEqual(fields);
    expect(warnings).toEqual([]);
  });
});
