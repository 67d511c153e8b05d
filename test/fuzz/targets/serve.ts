import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { parseRequest } from '../../../src/cli/serve/answer-request.ts';
import { requestOfParameters } from '../../../src/cli/serve/query-parameters.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { parseCollectionPath } from '../../../src/model/collection-path.ts';
import { askServe } from '../../../src/serve/client/ask.ts';
import { END_TRAILER, PROTOCOL_HEADER, PROTOCOL_VERSION } from '../../../src/serve/protocol.ts';
import { about, bytesSocket } from '../../support/fake-serve.ts';
import { chunkLengths, chunksOf, damaged, oddJson, oddObject, oddText } from '../inputs.ts';
import { outcomeOf, settled } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const quoted = oddText.map((text) => JSON.stringify(text));
const flagName = fc.constantFrom('count', 'output', 'filter', 'selector', '__proto__', 'constructor', 'server');
const question = fc
  .record(
    {
      words: fc.oneof(
        fc.array(quoted, { maxLength: 2 }).map((all) => `[${all.join()}]`),
        oddJson,
      ),
      given: fc.oneof(
        fc
          .tuple(flagName, fc.array(quoted, { maxLength: 2 }))
          .map(([name, all]) => `{"${name}":{"values":[${all.join()}]}}`),
        oddJson,
      ),
      config: oddJson,
      terminal: oddJson,
      env: oddJson,
      namespace: oddJson,
    },
    { requiredKeys: ['words'] },
  )
  .map(
    (members) =>
      `{${Object.entries(members)
        .map(([key, text]) => `"${key}":${text}`)
        .join()}}`,
  );
const urlPath = fc
  .array(fc.oneof(fc.constantFrom('/', 'api', 'apis', 'v1', 'namespaces', 'pods', '?', '=', '&', '%', '..'), oddText), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

/** What arrives at a serve: a question as JSON, a question as parameters, the path of a LIST or WATCH. */
export const serveRequests = fuzzTarget({
  name: 'serve-requests',
  inputs: fc.tuple(damaged(fc.oneof({ weight: 4, arbitrary: question }, oddObject)), urlPath, flagName, oddText),
  check: ([bytes, text, name, value]) => {
    const request = outcomeOf(() => parseRequest(bytes.toString('utf8')));
    if ('value' in request) {
      assert.ok(request.value.words.every((word) => typeof word === 'string'));
      assert.ok(
        Object.values(request.value.given).every(({ values }) => values.every((each) => typeof each === 'string')),
      );
      assert.equal(typeof request.value.config.indexes, 'object');
      assert.equal(typeof request.value.env, 'object');
      assert.ok(request.value.config.indexes !== null && request.value.env !== null);
      assert.ok(request.value.namespace === undefined || typeof request.value.namespace === 'string');
    }
    const found = parseCollectionPath(text);
    if (found) assert.ok(found.gvr.version !== '' && found.gvr.resource !== '');
    outcomeOf(() =>
      requestOfParameters(
        new URLSearchParams([
          ['type', value],
          [name, value],
        ]),
      ),
    );
    outcomeOf(() => requestOfParameters(new URLSearchParams(text)));
  },
});

const folder = mkdtempSync(path.join(tmpdir(), 'fuzz-serve-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let asked = 0;

const QUESTION = { words: ['pods'], given: {}, config: { indexes: {} }, terminal: { isTerminal: false }, env: {} };
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const answerText = (first: string, version: string, chunks: readonly string[], end: string) =>
  `${first}\r\n${PROTOCOL_HEADER}: ${version}\r\n\r\n${chunks.join('')}0\r\n${END_TRAILER}: ${end}\r\n\r\n`;

/** What a command gets that asks where these bytes are the answer, and the text that it was given. */
async function answered(bytes: Buffer, lengths: readonly number[]) {
  const socket = path.join(folder, `${asked++}`);
  await using _ = await bytesSocket(socket, chunksOf(bytes, lengths));
  let text = '';
  const take = (piece: string) => {
    text += piece;
  };
  const { signal } = new AbortController();
  const serve = { folder, socket, about: about() };
  return {
    result: await settled(() => askServe(serve, QUESTION, { signal, clock: systemClock, take })),
    text: () => text,
  };
}

/** The text and the end that were written are those that are read, for any texts, however the bytes arrive. */
export const serveTexts = fuzzTarget({
  name: 'serve-texts',
  share: 0.02,
  inputs: fc.tuple(fc.array(oddText, { maxLength: 4 }), oddText, chunkLengths),
  check: async ([texts, notice, lengths]) => {
    const written = texts.map((text) => text.toWellFormed());
    const end = { exitCode: 0, notices: [notice] };
    const ascii = JSON.stringify(end).replace(
      /[^\x20-\x7e]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const chunks = written.filter((text) => text !== '').map(chunk);
    const bytes = Buffer.from(answerText('HTTP/1.1 200 OK', String(PROTOCOL_VERSION), chunks, ascii));
    const { result, text } = await answered(bytes, lengths);
    assert.deepStrictEqual(result, { value: { kind: 'answered', end } });
    assert.equal(text(), written.join(''));
  },
});

const chunks = fc.array(
  fc.oneof(oddText.map(chunk), fc.constantFrom('x\r\n', '-1\r\n', '5\r\nab\r\n', 'ffffffff\r\n', '0\r\n\r\n')),
  { maxLength: 4 },
);
const end = fc.oneof(
  fc.constantFrom(
    '{"exitCode":0,"notices":[]}',
    '{"exitCode":1,"notices":[],"unserved":"why"}',
    '{}',
    'null',
    '7',
    '[]',
  ),
  oddJson,
);
const answer = fc
  .tuple(
    fc.constantFrom('HTTP/1.1 200 OK', 'HTTP/1.0 200 OK', 'HTTP/1.1 500 no', 'x'),
    fc.constantFrom(String(PROTOCOL_VERSION), String(PROTOCOL_VERSION), '1', 'x'),
    chunks,
    end,
  )
  .map((parts) => answerText(...parts));

/** A command that asks over a real socket ends, whatever is answered there. */
export const serveAnswers = fuzzTarget({
  name: 'serve-answers',
  share: 0.02,
  inputs: fc.tuple(damaged(answer), chunkLengths),
  check: async ([bytes, lengths]) => {
    const { result } = await answered(
      bytes,
      lengths.map((length) => length * 20),
    );
    if ('value' in result && result.value.kind === 'answered') assert.equal(typeof result.value.end.exitCode, 'number');
  },
});
