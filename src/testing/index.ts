// For tests: `import {…} from 'kubectl-informer/testing'`.
export { type EventuallyOptions, eventually } from './eventually.ts';
export { FakeClock, settled } from './fake-clock.ts';
export { createRecordingHandler, type RecordingHandler } from './recording-handler.ts';
