import { failure, type Status } from '../../model/status.ts';
import { UNSERVED } from '../protocol.ts';

/** A request that is not answered with objects. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: Status;

  constructor(status: Status) {
    super(status.message);
    this.status = status;
  }
}

/** Throws what sends a request to the cluster. */
export function unserved(why: string): never {
  throw new Refusal(failure(UNSERVED, 'Misdirected', why));
}
