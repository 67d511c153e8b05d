// A process that listens at a serve's place, to be killed or stopped. It sends half an answer, and never the rest.
import { fakeServe } from './fake-serve.ts';

const [identity, about] = process.argv.slice(2).map((text) => JSON.parse(text));
await fakeServe(process.env, {
  identity,
  about: { ...about, pid: process.pid },
  async answer(_question, outlet) {
    await outlet.write('pod/half\n'.repeat(2000));
    await new Promise(() => {});
  },
});
process.stdout.write('listening\n');
