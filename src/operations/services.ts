import type { Logger } from 'pino';
import type { SecretBox } from '../delivery/secret-box.js';
import type { ResolveName } from '../delivery/resolve-name.js';
import type { TargetPolicy } from '../delivery/target.js';
import type { Ingest } from '../ingest/ingest.js';
import type { AdmitSession } from '../limits/new-session-limit.js';
import type { DigestId } from '../store/erased-ids.js';
import type { Store } from '../store/store.js';
import type { SessionTokens } from '../tokens/session-token.js';

/** Dependencies of the operations. */
export interface Services {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly admitSession: AdmitSession;
  /** The time of the database, epoch ms. All processes of a database share it. */
  readonly now: () => number;
  readonly log: Logger;
  readonly sessionTokens: SessionTokens;
  readonly digestId: DigestId;
  readonly secretBox: SecretBox;
  readonly targetPolicy: TargetPolicy;
  readonly resolveName: ResolveName;
  /** Wakes the delivery worker. Called when deliveries may be due. */
  readonly wakeWorker: () => void;
}
