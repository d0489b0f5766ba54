import { compareBehaviour } from './behaviour.js';
import { type Change, Changes, type Part } from './changes.js';
import { OperationComparison } from './operations.js';

/** Returns the changes between two contracts (OpenAPI 3.0, bundled), classified by the versioning rules. */
export function compareContracts(before: object, after: object): Change[] {
  const documents = { before: before as Part, after: after as Part };
  const changes = new Changes();
  new OperationComparison(documents, changes).compare();
  compareBehaviour(documents, changes);
  return changes.all();
}
