import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { parseRequest } from '../../../src/cli/serve/answer-request.ts';
import { requestOfParameters } from '../../../src/cli/serve/query-parameters.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { askServe } from '../../../src/serve/client/ask.ts';
import { Lines } from '../../../src/serve/client/lines.ts';
import { parseCollectionPath } from '../../../src/serve/collection-path.ts';
import { FrameWriter } from '../../../src/serve/frame-writer.ts';
import { type AnswerFrame, PROTOCOL_HEADER, PROTOCOL_VERSION } from '../../../src/serve/protocol.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
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

/** The frames that were written are the frames that are read, for any texts and chunks. */
export const serveFrames = fuzzTarget({
  name: 'serve-frames',
  share: 0.5,
  inputs: fc.tuple(fc.array(oddText, { maxLength: 4 }), oddText, chunkLengths),
  check: async ([texts, notice, lengths]) => {
    const target = new PassThrough();
    using writer = new FrameWriter(target, { clock: new FakeClock() });
    for (const text of texts) await writer.out(text);
    writer.notice(notice);
    writer.end({ exitCode: 0 });
    const reader = new Lines(1_000_000);
    const written = chunksOf(target.read() ?? Buffer.alloc(0), lengths);
    const frames = written.flatMap((chunk) => reader.add(chunk)).map((line) => JSON.parse(line) as AnswerFrame);
    assert.equal(frames.map((frame) => ('out' in frame ? frame.out : '')).join(''), texts.join(''));
    assert.deepStrictEqual(frames.slice(-2), [{ notice }, { end: { exitCode: 0 } }]);
  },
});

const folder = mkdtempSync(path.join(tmpdir(), 'fuzz-serve-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let asked = 0;

const frame = fc.oneof(
  quoted.map((text) => `{"out":${text}}`),
  fc.constantFrom('{"alive":true}', '{"end":{"exitCode":0}}', '{"end":null}', '{"unserved":"why"}', 'null', '7', '[]'),
  oddJson,
);
const answer = fc
  .tuple(
    fc.constantFrom('HTTP/1.1 200 OK', 'HTTP/1.0 200 OK', 'HTTP/1.1 500 no', 'x'),
    fc.constantFrom(String(PROTOCOL_VERSION), String(PROTOCOL_VERSION), '2', 'x'),
    fc.array(frame, { maxLength: 4 }),
  )
  .map(([first, version, frames]) => `${first}\r\n${PROTOCOL_HEADER}: ${version}\r\n\r\n${frames.join('\n')}\n`);
const QUESTION = { words: ['pods'], given: {}, config: { indexes: {} }, terminal: { isTerminal: false }, env: {} };

/** A command that asks over a real socket ends, whatever is answered there. */
export const serveAnswers = fuzzTarget({
  name: 'serve-answers',
  share: 0.02,
  inputs: fc.tuple(damaged(answer), chunkLengths),
  check: async ([bytes, lengths]) => {
    const socket = path.join(folder, `${asked++}`);
    const chunks = chunksOf(
      bytes,
      lengths.map((length) => length * 20),
    );
    await using _ = await bytesSocket(socket, chunks);
    const { signal } = new AbortController();
    const serve = { folder, socket, about: about() };
    const result = await settled(() => askServe(serve, QUESTION, { signal, clock: systemClock, take() {} }));
    if ('value' in result && result.value.kind === 'answered') assert.equal(typeof result.value.end.exitCode, 'number');
  },
});
