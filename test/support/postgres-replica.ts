// One replica of the operator of PostgreSQL, with the election of ELECTION: see postgres-trial.ts. It runs the build.
import { createClient, loadConfig } from 'kubectl-informer';
import { createOperator } from '../../examples/postgres-operator.ts';

const client = createClient(await loadConfig());
const { manager } = await createOperator(
  client,
  Number(process.env.WEBHOOK_PORT),
  JSON.parse(process.env.ELECTION ?? '{}'),
);
await manager.run(new AbortController().signal);
