import type { ContinuityEvent } from '../informer/ledger.ts';
import type { Ending } from '../informer/watch-machine.ts';
import { humanDuration } from '../kit/duration.ts';
import { messageOf } from '../kit/error.ts';
import { formatGroupResource } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';

/** Endings that belong to a healthy stream: servers end every watch after some minutes. */
const ORDINARY: ReadonlySet<Ending> = new Set<Ending>(['closed']);

/** What a person is told on stderr of how a stream goes on; undefined for what goes without saying. */
export function continuityNotice(event: ContinuityEvent, type: ResourceType): string | undefined {
  const name = formatGroupResource(type.gvr) + (event.scope ? ` in ${event.scope}` : '');
  switch (event.kind) {
    case 'resumed':
      if (ORDINARY.has(event.why) && event.silentMs < 1000) return undefined;
      return `${name}: watch resumed at ${event.since} after ${humanDuration(event.silentMs)} (${event.why}); nothing was missed`;
    case 'gap':
      return `${name}: changes after ${event.from} may go unseen (${event.why}); listing anew`;
    case 'relisted':
      return `${name}: relisted ${event.objects} objects at ${event.resourceVersion} (${event.why}); what happened since ${event.from} shows as its outcome`;
    case 'fault':
      return `${name}: ${messageOf(event.error)}; trying again (${event.next})`;
    case 'synced':
      return undefined;
  }
}
